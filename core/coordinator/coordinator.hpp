// Decides what every rank does next. Rank 0 runs it once per round. It knows neither transports nor kernels.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/rank_facts.hpp"
#include "base/seconds.hpp"
#include "bootstrap/bootstrap.hpp"
#include "coordinator/campaign.hpp"
#include "coordinator/host_readings.hpp"
#include "protocol/introduction.hpp"

namespace everylink {

class Coordinator {
 public:
  struct Context {
    const Options& options;
    std::string bootstrap;
    bool pinned;
    bool real_memory;                     // messages occupy memory
    std::function<Seconds()> now;         // the transport's clock, once the transport exists
    std::string one_sided = {};           // what carries puts and gets; "": the run has none
    std::vector<std::string> hosts = {};  // by rank, known before the ranks report; empty: not known
    bool reads_hosts = false;             // facts and counters of the hosts
    bool steps_ahead = false;             // an order may carry several steps (transport.hpp)
  };
  Coordinator(const Context&, int size, Recorder&, Console&);

  // One round. Never throws for errors of the user or the machine: it prints them and orders every rank to
  // stop.
  Decided decide(std::span<const Submitted>, std::span<const int> gone);

 private:
  enum class Stage { introducing, preparing, working };
  Blob introduce(std::span<const Submitted>, std::span<const int> gone);
  std::optional<std::vector<int>> called() const;
  bool all_others_are(std::span<const int> gone) const { return static_cast<int>(gone.size()) + 1 >= size_; }
  RankFacts facts_of_absent(int rank, std::span<const int> gone) const;
  void warn_of_absent(std::span<const int> ranks);
  std::vector<Report> reports_of(std::span<const Submitted>) const;
  void refuse_large_buffers() const;
  Order prepare(const std::vector<Report>&, std::span<const int> gone);
  Order work(std::vector<Report>, std::span<const int> gone);
  std::optional<Order> next_order(std::span<const int> gone);
  void warn(const std::string&);
  void remark_doubles();
  Order end(bool interrupted);
  std::string what_is_left() const;  // of a run that a signal ends
  void note_unwritten(const std::vector<Report>&);
  Order close(const std::vector<Report>& of_writing, std::span<const int> gone);
  static LocalFaults faults_of(const std::vector<Report>&);
  std::optional<Order> refused(const std::vector<Report>&) const;
  Order stop(int exit_code) const;

  const Context context_;
  const int size_;
  RunLog log_;
  std::vector<int> absent_;  // sorted; they missed the introduction and never take part
  std::unique_ptr<Campaign> campaign_;
  std::optional<HostReadings> readings_;  // of the hosts, if they are read
  Stage stage_ = Stage::introducing;
  Introduction introduction_;
  Order current_;   // what ranks do between this round and the next
  Order measured_;  // the order whose results arrive in this round
  Seconds step_began_ = 0;
  bool clean_ = true, interrupted_ = false;
  bool unwritten_ = false;  // a rank could not write its part of a .sion file
  std::uint64_t rounds_ = 0, committed_ = 0;
  std::uint64_t epoch_ = 1;  // of the next order
};

}  // namespace everylink

// Decides what every rank does next: rank 0 runs it once per round. It knows neither transports nor kernels.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bootstrap/bootstrap.hpp"
#include "coordinator/campaign.hpp"
#include "protocol/introduction.hpp"

namespace everylink {

class Coordinator {
 public:
  struct Context {
    const Options& options;
    std::string bootstrap;
    bool pinned;
    bool real_memory;              // messages really lie somewhere
    std::function<Seconds()> now;  // the transport's clock, as soon as there is one
    std::string one_sided = {};    // what puts and gets; "": the kernel does neither
  };
  Coordinator(const Context&, int size, Recorder&, Console&);

  // One round. Never throws for what the user or the machine did wrong: it says so and orders everybody to
  // stop.
  Blob decide(std::span<const Handed>, std::span<const int> gone);

 private:
  enum class Stage { introducing, preparing, working };
  Blob introduce(std::span<const Handed>, std::span<const int> gone);
  std::vector<Report> reports_of(std::span<const Handed>) const;
  void refuse_large_buffers() const;
  Order prepare(const std::vector<Report>&, std::span<const int> gone);
  Order work(std::vector<Report>, std::span<const int> gone);
  void warn(const std::string&);
  void remark_doubles();
  Order end(bool interrupted);
  Order close(const std::vector<Report>& of_writing, std::span<const int> gone);
  std::optional<Order> refused(const std::vector<Report>&) const;
  Order stop(int exit_code) const;

  const Context context_;
  const int size_;
  RunLog log_;
  std::unique_ptr<Campaign> campaign_;
  Stage stage_ = Stage::introducing;
  Introduction introduction_;
  Order current_;   // what ranks do between this round and the next
  Order measured_;  // whose results this round brings
  Seconds step_began_ = 0;
  bool clean_ = true, interrupted_ = false;
  std::uint64_t rounds_ = 0, committed_ = 0;
};

}  // namespace everylink

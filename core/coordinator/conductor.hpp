// Rank 0's mind: decides in each round what everybody does next. It knows neither transports nor kernels.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "bootstrap/bootstrap.hpp"
#include "coordinator/console.hpp"
#include "coordinator/director.hpp"
#include "coordinator/health.hpp"
#include "coordinator/ledger.hpp"
#include "protocol/introduction.hpp"
#include "protocol/order.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"
#include "schedule/schedule.hpp"

namespace everylink {

class Conductor {
 public:
  struct Context {
    const Options& options;
    std::string bootstrap;
    bool pinned;
    bool real_memory;              // messages really lie somewhere
    std::function<Seconds()> now;  // the transport's clock, as soon as there is one
    std::string one_sided = {};    // what puts and gets; "": the kernel does neither
  };
  Conductor(const Context&, int size, Recorder&, Console&);

  // One round. Never throws for what the user or the machine did wrong: that is said, and the word is to
  // stop.
  Blob decide(std::span<const Handed>, std::span<const int> gone);

 private:
  enum class Stage { introducing, preparing, working };
  Blob introduce(std::span<const Handed>, std::span<const int> gone);
  void plan_pairs();
  void refuse_large_buffers() const;
  Order prepare(const std::vector<Report>&, std::span<const int> gone);
  Order work(std::vector<Report>, std::span<const int> gone);
  Order direct(const std::vector<Report>&, std::span<const int> gone);
  void tune(const std::vector<Report>&);
  void refuse_long_serial(const std::vector<Report>&) const;

  Order next_order(std::span<const int> gone);
  Order start_iteration(std::uint32_t iteration, std::int64_t busy_steps_done = 0);
  void remark(const std::string&);
  void warn(const std::string&);
  void remark_doubles();
  Order begin_again(std::span<const int> gone);
  Order next_again();
  bool is_time_to_save(const Order& next) const;
  Order write(Order::What when) const;
  Order finish(bool interrupted);
  Order close(const std::vector<Report>& of_writing, std::span<const int> gone);
  std::optional<Order> refused(const std::vector<Report>&) const;
  Order stop(int exit_code) const;
  std::int64_t busy_steps() const;
  std::optional<std::int64_t> busy_step_from(std::int64_t step) const;
  std::uint32_t passes() const;

  const Context context_;
  const int size_;
  Recorder& recorder_;
  Console& console_;
  Ledger ledger_;
  std::optional<Director> director_;  // of a load pattern, instead of pairs
  Stage stage_ = Stage::introducing;
  std::vector<RankFacts> ranks_;
  Introduction introduction_;
  Plan plan_;
  Order current_;   // what ranks do between this round and the next
  Order measured_;  // whose results this round brings
  Seconds step_began_ = 0;
  std::uint32_t next_row_ = 0;
  struct Again {
    Attempt attempt;
    int low, high;
  };
  std::vector<Again> again_;  // pairs to be measured once more: those that failed, then the slowest
  std::size_t again_done_ = 0;
  Seconds again_began_ = 0;
  bool clean_ = true, interrupted_ = false;
  std::optional<Health> health_;
  Recalled recalled_;  // of the run that this one goes on with
  std::uint64_t rounds_ = 0, committed_ = 0;
  std::optional<Order> planned_;  // after ranks have saved
  Seconds save_began_ = 0, saved_ = steady_now(), save_took_ = 0;
};

}  // namespace everylink

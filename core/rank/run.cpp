// A run from start to end.
#include "rank/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "base/units.hpp"
#include "bootstrap/bootstrap.hpp"
#include "coordinator/console.hpp"
#include "coordinator/coordinator.hpp"
#include "host/facts.hpp"
#include "host/gpus.hpp"
#include "host/host_reader.hpp"
#include "host/numa.hpp"
#include "host/rails.hpp"
#include "host/shortage.hpp"
#include "host/signals.hpp"
#include "host/standstill.hpp"
#include "memory/cuda/driver.hpp"
#include "rank/load_part.hpp"
#include "rank/pair.hpp"
#include "rank/unsaved_rows.hpp"
#include "record/recorder.hpp"
#include "record/safe_recorder.hpp"
#include "record/sion_chunk.hpp"

namespace everylink {
namespace {

constexpr Seconds begin_limit = 30;     // for the reports before measuring: ranks allocate and fill memory
constexpr Seconds exchange_limit = 10;  // for the reports after a step, beyond the step's own limit
constexpr Seconds watch_limit = 60;     // for a library call to return, beyond its own limit
constexpr Seconds ahead_limit = 1;      // for the steps of an order before its last one
constexpr Seconds library_leave_limit = 120;
constexpr Seconds read_limit = 5;     // for files of a host that do not answer: twice what they may take
constexpr Seconds write_limit = 120;  // for a file system to take the rows of a round
// ... for the results file, less than the minute for which other ranks wait longer than for a usual round.
constexpr Seconds record_limit = 45;

// Of the pairs that a load pattern begins with: they load every link, and are not timed.
Options options_of_pairs(const Options& options) {
  Options pairs = options;
  if (options.pattern.empty()) return pairs;
  pairs.schedule = "all";
  pairs.messages = {4};
  pairs.buffers = 1;
  pairs.check = false;
  return pairs;
}

// The driver of a GPU may never return.
class Watched {
 public:
  Watched(bool needs_gpu, UnsavedRows& unsaved, bool stays) : needs_gpu_(needs_gpu) {
    if (needs_gpu_) watch(unsaved, begin_limit, "the driver of the GPU", stays);
  }
  ~Watched() {
    if (needs_gpu_) stop_watching();
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

 private:
  const bool needs_gpu_;
};

class Runner {
 public:
  Runner(const Options& options, Place& place)
      : options_(options),
        of_pairs_(options_of_pairs(options)),
        entry_(transport_named(options.mode)),
        memory_(memory_named(options.memory)),
        kernel_(kernel_named(options.kernel)),
        one_sided_(options.pattern.empty() ? kernel_.one_sided
                                           : pattern_named(options.pattern)->traits.one_sided),
        settings_(parse_settings(options.mode_options, "--mode " + options.mode)),
        console_(options.progress),
        unsaved_(options, place.rank),
        stays_(place.ends_together) {
    if (one_sided_ && !entry_.one_sided)
      throw UsageError(fmt::format(
          "{}: mode {} does not support one-sided transfers; the guide lists the modes that do",
          options.pattern.empty() ? fmt::format("--{}", kernel_.name) : options.pattern, entry_.name));
    const bool pinned = place.core.of > 0 && pin_to_core(place.core.index, place.core.of);
    const std::string host = entry_.host_name ? entry_.host_name(place.rank, place.size, settings_) : "";
    facts_ = own_facts(host, options.node_name);
    place.host = facts_.host + facts_.machine + facts_.network;
    attendance_ = place.attendance;
    world_ = join(place, options.join_limit);
    if (place.rank == 0) {
      recorder_ = make_recorder();
      const Coordinator::Context context{
          .options = options,
          .bootstrap = place.bootstrap,
          .pinned = pinned,
          .real_memory = moves_bytes(),
          .now = [this] { return endpoint_.transport ? endpoint_.transport->now() : steady_now(); },
          .one_sided = one_sided_ ? std::string(entry_.one_sided_by) : "",
          .hosts = hosts_by_name(place),
          .reads_hosts = reads_hosts(),
          .steps_ahead = entry_.steps_ahead && !(entry_.blocks && entry_.blocks(settings_))};
      coordinator_ = std::make_unique<Coordinator>(context, place.size, *recorder_, console_);
    }
  }

  ~Runner() {
    for (auto& endpoint : abandoned_) {  // never freed: a library may still hold them
      static_cast<void>(endpoint.transport.release());
      static_cast<void>(endpoint.out.release());
      static_cast<void>(endpoint.in.release());
    }
  }

  // Returns the last order.
  Stop run() {
    Order order = introduce();
    Reports reports{{prepare(order)}};
    while (!order.is<Stop>()) {
      const auto offers = offers_for(order);
      reports.all.back().interrupted |= end_is_wanted();
      const auto round = exchange(packed(reports), offers, step_limit_ + exchange_limit);
      const auto next = unpacked<Order>(round.decision);
      const bool late = is_among(round.gone, world_->rank());
      number_ = round.number + 1;
      if (late) unsaved_.report_later(number_);
      if (late && reader_) reader_->forget();
      unsaved_.forget_before(next.committed);
      committed_ = next.committed;
      if (const auto* measure = next.as<Measure>(); measure && !measure->calibrates)
        unsaved_.forget_steps_from(measure->step().row);
      Unpacker::must(late || round.rested || round.from_peers.size() == offers.size());
      reports.all = {Report{.rank = world_->rank()}};
      if (!late && !round.rested && !next.replaces) reports.all = follow(order, next, offers, round);
      if (const auto* measure = next.as<Measure>(); chunk_ && measure && measure->calibrates)
        reports.all.front().fault = begin_chunk(reports.all.front().fault_exit);
      order = next;
    }
    return *order.as<Stop>();
  }

 private:
  // Rank 0 keeps the rows of all ranks until the file has them.
  std::unique_ptr<Recorder> make_recorder() {
    if (options_.no_output) return std::make_unique<NoRecorder>();
    return std::make_unique<SafeRecorder>(
        make_hdf5_recorder(), record_limit,
        SafeRecorder::Beside{
            .keep = [this](const LinkRows& link) { return unsaved_.keep_reported(link.samples, number_); },
            .write = [this] { return unsaved_.write(); },
            .complain = [this](const std::string& text) { console_.complain(text); }});
  }

  // By rank, as known before the ranks have introduced themselves; empty: not known.
  std::vector<std::string> hosts_by_name(const Place& place) const {
    if (!entry_.host_name) return place.hosts;
    std::vector<std::string> hosts;
    for (int rank = 0; rank < place.size; ++rank)
      hosts.push_back(entry_.host_name(rank, place.size, settings_));
    return hosts;
  }
  // Hosts of a simulated network are read where recorded files describe them.
  bool reads_hosts() const {
    const bool is_simulated = entry_.host_name || entry_.virtual_time;
    return !options_.no_output && root_of_host("").has_value() &&
           (!is_simulated || !variable("EVERYLINK_SYSFS").empty());
  }
  // With memory of a GPU the first and the last message are always verified: its faults can be silent.
  bool moves_bytes() const { return !entry_.virtual_time || contents_matter(); }
  bool contents_matter() const { return options_.check || memory_.needs_gpu; }

  // The peers to connect to, one of each step, or no_rank.
  std::vector<int> peers_in(const Order& order) {
    std::vector<int> peers;
    if (const auto* measure = order.as<Measure>())
      for (const auto& step : measure->steps) peers.push_back(partner(*measure, step));
    if (const auto* connect = order.as<Connect>()) peers.push_back(load_part_->peer_in(*connect));
    return peers;
  }

  // An offer without bytes: this machine lacks what it takes, so the pair cannot be measured.
  std::vector<Offer> offers_for(const Order& order) {
    std::vector<Offer> offers;
    lacks_.clear();
    for (const int peer : peers_in(order)) {
      auto& lacks = lacks_.emplace_back(lacks_always_);
      Blob& bytes = offers.emplace_back(Offer{.peer = peer}).bytes;
      if (peer == no_rank || !lacks.empty()) continue;
      const std::uint64_t epoch = order.epoch + offers.size() - 1;
      if (const auto fault = local_fault_of([&] { bytes = endpoint_.transport->offer(peer, epoch); }))
        lacks = fault->cause;
    }
    return offers;
  }

  // One rank of each host reads: the first one that is not gone.
  bool reads_host(const Round& round) const {
    const auto& host_of = introduction_.host_of;
    const auto own = host_of[static_cast<std::size_t>(world_->rank())];
    for (int rank = 0; rank < world_->rank(); ++rank)
      if (host_of[static_cast<std::size_t>(rank)] == own && !is_among(round.gone, rank)) return false;
    return true;
  }

  // A host that cannot be read is no fault: its reading is missing.
  Report read_host(const ReadHost& order, const Round& round) {
    Report report{.rank = world_->rank()};
    step_limit_ = read_limit;
    try {
      if (reads_host(round)) {
        if (!reader_) reader_ = make_reader();
        if (reader_)
          if (auto reading = reader_->read(order.number, order.moment)) report.host = {std::move(*reading)};
      }
    } catch (const std::bad_alloc&) {
      report.host = {};
    }
    report.carried = carried_;
    if (load_part_) report.carried += load_part_->carried();
    return report;
  }

  std::unique_ptr<HostReader> make_reader() const {
    const auto root = root_of_host(facts_.host);
    if (!root) return nullptr;
    const std::string libraries = endpoint_.transport ? endpoint_.transport->carrier().libraries : "";
    return std::make_unique<HostReader>(*root, libraries, memory_.needs_gpu);
  }

  // Measures nothing if `next` ends the run.
  std::vector<Report> follow(const Order& order, const Order& next, const std::vector<Offer>& offers,
                             const Round& round) {
    Report report{.rank = world_->rank()};
    if (const auto* writes = order.as<WriteRows>()) {
      report.fault = write_chunk(*writes, report.fault_exit);
      return {report};
    }
    const auto* last = next.as<WriteRows>();
    if (next.is<Stop>() || (last && last->at_end)) return {report};
    if (const auto* measure = order.as<Measure>()) return take_steps(*measure, order.epoch, offers, round);
    if (const auto* connect = order.as<Connect>())
      return {watched(*connect, [&] {
        return load_part_->connect(*connect, order.epoch, offers.front().peer, round, lacks_.front());
      })};
    if (const auto* reads = order.as<ReadHost>()) return {read_host(*reads, round)};
    if (const auto* flows = order.as<RunFlows>())
      return {watched(*flows, [&] {
        const Seconds began = steady_now();
        Report done = load_part_->run(*flows);
        blame_this_side(done, std::max(options_.limit(options_.largest()), steady_now() - began));
        return done;
      })};
    return {report};
  }

  Round exchange(const Blob& mine, const std::vector<Offer>& offers, Seconds limit) {
    standstill_.begin();  // what holds this rank up from here on delays the next step
    auto round = world_->round(mine, offers, limit,
                               [this](std::span<const Submitted> submitted, std::span<const int> gone) {
                                 watch(unsaved_, write_limit, "writing the results file", false);
                                 auto decision = coordinator_->decide(submitted, gone);
                                 stop_watching();
                                 return decision;
                               });
    if (!round) {
      unsaved_.forget_failures(number_);
      if (chunk_) chunk_->forget_failures(number_);
      throw RunLost(
          fmt::format("lost the connection to rank 0; {}", committed_ > 0 && !options_.no_output
                                                               ? "the results file holds what was committed"
                                                               : "no results were committed"));
    }
    return std::move(*round);
  }

  Order introduce() {
    // Rank 0 may wait for others while this rank has joined. Other ranks than rank 0 wait for twice the
    // limit.
    const Seconds limit = world_->rank() == 0 ? begin_limit : longest_join / 2;
    const auto round = exchange(packed(facts_), {}, limit);
    if (round.number > 0 || is_among(round.gone, world_->rank()))
      throw MachineError("this rank joined too late: the run has begun without it (--join-limit)");
    if (attendance_) attendance_->note_begun();
    introduction_ = unpacked<Introduction>(round.decision);
    if (!options_.pattern.empty() && !introduction_.first.is<Stop>())
      load_part_.emplace(LoadPart::Work{.options = options_,
                                        .introduction = introduction_,
                                        .rank = world_->rank(),
                                        .entry = entry_,
                                        .waits_in_turn = waits_in_turn(entry_, settings_)},
                         endpoint_, [this] { abandon(); });
    unsaved_.know(introduction_.run);
    if (options_.is_sion()) {
      chunk_.emplace(options_, world_->rank(), world_->size(), facts_.host, introduction_.run);
      unsaved_.write_also([this] { chunk_->write(); });
    }
    step_limit_ = begin_limit;
    number_ = round.number + 1;
    return introduction_.first;
  }

  // Creates the transport and its memory. If that fails, the first report has the reason, and rank 0 prints
  // it once.
  Report prepare(const Order& order) {
    Report report;
    report.rank = world_->rank();
    if (order.is<Stop>()) return report;
    try {
      try_to_make_endpoint();
      report.fault_of_link = lacks_always_;
      report.fault_is_local = !lacks_always_.empty();
      if (!endpoint_.transport) return report;
      if (options_.all_to_all && entry_.all_to_all) all_to_all_ = entry_.all_to_all(world_->size());
      report.carrier = endpoint_.transport->carrier();
      complete(report.carrier);
      lanes_told_ = report.carrier.lanes;
    } catch (const UsageError& error) {
      report.fault = error.what();
      report.fault_exit = exit_usage;
    } catch (const MachineError& error) {
      report.fault = fmt::format("rank {} on {}: {}", world_->rank(), facts_.host, error.what());
      report.fault_exit = exit_machine;
    }
    return report;
  }

  // Where memory or descriptors are missing on this machine, this rank goes on without measuring.
  void try_to_make_endpoint() {
    const auto fault = local_fault_of([this] { make_endpoint(); });
    if (!fault) return;
    lacks_always_ = fault->cause;
    endpoint_ = {};
  }

  // Proves that this rank sees the file, which exists before measuring begins. Returns "", or the fault.
  std::string begin_chunk(std::int32_t& fault_exit) {
    const int error = chunk_->begin();
    if (error == 0) return "";
    fault_exit = exit_usage;
    return fmt::format(
        "rank {} on {}: --output {}: {}; every rank writes its own part of a .sion file, so it must be on a "
        "file system that all hosts share (only rank 0 writes a .h5 file)",
        world_->rank(), facts_.host, options_.output, sion::text_of_error(error));
  }

  std::string write_chunk(const WriteRows& order, std::int32_t& fault_exit) {
    for (std::size_t i = 0; i + 1 < order.corrupt.size(); i += 2)
      if (order.corrupt[i] == world_->rank()) chunk_->discard(order.corrupt[i + 1]);
    step_limit_ = write_limit;
    watch(unsaved_, write_limit, "writing the results file", stays_);
    const int error = chunk_->write();
    stop_watching();
    if (error == 0) return "";
    fault_exit = exit_machine;
    return fmt::format("rank {} on {}: {}: {}; LinkTest's programs do not see what it measured",
                       world_->rank(), facts_.host, options_.output, sion::text_of_error(error));
  }

  void make_endpoint() {
    const Watched driver(memory_.needs_gpu, unsaved_, stays_);
    if (const auto why = memory_.why_unusable(); !why.empty())
      throw UsageError(options_.mode == "cuda" ? fmt::format("--mode cuda: {}", why)
                                               : fmt::format("--memory {}: {}", memory_.name, why));
    if (memory_.needs_gpu)
      gpu_ = gpu_of_rank(options_.gpus, introduction_.host_of, introduction_.numa_of, world_->rank());
    const std::size_t bytes = load_part_ ? load_part_->memory_bytes() : memory_bytes(of_pairs_);
    const bool for_hosts = entry_.opens_memory && !is_one_host();
    endpoint_ = {memory_.make(bytes, gpu_, for_hosts), memory_.make(bytes, gpu_, for_hosts), nullptr};
    if (!entry_.gpu_memory && endpoint_.out->region().is_of_gpu())
      throw UsageError(fmt::format("--memory {}: mode {} moves messages in memory of the host only",
                                   memory_.name, entry_.name));
    if (moves_bytes()) {  // unwritten pages all map to one zero page, which would be faster
      endpoint_.out->fill({0, bytes}, 1);
      endpoint_.in->fill({0, bytes}, 2);
    }
    const auto rank = static_cast<std::size_t>(world_->rank());
    const auto& host_of = introduction_.host_of;
    const auto gpus = memory_.needs_gpu && rails_are_auto(settings_)
                          ? gpus_of_host(options_.gpus, host_of, introduction_.numa_of, world_->rank())
                          : std::vector<std::string>();
    endpoint_.transport =
        entry_.make({.rank = world_->rank(),
                     .size = world_->size(),
                     .out = *endpoint_.out,
                     .in = *endpoint_.in,
                     .options = on_own_rail(options_.mode, settings_, host_of, world_->rank(), gpus),
                     .crowded = introduction_.crowded[rank] != 0,
                     .contents_matter = contents_matter(),
                     .one_machine = introduction_.one_machine,
                     .one_way = !kernel_.replies,
                     .run = introduction_.run,
                     .one_sided = one_sided_});
  }

  // Adds what transports do not know.
  void complete(Carrier& carrier) const {
    carrier.numa_distance = numa_distance(facts_.numa, carrier.device);
    if (!memory_.needs_gpu) return;
    auto path = std::move(carrier.gpu.path);
    carrier.gpu = facts_of_gpu(gpu_, carrier.device);
    carrier.gpu.path = std::move(path);
  }

  int partner(const Measure& order, const Step& step) {
    if (!plan_ || plan_of_ != std::pair(order.attempt, order.relabelling)) {
      plan_ = plan_for(of_pairs_, introduction_, order.attempt, order.relabelling);
      plan_of_ = {order.attempt, order.relabelling};
    }
    const int peer = partner_in(step, *plan_, world_->rank());
    const bool tried = peer != no_rank && is_tried(order, reach(peer), world_->rank(), peer);
    return tried ? peer : no_rank;
  }

  bool is_one_host() const {
    const auto& host_of = introduction_.host_of;
    return std::all_of(host_of.begin(), host_of.end(), [](int host) { return host == 0; });
  }

  Reach reach(int peer) const { return reach_of(introduction_.host_of, world_->rank(), peer); }

  // The time limit for a pair of this step.
  Seconds limit_of(const Measure& order) const {
    Seconds all = 0;
    for (const auto bytes : options_.sizes) all += of_pairs_.limit(bytes);
    const Seconds near = longest_budget(order, Reach::near), far = longest_budget(order, Reach::far);
    return std::min(all, is_one_host() ? near : std::max(near, far));
  }

  Seconds now() const { return endpoint_.transport ? endpoint_.transport->now() : steady_now(); }

  // Of each step that has a pair of this rank; rank 0 also says when it began the others.
  std::vector<Report> take_steps(const Measure& order, std::uint64_t epoch, const std::vector<Offer>& offers,
                                 const Round& round) {
    std::vector<Report> reports;
    const Seconds began = now(), really_began = steady_now();
    const bool is_single = order.steps.size() == 1;
    step_limit_ = limit_of(order) + (is_single ? 0 : ahead_limit);
    for (std::size_t i = 0; i < order.steps.size(); ++i) {
      if (i > 0 && steady_now() - really_began > ahead_limit) break;
      const Seconds begins = now() - began;
      const int peer = offers[i].peer;
      Report report =
          take_part(order, order.steps[i], epoch + i, peer, lacks_[i], round, round.from_peers[i]);
      report.began = begins;
      const bool goes_on = peer == no_rank || report.is_whole() || is_simulated_fault(report);
      if (is_single || peer != no_rank || world_->rank() == 0) reports.push_back(std::move(report));
      if (!goes_on || end_is_wanted()) break;
    }
    if (reports.empty()) reports.push_back({.rank = world_->rank()});
    reports.front().orders_took = round.took;
    return reports;
  }

  // It costs no real time, so that the peers of the next steps do not wait for this rank.
  bool is_simulated_fault(const Report& report) const {
    const auto& samples = report.led.samples;
    return entry_.virtual_time && !report.abandoned && !report.interrupted && report.fault_of_link.empty() &&
           std::none_of(samples.begin(), samples.end(),
                        [](const Sample& sample) { return sample.outcome == Outcome::broken; });
  }

  Report take_part(const Measure& order, const Step& step, std::uint64_t epoch, int peer,
                   const std::string& lacks, const Round& round, const Blob& peer_offer) {
    std::vector<Seconds> all_to_all;
    if (all_to_all_ && !order.calibrates) all_to_all = time_all_to_all(round);
    Report report;
    report.rank = world_->rank();
    report.step = step.row;
    if (peer == no_rank) return report;
    if (chunk_ && !all_to_all.empty() && order.attempt == Attempt::main)
      chunk_->keep_all_to_all(step_number(step, options_.serial, world_->size()),
                              static_cast<float>(all_to_all.front()));  // as in the output lines
    const bool gone = is_among(round.gone, peer);
    const int rank = world_->rank();
    const bool one_direction = order.attempt == Attempt::one_way;
    const PairWork work{
        .options = of_pairs_,
        .kernel = one_direction ? kernel_named("unidirectional") : kernel_,
        .entry = entry_,
        .rank = rank,
        .peer = peer,
        .epoch = epoch,
        .order = order,
        .step = step,
        .leads_in = &step == &order.step(),
        .budget = budget_of(order, reach(peer), rank, peer),
        .messages = messages_of(order, reach(peer), rank, peer),
        .verifies_ends = memory_.needs_gpu,
        .keep =
            [&](const Sample& sample) {
              // What failed among several steps is measured again.
              if (order.steps.size() == 1 || sample.outcome == Outcome::ok) unsaved_.keep(sample, number_);
              if (chunk_) chunk_->keep(sample, step_number(step, options_.serial, world_->size()), number_);
            },
        .lacks = [this, began = steady_now()](
                     Seconds limit,
                     double enough) { return lacks_now(std::max(limit, steady_now() - began), enough); },
        .carried = carried_};
    if (!lacks.empty()) return pair_not_measured(work, lacks);
    watch(unsaved_, step_limit_ + watch_limit, "a transport call", stays_);
    const bool is_untimed = order.calibrates && reader_;
    if (is_untimed) reader_->begin_watching();
    const auto fault = local_fault_of([&] {
      report = measure_pair(work, *endpoint_.transport, *endpoint_.out, *endpoint_.in,
                            gone ? View() : View(peer_offer));
    });
    if (fault) {  // in the middle of a turn: a library may still hold our buffers
      report = pair_not_measured(work, fault->cause);
      report.abandoned = true;
    }
    if (is_untimed)
      if (auto seen = reader_->end_watching(reading_under_load)) report.host = {std::move(*seen)};
    stop_watching();
    tell_lanes(report);
    for (std::size_t i = 0; i < all_to_all.size() && i < report.led.samples.size(); ++i)
      report.led.samples[i].all_to_all = static_cast<float>(all_to_all[i]);
    if (report.abandoned) abandon();
    return report;
  }

  // A library does not say why it failed: what failed while this process has no descriptor or memory left, or
  // no processor, or while its GPU does nothing, is no fault of the network. `had`: the time that it had, or
  // took if that is more. `enough`: turns on a processor.
  std::string lacks_now(Seconds had, double enough) const {
    auto cause = shortage_now();
    if (cause.empty() && !entry_.virtual_time) cause = standstill_.cause(had, enough);
    if (cause.empty() && memory_.needs_gpu) cause = cuda::why_stuck(gpu_);
    return cause;
  }

  void blame_this_side(Report& report, Seconds had) const {
    if (std::none_of(report.flows.begin(), report.flows.end(),
                     [](const FlowEnd& flow) { return is_doubtful(flow.outcome); }))
      return;
    // Turns, whatever the messages: flows last for a time, not for a number of them.
    constexpr double enough = 200;
    auto cause = lacks_now(had, enough);
    if (cause.empty()) return;
    for (auto& flow : report.flows)
      if (is_doubtful(flow.outcome)) flow.outcome = Outcome::local;
    report.fault_of_link = std::move(cause);
    report.fault_is_local = true;
  }

  void abandon() {
    abandoned_.push_back(std::move(endpoint_));
    try_to_make_endpoint();
  }

  // Follows an order of a load pattern, under a time limit.
  template <class Action, class Do>
  Report watched(const Action& order, Do follow) {
    step_limit_ = load_part_->limit_of(order);
    watch(unsaved_, step_limit_ + watch_limit, "a transport call", stays_);
    Report report = follow();
    stop_watching();
    tell_lanes(report);
    return report;
  }

  // Reports lanes late: a library may choose its path only when it connects.
  void tell_lanes(Report& report) {
    if (!endpoint_.transport) return;
    Carrier carrier = endpoint_.transport->carrier();
    if (carrier.lanes == lanes_told_) return;
    complete(carrier);
    lanes_told_ = carrier.lanes;
    report.carrier = std::move(carrier);
  }

  // Every rank takes part. After a rank was late, none does: an all-to-all would never complete.
  std::vector<Seconds> time_all_to_all(const Round& round) {
    std::vector<Seconds> times;
    for (const auto bytes : options_.sizes) {
      if (!round.gone.empty() || !endpoint_.transport) all_to_all_lost_ = true;
      times.push_back(all_to_all_lost_
                          ? std::nan("")
                          : all_to_all_(bytes, endpoint_.transport->now() + options_.limit(bytes)));
      all_to_all_lost_ |= std::isnan(times.back());
      if (all_to_all_lost_) continue;
      const auto moved = static_cast<std::uint64_t>(world_->size() - 1) * bytes;
      carried_ += {moved, moved};
    }
    return times;
  }

  const Options& options_;
  const Options of_pairs_;
  const TransportEntry& entry_;
  const MemoryEntry& memory_;
  const Kernel& kernel_;
  const bool one_sided_;
  const Settings settings_;
  Console console_;
  std::optional<sion::Chunk> chunk_;  // of a .sion file
  UnsavedRows unsaved_;
  std::unique_ptr<Recorder> recorder_;  // of rank 0
  const bool stays_;                    // this process must not end before rank 0
  RankFacts facts_;
  std::unique_ptr<Bootstrap> world_;
  std::unique_ptr<Coordinator> coordinator_;
  Introduction introduction_;
  std::shared_ptr<Attendance> attendance_;  // of the ranks that one process has started on this host
  std::uint64_t number_ = 0;                // of the next round
  std::uint64_t committed_ = 0;             // the results file has all rounds before this one
  Seconds step_limit_ = 0;                  // for the work of the next report
  std::optional<Plan> plan_;
  std::pair<Attempt, std::uint64_t> plan_of_{};  // the attempt and relabelling of plan_
  Endpoint endpoint_;
  int gpu_ = 0;  // the ordinal of the one whose memory holds messages
  // What this machine lacks, so that a pair of the next order cannot be measured; "": nothing.
  std::vector<std::string> lacks_;
  std::string lacks_always_;  // ... so that there is no transport
  std::vector<Endpoint> abandoned_;
  std::string lanes_told_;
  std::optional<LoadPart> load_part_;   // of a load pattern; destroyed before the transport of its links
  Standstill standstill_;               // since the last report
  Carried carried_;                     // by pairs and all-to-alls
  std::unique_ptr<HostReader> reader_;  // if this rank has read its host
  AllToAll all_to_all_;
  bool all_to_all_lost_ = false;
};

}  // namespace

int run(const Options& options, Place place) {
  handle_signals();
  Stop last;
  {
    Runner runner(options, place);
    last = runner.run();
  }
  if (place.launcher) {
    const CallLimit limit(library_leave_limit, "leaving the library that started the ranks");
    place.launcher->leave(last.exit_code, last.clean);
  }
  // Rank 0 returns the exit code of the run. A launcher may end all ranks when one fails, so no other rank
  // may fail first.
  return place.ends_together && place.rank > 0 ? exit_ok : last.exit_code;
}

}  // namespace everylink

// Rank 0 in a run of four ranks, of which one sends arbitrary reports.
#include "coordinator/coordinator.hpp"
#include "base/clock.hpp"

#include <cmath>

#include "fuzz.hpp"

using namespace everylink;

namespace {

constexpr int ranks = 4, hostile = 3;

Options options() {
  Options o;
  o.sizes = {8, 1024};
  o.messages = {2};
  o.warmups = 0;
  o.no_output = true;
  o.progress = Progress::none;
  o.retest_budget = 1e9;
  o.min_iterations = 5;  // after some steps without a fault, an order has several
  return o;
}

Report honest(int rank, const Measure& order, const Step& step, const Plan& plan) {
  Report report;
  report.rank = rank;
  report.peer = partner_in(step, plan, rank);
  report.step = step.row;
  if (report.peer == no_rank) return report;
  report.busy = report.took = 1e-3;
  report.notes.resize(2);
  if (order.calibrates) {
    report.needs.resize(2);
    return report;
  }
  for (std::uint32_t i = 0; i < 2; ++i) {
    Sample s;
    s.from = static_cast<std::uint32_t>(rank);
    s.to = static_cast<std::uint32_t>(report.peer);
    s.step = step.row;
    s.size = i;
    s.attempt = order.attempt;
    s.one_way = {2, 1e-6f, 1e-6f, 1e-6f, not_known, 1e-6f, 0};
    report.led.samples.push_back(s);
  }
  return report;
}

Reports honest(int rank, const Order& followed, const Plan& plan) {
  Reports reports;
  if (const auto* order = followed.as<Measure>())
    for (const auto& step : order->steps) reports.all.push_back(honest(rank, *order, step, plan));
  else
    reports.all.push_back({.rank = rank});
  return reports;
}

// The honest reports with changes to one of them, or arbitrary bytes.
Blob forged(fuzz::Pieces& in, Reports reports) {
  Report& report = reports.all[in.byte() % reports.all.size()];
  const int what = in.byte() % 16;
  const auto number = static_cast<std::int8_t>(in.byte());
  switch (what) {
    case 0: {
      const View raw = in.bytes(std::size_t{in.byte()} * 4);
      return Blob(raw.begin(), raw.end());
    }
    case 1: report.rank = number; break;
    case 2: report.peer = number; break;
    case 3: report.step = static_cast<std::uint32_t>(number); break;
    case 4: report.busy = std::sqrt(number); break;
    case 5: report.took = number * 1e300; break;
    case 6: report.fault_of_link = fuzz::text_of(in.bytes(8)); break;
    case 7: report.led.samples.resize(static_cast<std::size_t>(in.byte())); break;
    case 8: report.notes.resize(static_cast<std::size_t>(in.byte())); break;
    case 9:
      report.needs.assign(2, {static_cast<std::uint32_t>(number), static_cast<std::uint32_t>(number)});
      break;
    case 10:
      for (auto& sample : report.led.samples) sample.outcome = static_cast<Outcome>(number);
      break;
    case 11:
      for (auto& sample : report.led.samples) sample.attempt = static_cast<Attempt>(number);
      break;
    case 12:
      for (auto& sample : report.led.samples) sample.one_way.mean = std::sqrt(static_cast<float>(number));
      break;
    case 13: report.led.laps.resize(static_cast<std::size_t>(in.byte())); break;
    case 14:
      for (auto& sample : report.led.samples) sample.size = static_cast<std::uint32_t>(number);
      break;
    case 15: reports.all.resize(in.byte() % (reports.all.size() + 1)); break;
    default: break;  // an unchanged report
  }
  return packed(reports);
}

}  // namespace

EVERYLINK_FUZZ_TARGET(coordinator) {
  static const Options o = options();
  fuzz::Pieces in(bytes);
  NoRecorder recorder;
  Console console(Progress::none);
  Coordinator coordinator({.options = o,
                           .bootstrap = "local",
                           .pinned = false,
                           .real_memory = false,
                           .now = steady_now,
                           .steps_ahead = true},
                          ranks, recorder, console);
  std::vector<Submitted> submitted;
  for (int rank = 0; rank < ranks; ++rank)
    submitted.push_back(
        {rank,
         packed(RankFacts{
             .host = "n" + std::to_string(rank), .machine = "m", .network = "", .cores = "0", .numa = 0})});
  if (in.byte() % 4 == 0) {
    const View raw = in.bytes(in.byte());
    submitted[hostile].to_rank_0.assign(raw.begin(), raw.end());
  }
  const auto introduction = unpacked<Introduction>(coordinator.decide(submitted, {}).text);
  Order before = introduction.first, order = before;
  const Plan plan = plan_for(o, introduction, Attempt::main, 0);
  for (int round = 0; round < 40 && !order.is<Stop>(); ++round) {
    submitted.clear();
    std::vector<int> gone;
    for (int rank = 0; rank < hostile; ++rank)
      submitted.push_back({rank, packed(honest(rank, before, plan))});
    if (in.any() && in.byte() % 8 == 0) gone.push_back(hostile);
    for (int more = in.byte() % 16 == 0 ? 2 : 1; more > 0; --more)
      submitted.push_back({hostile, forged(in, honest(hostile, before, plan))});
    before = std::exchange(order, unpacked<Order>(coordinator.decide(submitted, gone).text));
    if (order.replaces) before = {Submit{}};
  }
}

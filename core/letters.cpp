// Letters as bytes.
#include "letters.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pack.hpp"

namespace everylink {
namespace {

constexpr std::uint32_t most_lead_in = 1000000, most_rounds = 1u << 30;
constexpr Seconds longest_time = 1e9;

bool is_sound(const Tuning& tuning) {
  return tuning.rounds_per_reading <= most_rounds && tuning.lead_in <= most_lead_in;
}
bool is_sound(const Care& care) {
  return care.reach <= Reach::far && Unpacker::is_flag(care.suspect) && Unpacker::is_flag(care.dark);
}
bool is_sound(const Sample& sample) {
  return sample.attempt <= Attempt::direction && sample.outcome <= Outcome::presumed;
}
bool is_sound(const FlowEnd& end) {
  const bool is_time = end.seconds >= 0 && end.seconds <= longest_time;
  return Unpacker::is_flag(end.sends) && end.outcome <= Outcome::presumed && is_time;
}
bool is_sound(const Note& note) { return Unpacker::is_flag(note.corrupt); }

template <class T>
std::vector<T> sound_list(Unpacker& in) {
  auto values = in.list<T>();
  for (const auto& value : values) Unpacker::must(is_sound(value));
  return values;
}

}  // namespace

bool Order::leaves_out(int a, int b) const {
  const auto is_dark = [&](int rank) { return std::find(dark.begin(), dark.end(), rank) != dark.end(); };
  if (is_dark(a) || is_dark(b)) return true;
  for (std::size_t i = 0; i + 1 < severed.size(); i += 2)
    if (std::minmax(severed[i], severed[i + 1]) == std::minmax(a, b)) return true;
  return false;
}

Blob Order::packed() const {
  return Packer()
      .add(what)
      .add(exit_code)
      .add(clean)
      .add(iteration)
      .add(relabelling)
      .add(schedule_step)
      .add(first)
      .add(second)
      .add(step)
      .add(attempt)
      .add(tunings)
      .add(patience)
      .add(care)
      .add(committed)
      .add(corrupt)
      .add(scene)
      .add(turn)
      .add(dark)
      .add(severed)
      .add(begins)
      .add(patience_of_scene)
      .take();
}

Order Order::unpacked(View bytes) {
  Unpacker in(bytes);
  Order order;
  order.what = in.choice(What::flow);
  order.exit_code = in.get<std::int32_t>();
  order.clean = in.get<bool>();
  order.iteration = in.get<std::uint32_t>();
  order.relabelling = in.get<std::uint64_t>();
  order.schedule_step = in.get<std::int64_t>();
  order.first = in.get<std::int32_t>();
  order.second = in.get<std::int32_t>();
  order.step = in.get<std::uint32_t>();
  order.attempt = in.choice(Attempt::direction);
  order.tunings = sound_list<Tuning>(in);
  for (auto& patience : order.patience) patience = in.get<Seconds>();
  order.care = sound_list<Care>(in);
  order.committed = in.get<std::uint64_t>();
  order.corrupt = in.list<std::int32_t>();
  order.scene = in.get<std::int64_t>();
  order.turn = in.get<std::uint32_t>();
  order.dark = in.list<std::int32_t>();
  order.severed = in.list<std::int32_t>();
  order.begins = in.get<Seconds>();
  order.patience_of_scene = in.get<Seconds>();
  in.end();
  return order;
}

Blob Introduction::packed() const {
  return Packer()
      .add(run)
      .add(host_of)
      .add(crowded)
      .add(one_machine)
      .add(seed)
      .add(schedule_option)
      .add(first.packed())
      .take();
}

Introduction Introduction::unpacked(View bytes) {
  Unpacker in(bytes);
  Introduction introduction;
  introduction.run = in.get<RunId>();
  introduction.host_of = in.list<std::int32_t>();
  introduction.crowded = in.list<char>();
  introduction.one_machine = in.get<bool>();
  introduction.seed = in.get<std::uint64_t>();
  introduction.schedule_option = in.any_text();
  introduction.first = Order::unpacked(in.list<std::byte>());
  in.end();
  Unpacker::must(introduction.crowded.size() == introduction.host_of.size());
  return introduction;
}

Blob Report::packed() const {
  Packer out;
  out.add(carrier.device)
      .add(carrier.address)
      .add(carrier.lanes)
      .add(carrier.libraries)
      .add(carrier.numa_distance)
      .add(fault)
      .add(fault_exit);
  out.add(step)
      .add(rank)
      .add(peer)
      .add(buried)
      .add(interrupted)
      .add(busy)
      .add(took)
      .add(fault_of_link)
      .add(led.samples)
      .add(static_cast<std::uint64_t>(led.laps.size()));
  for (const auto& laps : led.laps) out.add(laps);
  return out.add(notes).add(needs).add(flows).add(now).take();
}

Report Report::unpacked(View bytes) {
  Unpacker in(bytes);
  Report report;
  report.carrier.device = in.text();
  report.carrier.address = in.text();
  report.carrier.lanes = in.text();
  report.carrier.libraries = in.text();
  report.carrier.numa_distance = in.get<int>();
  report.fault = in.text();
  report.fault_exit = in.get<std::int32_t>();
  report.step = in.get<std::uint32_t>();
  report.rank = in.get<std::int32_t>();
  report.peer = in.get<std::int32_t>();
  report.buried = in.get<bool>();
  report.interrupted = in.get<bool>();
  report.busy = in.get<Seconds>();
  report.took = in.get<Seconds>();
  report.fault_of_link = in.text();
  report.led.samples = sound_list<Sample>(in);
  const auto lists = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < lists; ++i) report.led.laps.push_back(in.list<float>());
  report.notes = sound_list<Note>(in);
  report.needs = sound_list<Tuning>(in);
  report.flows = sound_list<FlowEnd>(in);
  report.now = in.get<Seconds>();
  in.end();
  return report;
}

// Peers have our key, but a broken one must not break the file.
void Report::check(int from, int ranks, std::size_t sizes) const {
  const auto is_time = [](Seconds t) { return t >= 0 && t <= longest_time; };
  bool good = rank == from && peer >= no_rank && peer < ranks && peer != rank;
  good &= is_time(busy) && is_time(took) && is_time(now);
  good &= fault.empty() || fault_exit == exit_machine || fault_exit == exit_usage;
  good &= led.samples.empty() || (peer != no_rank && led.samples.size() == sizes);
  good &= led.laps.size() <= sizes && notes.size() <= sizes && needs.size() <= sizes;
  for (std::size_t i = 0; good && i < led.samples.size(); ++i)
    good = led.samples[i].from == static_cast<std::uint32_t>(rank) &&
           led.samples[i].to == static_cast<std::uint32_t>(peer) && led.samples[i].size == i;
  if (!good) throw MachineError(fmt::format("rank {} reports what no run of this kind can have", from));
}

}  // namespace everylink

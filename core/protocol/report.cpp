// Reports as bytes.
#include "protocol/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/pack.hpp"
#include "protocol/sound.hpp"

namespace everylink {

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

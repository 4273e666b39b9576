// Letters as bytes.
#include "letters.hpp"

#include "pack.hpp"

namespace everylink {

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
      .take();
}

Order Order::unpacked(View bytes) {
  Unpacker in(bytes);
  Order order;
  order.what = in.get<What>();
  order.exit_code = in.get<std::int32_t>();
  order.clean = in.get<bool>();
  order.iteration = in.get<std::uint32_t>();
  order.relabelling = in.get<std::uint64_t>();
  order.schedule_step = in.get<std::int64_t>();
  order.first = in.get<std::int32_t>();
  order.second = in.get<std::int32_t>();
  order.step = in.get<std::uint32_t>();
  order.attempt = in.get<Attempt>();
  order.tunings = in.list<Tuning>();
  for (auto& patience : order.patience) patience = in.get<Seconds>();
  order.care = in.list<Care>();
  order.committed = in.get<std::uint64_t>();
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
  introduction.schedule_option = in.text();
  introduction.first = Order::unpacked(in.list<std::byte>());
  return introduction;
}

Blob Report::packed() const {
  Packer out;
  out.add(carrier.device)
      .add(carrier.address)
      .add(carrier.lanes)
      .add(carrier.libraries)
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
  return out.add(notes).add(needs).take();
}

Report Report::unpacked(View bytes) {
  Unpacker in(bytes);
  Report report;
  report.carrier.device = in.text();
  report.carrier.address = in.text();
  report.carrier.lanes = in.text();
  report.carrier.libraries = in.text();
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
  report.led.samples = in.list<Sample>();
  const auto lists = in.get<std::uint64_t>();
  for (std::uint64_t i = 0; i < lists; ++i) report.led.laps.push_back(in.list<float>());
  report.notes = in.list<Note>();
  report.needs = in.list<Tuning>();
  return report;
}

}  // namespace everylink

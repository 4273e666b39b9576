// Orders as bytes, and what an order says of a pair.
#include "protocol/order.hpp"

#include <algorithm>
#include <limits>

#include "base/pack.hpp"
#include "protocol/sound.hpp"

namespace everylink {
namespace {

constexpr Seconds least = 2, least_of_suspects = 0.2;

const Care* care_for(const Order& order, Reach reach, int rank) {
  for (const auto& care : order.care)
    if (care.rank == rank && care.reach == reach) return &care;
  return nullptr;
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

bool is_tried(const Order& order, Reach reach, int a, int b) {
  for (const int rank : {a, b})
    if (const Care* care = care_for(order, reach, rank); care && care->dark) return false;
  return true;
}

Seconds longest_budget(const Order& order, Reach reach) {
  const Seconds usual = order.patience[index(reach)];
  return usual > 0 ? std::max(least, usual) : std::numeric_limits<Seconds>::infinity();
}

Seconds budget_of(const Order& order, Reach reach, int a, int b) {
  const Seconds usual = order.patience[index(reach)], longest = longest_budget(order, reach);
  if (!(usual > 0)) return longest;
  for (const int rank : {a, b})
    if (const Care* care = care_for(order, reach, rank); care && care->suspect)
      return std::max(least_of_suspects, usual);
  return longest;
}

std::uint32_t messages_of(const Order& order, Reach reach, int a, int b) {
  std::uint32_t fewest = 0;
  for (const int rank : {a, b})
    if (const Care* care = care_for(order, reach, rank); care && care->messages > 0)
      fewest = fewest ? std::min(fewest, care->messages) : care->messages;
  return fewest;
}

int partner_in(const Order& order, const Plan& plan, int rank) {
  if (!order.measures()) return no_rank;
  if (order.first == no_rank) return plan.partner(order.schedule_step, rank);
  return rank == order.first ? order.second : rank == order.second ? order.first : no_rank;
}

std::int32_t step_number(const Order& order, bool serial, int ranks) {
  return static_cast<std::int32_t>(1 + order.schedule_step / (serial ? ranks : 1));
}

}  // namespace everylink

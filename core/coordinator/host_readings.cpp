// Puts orders to read between those of a campaign, and records what was read.
#include "coordinator/host_readings.hpp"

#include <set>

namespace everylink {
namespace {

// The reading that a report may bring in answer to this order.
std::optional<ReadHost> reading_after(const Order& done) {
  if (const auto* reads = done.as<ReadHost>()) return *reads;
  const auto* measure = done.as<Measure>();
  if (!measure || !measure->calibrates) return {};
  return ReadHost{.number = reading_under_load, .moment = Moment::under_load};
}

bool answers(const HostReading& reading, const ReadHost& order) {
  return reading.number == order.number && reading.moment == order.moment;
}

}  // namespace

Order HostReadings::read(Moment moment) {
  if (next_number_ == reading_under_load) ++next_number_;
  return {ReadHost{.number = next_number_++, .moment = moment}};
}

Order HostReadings::before(Order first) {
  put_off_ = std::move(first);
  return read(Moment::before);
}

std::optional<Order> HostReadings::put_off() { return std::exchange(put_off_, std::nullopt); }

// The last reading is followed by a round without work, which brings it.
std::optional<Order> HostReadings::instead_of(std::optional<Order> next) {
  if (!next) {
    over_ = true;
    put_off_ = Order{Submit{}};
    return read(measures_again_ || confirms_ ? Moment::again : Moment::after);
  }
  const auto* measure = next->as<Measure>();
  if (!measure || measure->goes_through_plan() || measures_again_) return next;
  measures_again_ = true;
  if (confirms_) return next;
  put_off_ = std::move(next);
  return read(Moment::after);
}

// A host has one reading per moment. One that comes late is lost; its rank then sends everything again.
void HostReadings::keep(const std::vector<Report>& reports, const Order& done, Seconds began,
                        std::optional<Seconds> measuring_began) {
  if (const auto order = reading_after(done)) {
    std::set<std::int32_t> hosts;
    for (const auto& report : reports) {
      const auto host = host_of_[static_cast<std::size_t>(report.rank)];
      if (!report.host.empty() && answers(report.host.front(), *order) && hosts.insert(host).second)
        early_.push_back({.host = static_cast<std::uint32_t>(host),
                          .rank = static_cast<std::uint32_t>(report.rank),
                          .began = began,
                          .reading = report.host.front()});
      if (done.is<ReadHost>()) recorder_.carried(order->number, report.rank, report.carried);
    }
  }
  if (measuring_began) record_early(*measuring_began);
}

void HostReadings::record_early(Seconds measuring_began) {
  for (auto& row : early_) {
    row.began -= measuring_began;
    recorder_.reading(row);
  }
  early_.clear();
}

void HostReadings::end() {
  if (!early_.empty()) record_early(early_.front().began);
}

}  // namespace everylink

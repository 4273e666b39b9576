// The rate at which messages arrive.
#include "load/meter.hpp"

#include <algorithm>

namespace everylink {

void Meter::Line::add(Seconds time, std::uint64_t messages) {
  if (n == 0) first = messages;
  last = messages;
  const auto count = static_cast<double>(messages);
  n += 1, times += time, counts += count, squares += time * time, products += time * count;
}

double Meter::Line::slope() const {
  const double spread = n * squares - times * times;
  const bool is_known = n > 1 && spread > 1e-12 * n * squares;
  return is_known ? std::max(0.0, (n * products - times * counts) / spread) : 0;
}

void Meter::begin(Seconds now, Seconds duration) {
  begin_ = now;
  warm_ = duration / 5;
  counts_ = duration <= 0;
  whole_.add(0, 0);
}

void Meter::read(Seconds now, std::uint64_t messages) {
  last_ = now - begin_;
  whole_.add(last_, messages);
  if (now - begin_ > warm_) warmed_.add(now - begin_, messages);
}

const Meter::Line& Meter::used() const {
  constexpr double enough = 4;
  return !counts_ && warmed_.n >= enough && warmed_.slope() > 0 ? warmed_ : whole_;
}

Seconds Meter::seconds() const {
  if (counts_) return last_;
  const double slope = used().slope();
  return slope > 0 ? static_cast<double>(messages()) / slope : 0;
}

}  // namespace everylink

// Statistics of one turn.
#include "base/sample.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace everylink {

Statistics statistics_of(std::span<float> times) {
  Statistics s;
  if (times.empty()) return s;
  std::sort(times.begin(), times.end());
  const std::size_t n = times.size();
  s.n = static_cast<std::uint32_t>(n);
  s.min = times.front();
  s.max = times.back();
  s.median = n % 2 ? times[n / 2] : static_cast<float>((double{times[n / 2 - 1]} + double{times[n / 2]}) / 2);
  s.mean = static_cast<float>(std::accumulate(times.begin(), times.end(), 0.0) / static_cast<double>(n));
  if (n >= 1000)
    s.p99 = times[static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(n))) - 1];  // nearest rank
  s.late =
      static_cast<std::uint32_t>(times.end() - std::upper_bound(times.begin(), times.end(), 2 * s.median));
  return s;
}

}  // namespace everylink

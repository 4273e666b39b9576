// The time of a round of control traffic among real ranks, which do nothing else:
//
//   control_rounds [ROUNDS (200)]
//
// Started once for each rank, with EVERYLINK_RANK, EVERYLINK_SIZE and so on, as bench/tree_latency.py does.
// Rank 0 prints the median, in seconds.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/errors.hpp"
#include "bootstrap/bootstrap.hpp"
#include "bootstrap/place.hpp"

namespace everylink {
namespace {

constexpr std::size_t report_bytes = 300, offer_bytes = 150, word_bytes = 100;
constexpr Seconds limit = 60;

void bench(int rounds) {
  Place place = place_from_variables("");
  const int rank = place.rank, size = place.size;
  const auto world = join(place, limit);
  const Decide decide = [size](std::span<const Submitted> submitted, std::span<const int> gone) {
    if (static_cast<int>(submitted.size()) != size || !gone.empty())
      throw MachineError(fmt::format("{} submitted, {} are gone", submitted.size(), gone.size()));
    return Blob(word_bytes);
  };
  std::vector<Seconds> times;
  for (int i = 0; i < rounds; ++i) {
    const Seconds start = steady_now();
    if (!world->round(Blob(report_bytes), rank ^ 1, Blob(offer_bytes), limit, decide))
      throw MachineError("rank 0 is lost");
    times.push_back(steady_now() - start);
  }
  std::sort(times.begin(), times.end());
  if (rank == 0) fmt::print("{:.6f}\n", times[times.size() / 2]);
}

}  // namespace
}  // namespace everylink

int main(int argc, char** argv) {
  try {
    everylink::bench(argc > 1 ? std::atoi(argv[1]) : 200);
    return 0;
  } catch (const std::exception& error) {
    fmt::print(stderr, "control_rounds: {}\n", error.what());
    return 1;
  }
}

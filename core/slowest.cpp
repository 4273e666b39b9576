// The slowest pairs of a run.
#include "slowest.hpp"

#include <algorithm>

namespace everylink {
namespace {

bool faster(const Slowest::Pair& a, const Slowest::Pair& b) { return a.mean < b.mean; }

}  // namespace

Slowest::Pair* Slowest::find(const Sample& s) {
  const int low = static_cast<int>(std::min(s.from, s.to)), high = static_cast<int>(std::max(s.from, s.to));
  const auto found = std::find_if(pairs_.begin(), pairs_.end(),
                                  [&](const Pair& pair) { return pair.low == low && pair.high == high; });
  return found == pairs_.end() ? nullptr : &*found;
}

void Slowest::add(const Sample& s) {
  if (keep_ == 0 || s.outcome != Outcome::ok || !(s.one_way.mean > 0)) return;
  if (Pair* known = find(s)) {
    known->mean = std::max(known->mean, s.one_way.mean);
    known->first.push_back(s);
    return;
  }
  const auto least = std::min_element(pairs_.begin(), pairs_.end(), faster);
  if (pairs_.size() == keep_ && least->mean >= s.one_way.mean) return;
  if (pairs_.size() == keep_) pairs_.erase(least);
  const int low = static_cast<int>(std::min(s.from, s.to)), high = static_cast<int>(std::max(s.from, s.to));
  pairs_.push_back({s.one_way.mean, low, high, {s}, {}});
}

void Slowest::add_again(const Sample& s) {
  if (Pair* known = find(s)) known->second.push_back(s);
}

void Slowest::sort() {
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) { return faster(b, a); });
}

std::vector<Retest> Slowest::retests() const {
  std::vector<Retest> all;
  for (const auto& pair : pairs_)
    for (const auto& again : pair.second) {
      const Sample* slowest = nullptr;
      for (const auto& first : pair.first)
        if (first.from == again.from && (!slowest || first.one_way.mean > slowest->one_way.mean))
          slowest = &first;
      if (slowest) all.push_back({*slowest, again});
    }
  std::stable_sort(all.begin(), all.end(), [](const Retest& a, const Retest& b) {
    return a.first.one_way.mean > b.first.one_way.mean;
  });
  return all;
}

}  // namespace everylink

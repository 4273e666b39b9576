// The slowest pairs of a run.
#include "coordinator/slowest.hpp"

#include <algorithm>
#include <tuple>

namespace everylink {
namespace {

std::pair<int, int> pair_of(const Sample& s) {
  return std::minmax(static_cast<int>(s.from), static_cast<int>(s.to));
}

}  // namespace

Slowest::Key Slowest::key_of(int low, int high) {
  return static_cast<Key>(low) << 32 | static_cast<std::uint32_t>(high);
}

void Slowest::add(const Sample& s) {
  const float mean = s.one_way.mean;
  if (keep_ == 0 || s.outcome != Outcome::ok || !(mean > 0)) return;
  const auto [low, high] = pair_of(s);
  const Key key = key_of(low, high);
  if (const auto known = at_.find(key); known != at_.end()) {
    Pair& pair = pairs_[known->second];
    by_time_.erase({pair.mean, key});
    pair.mean = std::max(pair.mean, mean);
    by_time_.insert({pair.mean, key});
    pair.first.push_back(s);
    return;
  }
  if (pairs_.size() == keep_ && by_time_.begin()->first >= mean) return;
  if (pairs_.size() == keep_) forget_fastest();
  at_[key] = pairs_.size();
  by_time_.insert({mean, key});
  pairs_.push_back({mean, low, high, {s}, {}});
}

void Slowest::forget_fastest() {
  const std::size_t at = at_.at(by_time_.begin()->second);
  at_.erase(by_time_.begin()->second);
  by_time_.erase(by_time_.begin());
  if (at + 1 < pairs_.size()) {
    pairs_[at] = std::move(pairs_.back());
    at_[key_of(pairs_[at].low, pairs_[at].high)] = at;
  }
  pairs_.pop_back();
}

void Slowest::add_again(const Sample& s) {
  const auto [low, high] = pair_of(s);
  if (const auto known = at_.find(key_of(low, high)); known != at_.end())
    pairs_[known->second].second.push_back(s);
}

void Slowest::sort() {
  std::sort(pairs_.begin(), pairs_.end(), [](const Pair& a, const Pair& b) {
    return std::tie(b.mean, a.low, a.high) < std::tie(a.mean, b.low, b.high);
  });
  for (std::size_t i = 0; i < pairs_.size(); ++i) at_[key_of(pairs_[i].low, pairs_[i].high)] = i;
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

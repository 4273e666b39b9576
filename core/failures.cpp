// Failed links, folded.
#include "failures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace everylink {
namespace {

constexpr std::size_t kept_links = 100000, shown_lines = 20;

}  // namespace

void Failures::know(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of) {
  host_of_ = host_of;
  const auto hosts = static_cast<std::size_t>(*std::max_element(host_of.begin(), host_of.end()) + 1);
  host_names_.resize(hosts);
  std::vector<int> ranks_on(hosts);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto host = static_cast<std::size_t>(host_of[rank]);
    host_names_[host] = ranks[rank].host;
    rank_names_.push_back(fmt::format("{}:{}", ranks[rank].host, rank));
    ++ranks_on[host];
  }
  failed_of_.resize(hosts);
  links_of_.resize(hosts);
}

std::string Failures::name(int rank) const { return rank_names_[static_cast<std::size_t>(rank)]; }

void Failures::add(const Sample& s) {
  const bool failed = s.outcome != Outcome::ok;
  const auto from = static_cast<std::size_t>(host_of_[s.from]), to = static_cast<std::size_t>(host_of_[s.to]);
  ++links_of_[from];
  failed_of_[from] += failed;
  if (from != to) {
    ++links_of_[to];
    failed_of_[to] += failed;
  }
  count_ += failed;
  if (failed && kept_.size() < kept_links)
    kept_.push_back({static_cast<int>(s.from), static_cast<int>(s.to), s.outcome, {}});
}

void Failures::take_back(const Sample& s) {
  const auto is_it = [&](const Link& link) {
    return link.from == static_cast<int>(s.from) && link.to == static_cast<int>(s.to);
  };
  const auto found = std::find_if(kept_.begin(), kept_.end(), is_it);
  if (found == kept_.end()) return;
  const auto from = static_cast<std::size_t>(host_of_[s.from]), to = static_cast<std::size_t>(host_of_[s.to]);
  --failed_of_[from], --links_of_[from];
  if (from != to) --failed_of_[to], --links_of_[to];
  --count_;
  kept_.erase(found);
}

void Failures::add_again(const Sample& s) {
  for (auto& link : kept_)
    if (link.from == static_cast<int>(s.from) && link.to == static_cast<int>(s.to)) link.again = s.outcome;
}

std::vector<std::pair<int, int>> Failures::to_try_again(std::span<const int> gone) const {
  constexpr int most_a_host = 3;
  std::map<int, int> of_host;
  std::set<std::pair<int, int>> pairs;
  const auto is_gone = [&](int rank) { return std::binary_search(gone.begin(), gone.end(), rank); };
  for (const auto& link : kept_) {
    const std::pair<int, int> pair = std::minmax(link.from, link.to);
    const int a = host_of_[static_cast<std::size_t>(pair.first)],
              b = host_of_[static_cast<std::size_t>(pair.second)];
    if (is_gone(pair.first) || is_gone(pair.second) || pairs.contains(pair)) continue;
    if (of_host[a] >= most_a_host || of_host[b] >= most_a_host) continue;
    ++of_host[a];
    if (a != b) ++of_host[b];
    pairs.insert(pair);
  }
  return {pairs.begin(), pairs.end()};
}

std::int64_t Failures::not_tried_again() const {
  return count_ -
         std::count_if(kept_.begin(), kept_.end(), [](const Link& l) { return l.again.has_value(); });
}

// The host with the most failed links first, as long as it is a whole host; then single links.
std::vector<std::string> Failures::lines() const {
  std::vector<std::string> lines;
  std::vector<char> folded(host_names_.size());
  std::vector<std::size_t> order(host_names_.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return failed_of_[a] > failed_of_[b]; });
  for (const auto host : order) {
    if (host_names_.size() < 3 || failed_of_[host] == 0 || failed_of_[host] < links_of_[host]) continue;
    std::map<Outcome, std::int64_t> by;
    std::int64_t links = 0;
    for (const auto& link : kept_) {
      const auto from = static_cast<std::size_t>(host_of_[static_cast<std::size_t>(link.from)]),
                 to = static_cast<std::size_t>(host_of_[static_cast<std::size_t>(link.to)]);
      if ((from == host && !folded[to]) || (to == host && !folded[from])) ++by[link.outcome], ++links;
    }
    if (links < 3) continue;
    folded[host] = 1;
    const auto worst = std::max_element(by.begin(), by.end(), [](const auto& a, const auto& b) {
                         return a.second < b.second;
                       })->first;
    lines.push_back(fmt::format("host {}: {} of {} links {}", host_names_[host], failed_of_[host],
                                links_of_[host], said_of(worst)));
  }
  std::size_t more = 0;
  for (const auto& link : kept_) {
    if (folded[static_cast<std::size_t>(host_of_[static_cast<std::size_t>(link.from)])] ||
        folded[static_cast<std::size_t>(host_of_[static_cast<std::size_t>(link.to)])])
      continue;
    if (lines.size() < shown_lines)
      lines.push_back(
          fmt::format("link {} -> {}: {}", name(link.from), name(link.to), said_of(link.outcome)));
    else
      ++more;
  }
  if (more) lines.push_back(fmt::format("and {} more links", more));
  add_again_lines(lines);
  return lines;
}

void Failures::add_again_lines(std::vector<std::string>& lines) const {
  std::map<bool, std::vector<std::string>> names;  // by whether it was ok
  for (const auto& link : kept_)
    if (link.again)
      names[*link.again == Outcome::ok].push_back(fmt::format("{} -> {}", name(link.from), name(link.to)));
  const auto tell = [&](bool ok, const char* what) {
    const auto& all = names[ok];
    if (all.empty()) return;
    const std::span shown(all.data(), std::min<std::size_t>(all.size(), 6));
    lines.push_back(fmt::format("{} {}: {}{}", all.size(), what, fmt::join(shown, ", "),
                                all.size() > shown.size() ? ", ..." : ""));
  };
  tell(false, "failed again alone");
  tell(true, "failed under load, ok alone");
  if (const auto left = not_tried_again(); left > 0 && left < count_)
    lines.push_back(fmt::format("{} not tried again", left));
}

}  // namespace everylink

// Failed links, folded.
#include "coordinator/failures.hpp"

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
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto host = static_cast<std::size_t>(host_of[rank]);
    host_names_[host] = ranks[rank].host;
    rank_names_.push_back(fmt::format("{}:{}", ranks[rank].host, rank));
  }
  name_apart();
  links_of_.resize(hosts);
  links_of_rank_.resize(ranks.size());
}

// Two hosts of one name get their index behind it.
void Failures::name_apart() {
  std::map<std::string, int> often;
  for (const auto& host : host_names_) ++often[host];
  for (std::size_t i = 0; i < host_names_.size(); ++i)
    if (often[host_names_[i]] > 1) host_names_[i] += fmt::format(" (host {})", i);
}

std::string Failures::name(int rank) const { return rank_names_[static_cast<std::size_t>(rank)]; }

void Failures::add(const Sample& s) {
  const bool failed = s.outcome != Outcome::ok;
  const auto from = static_cast<std::size_t>(host_of_[s.from]), to = static_cast<std::size_t>(host_of_[s.to]);
  ++links_;
  ++links_of_[from];
  if (from != to) ++links_of_[to];
  ++links_of_rank_[s.from], ++links_of_rank_[s.to];
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
  --links_of_[from];
  if (from != to) --links_of_[to];
  --links_of_rank_[s.from], --links_of_rank_[s.to];
  --count_, --links_;
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
  for (const auto& link : kept_) {
    const std::pair<int, int> pair = std::minmax(link.from, link.to);
    const int a = host_of_[static_cast<std::size_t>(pair.first)],
              b = host_of_[static_cast<std::size_t>(pair.second)];
    if (is_among(gone, pair.first) || is_among(gone, pair.second) || pairs.contains(pair)) continue;
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

// "timed out", or "failed (14 timed out, 48 not tried, the rank is dark)".
std::string Failures::what_of(const std::vector<const Link*>& links) const {
  std::map<Outcome, std::size_t> by;
  for (const auto* link : links) ++by[link->outcome];
  if (by.size() == 1) return std::string(said_of(by.begin()->first));
  std::vector<std::pair<std::size_t, Outcome>> sorted;
  for (const auto& [outcome, count] : by) sorted.emplace_back(count, outcome);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (const auto& [count, outcome] : sorted) parts.push_back(fmt::format("{} {}", count, said_of(outcome)));
  return fmt::format("failed ({})", fmt::join(parts, ", "));
}

// The host or rank that covers most of the links still open, where at least half of its links failed.
std::optional<Failures::Group> Failures::best_group(const std::vector<const Link*>& open) const {
  std::optional<Group> best;
  for (const bool whole_host : {true, false}) {
    const auto& links = whole_host ? links_of_ : links_of_rank_;
    std::map<int, std::int64_t> failed;
    for (const auto* link : open) {
      const int from = whole_host ? host_of_[static_cast<std::size_t>(link->from)] : link->from,
                to = whole_host ? host_of_[static_cast<std::size_t>(link->to)] : link->to;
      ++failed[from];
      if (to != from) ++failed[to];
    }
    for (const auto& [id, count] : failed) {
      const auto all = links[static_cast<std::size_t>(id)];
      const bool worth = (count >= 3 && 2 * count >= all) || (count >= 2 && count == all);
      const bool better = !best || count > best->failed || (count == best->failed && all < best->links);
      if (worth && better) best = Group{whole_host, id, count, all};
    }
  }
  return best;
}

bool Failures::is_in(const Group& group, const Link& link) const {
  const auto id_of = [&](int rank) {
    return group.whole_host ? host_of_[static_cast<std::size_t>(rank)] : rank;
  };
  return id_of(link.from) == group.id || id_of(link.to) == group.id;
}

// What covers most of the failed links first: all of them, a host, a rank, a pair, a link.
std::vector<std::string> Failures::lines() const {
  std::vector<std::string> lines;
  std::vector<const Link*> open;
  for (const auto& link : kept_) open.push_back(&link);
  if (count_ > 1 && count_ == links_) {
    lines.push_back(fmt::format("all links: {} of {} links {}", count_, links_, what_of(open)));
    open.clear();
  }
  for (auto group = best_group(open); group && lines.size() < shown_lines; group = best_group(open)) {
    const auto rest =
        std::stable_partition(open.begin(), open.end(), [&](const Link* l) { return is_in(*group, *l); });
    std::vector<const Link*> inside;  // those that an earlier line covers too
    for (const auto& link : kept_)
      if (is_in(*group, link)) inside.push_back(&link);
    const auto id = static_cast<std::size_t>(group->id);
    lines.push_back(fmt::format("{} {}: {} of {} links {}", group->whole_host ? "host" : "rank",
                                group->whole_host ? host_names_[id] : rank_names_[id], inside.size(),
                                group->links, what_of(inside)));
    open.erase(open.begin(), rest);
  }
  add_pairs_and_links(lines, open);
  add_again_lines(lines);
  return lines;
}

void Failures::add_pairs_and_links(std::vector<std::string>& lines,
                                   const std::vector<const Link*>& open) const {
  std::map<std::pair<int, int>, std::vector<const Link*>> pairs;
  for (const auto* link : open) pairs[std::minmax(link->from, link->to)].push_back(link);
  std::size_t more =
      static_cast<std::size_t>(count_) - std::min(kept_.size(), static_cast<std::size_t>(count_));
  for (const auto& [ends, links] : pairs) {
    if (lines.size() >= shown_lines)
      more += links.size();
    else if (links.size() == 2)
      lines.push_back(
          fmt::format("pair {} <-> {}: both links {}", name(ends.first), name(ends.second), what_of(links)));
    else
      for (const auto* link : links)
        lines.push_back(
            fmt::format("link {} -> {}: {}", name(link->from), name(link->to), said_of(link->outcome)));
  }
  if (more) lines.push_back(fmt::format("and {} more links", more));
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

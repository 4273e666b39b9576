// Failed links, folded.
#include "coordinator/failures.hpp"
#include "base/outcome.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace everylink {
namespace {

constexpr std::size_t kept_links = 100000, shown_lines = 10;
// Fewer failed links are a group only where all of its links failed.
constexpr std::int64_t fewest_of_group = 3;

// "timed out", or "failed (14 timed out, 48 not tried, the rank is dark)".
std::string text_of(const std::map<Outcome, std::size_t>& counts) {
  if (counts.size() == 1) return std::string(said_of(counts.begin()->first));
  std::vector<std::pair<std::size_t, Outcome>> sorted;
  for (const auto& [outcome, count] : counts) sorted.emplace_back(count, outcome);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> parts;
  for (const auto& [count, outcome] : sorted) parts.push_back(fmt::format("{} {}", count, said_of(outcome)));
  return fmt::format("failed ({})", fmt::join(parts, ", "));
}

}  // namespace

// What failed links may have in common, and how it is called.
struct Failures::Kind {
  enum class Of { either_end, from, to, both_ways, one_way };
  std::string_view form;
  bool of_hosts;  // else of ranks
  Of of;
};

struct Failures::Group {
  const Kind* kind;
  Id id;
  std::int64_t failed, links;
};

struct Failures::Line {
  std::string text;
  bool is_ok_alone;  // every link that it covers
};

std::vector<const Failures::Kind*> Failures::kinds() {
  using enum Kind::Of;
  static constexpr Kind all[] = {
      {"host {}", true, either_end},
      {"from host {}", true, from},
      {"to host {}", true, to},
      {"rank {}", false, either_end},
      {"from rank {}", false, from},
      {"to rank {}", false, to},
      {"pair {} <-> {}", false, both_ways},
      {"hosts {} <-> {}", true, both_ways},
      {"host {} -> host {}", true, one_way},
  };
  std::vector<const Kind*> kinds;
  for (const auto& kind : all) kinds.push_back(&kind);
  return kinds;
}

void Failures::know(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of) {
  host_of_ = host_of;
  const auto hosts = static_cast<std::size_t>(*std::max_element(host_of.begin(), host_of.end()) + 1);
  host_names_.resize(hosts);
  ranks_on_.resize(hosts);
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const auto host = static_cast<std::size_t>(host_of[rank]);
    host_names_[host] = ranks[rank].host;
    ranks_on_[host].push_back(static_cast<int>(rank));
    rank_names_.push_back(fmt::format("{}:{}", ranks[rank].host, rank));
  }
  name_apart();
  sent_.resize(ranks.size());
  received_.resize(ranks.size());
  measured_.resize(ranks.size() * ranks.size());
}

// Two hosts of one name get their index behind it.
void Failures::name_apart() {
  std::map<std::string, int> often;
  for (const auto& host : host_names_) ++often[host];
  for (std::size_t i = 0; i < host_names_.size(); ++i)
    if (often[host_names_[i]] > 1) host_names_[i] += fmt::format(" (host {})", i);
}

std::string Failures::name(int rank) const { return rank_names_[static_cast<std::size_t>(rank)]; }

std::size_t Failures::number_of(const Sample& s) const { return s.from * rank_names_.size() + s.to; }

void Failures::add(const Sample& s) {
  const auto number = number_of(s);
  if (s.outcome == Outcome::local) {
    if (!measured_[number]) unmeasured_.insert(number);
    return;
  }
  unmeasured_.erase(number);
  if (!measured_[number]) {
    measured_[number] = true;
    ++links_, ++sent_[s.from], ++received_[s.to];
  }
  if (s.outcome == Outcome::ok) return;
  if (failed_.empty()) failed_.resize(measured_.size());
  if (failed_[number]) return;
  failed_[number] = true;
  ++count_;
  if (kept_.size() < kept_links) kept_[{static_cast<int>(s.from), static_cast<int>(s.to)}] = {s.outcome, {}};
}

void Failures::take_back(const Sample& s) {
  if (!kept_.erase({static_cast<int>(s.from), static_cast<int>(s.to)})) return;
  const auto number = number_of(s);
  measured_[number] = failed_[number] = false;
  --links_, --sent_[s.from], --received_[s.to], --count_;
}

void Failures::add_again(const Sample& s) {
  const auto link = kept_.find({static_cast<int>(s.from), static_cast<int>(s.to)});
  if (link != kept_.end()) link->second.again = s.outcome;
}

std::vector<std::pair<int, int>> Failures::to_try_again(std::span<const int> gone) const {
  constexpr int most_per_host = 3;
  std::map<int, int> of_host;
  std::set<std::pair<int, int>> pairs;
  for (const auto& [link, end] : kept_) {
    const std::pair<int, int> pair = std::minmax(link.first, link.second);
    const int a = host_of_[static_cast<std::size_t>(pair.first)],
              b = host_of_[static_cast<std::size_t>(pair.second)];
    if (is_among(gone, pair.first) || is_among(gone, pair.second) || pairs.contains(pair)) continue;
    if (of_host[a] >= most_per_host || of_host[b] >= most_per_host) continue;
    ++of_host[a];
    if (a != b) ++of_host[b];
    pairs.insert(pair);
  }
  return {pairs.begin(), pairs.end()};
}

std::int64_t Failures::not_tried_again() const {
  return count_ - std::count_if(kept_.begin(), kept_.end(),
                                [](const Link& link) { return link.second.again.has_value(); });
}

// A link belongs to up to two groups of a kind; (no_rank, no_rank): to none.
std::array<Failures::Id, 2> Failures::ids_of(const Kind& kind, const Link& link) const {
  const Id none{no_rank, no_rank};
  auto [from, to] = link.first;
  if (kind.of_hosts)
    from = host_of_[static_cast<std::size_t>(from)], to = host_of_[static_cast<std::size_t>(to)];
  switch (kind.of) {
    case Kind::Of::either_end: return {Id{from, no_rank}, from == to ? none : Id{to, no_rank}};
    case Kind::Of::from: return {Id{from, no_rank}, none};
    case Kind::Of::to: return {Id{to, no_rank}, none};
    case Kind::Of::both_ways: return {from == to ? none : Id{std::minmax(from, to)}, none};
    case Kind::Of::one_way: return {from == to ? none : Id{from, to}, none};
  }
  return {none, none};
}

bool Failures::is_in(const Kind& kind, const Id& id, const Link& link) const {
  const auto ids = ids_of(kind, link);
  return ids[0] == id || ids[1] == id;
}

std::int64_t Failures::links_between(int from_host, int to_host) const {
  std::int64_t links = 0;
  for (const int from : ranks_on_[static_cast<std::size_t>(from_host)])
    for (const int to : ranks_on_[static_cast<std::size_t>(to_host)])
      links += measured_[static_cast<std::size_t>(from) * rank_names_.size() + static_cast<std::size_t>(to)];
  return links;
}

// How many links of a group were measured.
std::int64_t Failures::links_of(const Kind& kind, const Id& id) const {
  const auto [a, b] = id;
  const auto between = [&](int from, int to) {
    return kind.of_hosts ? links_between(from, to)
                         : std::int64_t{measured_[static_cast<std::size_t>(from) * rank_names_.size() +
                                                  static_cast<std::size_t>(to)]};
  };
  if (kind.of == Kind::Of::one_way) return between(a, b);
  if (kind.of == Kind::Of::both_ways) return between(a, b) + between(b, a);
  const std::vector<int> one{a};
  std::int64_t sent = 0, received = 0;
  for (const int rank : kind.of_hosts ? ranks_on_[static_cast<std::size_t>(a)] : one)
    sent += sent_[static_cast<std::size_t>(rank)], received += received_[static_cast<std::size_t>(rank)];
  if (kind.of == Kind::Of::from) return sent;
  if (kind.of == Kind::Of::to) return received;
  return sent + received - (kind.of_hosts ? links_between(a, a) : 0);
}

// What covers most of the links still open, where at least half of its links failed; of two the one with
// fewer healthy links.
std::optional<Failures::Group> Failures::best_group(const std::vector<const Link*>& open) const {
  std::optional<Group> best;
  for (const auto* kind : kinds()) {
    std::map<Id, std::int64_t> failed;
    for (const auto* link : open)
      for (const auto& id : ids_of(*kind, *link))
        if (id.first != no_rank) ++failed[id];
    for (const auto& [id, count] : failed) {
      if (count < 2 || (best && count < best->failed)) continue;
      const auto all = links_of(*kind, id);
      const bool is_worth_it = (count >= fewest_of_group && 2 * count >= all) || count == all;
      if (is_worth_it && (!best || count > best->failed || all < best->links))
        best = Group{.kind = kind, .id = id, .failed = count, .links = all};
    }
  }
  return best;
}

std::string Failures::name_of(const Kind& kind, const Id& id) const {
  const auto one = [&](int i) {
    const auto& names = kind.of_hosts ? host_names_ : rank_names_;
    return i == no_rank ? "" : names[static_cast<std::size_t>(i)];
  };
  return fmt::format(fmt::runtime(kind.form), one(id.first), one(id.second));
}

// Also of links that an earlier line covers.
Failures::Line Failures::line_of(const Group& group) const {
  std::map<Outcome, std::size_t> counts;
  std::size_t failed = 0;
  bool is_ok_alone = true;
  for (const auto& link : kept_) {
    if (!is_in(*group.kind, group.id, link)) continue;
    ++counts[link.second.outcome], ++failed;
    is_ok_alone &= link.second.again == Outcome::ok;
  }
  const bool is_pair = !group.kind->of_hosts && group.kind->of == Kind::Of::both_ways;
  const std::string which = is_pair ? "both links" : fmt::format("{} of {} links", failed, group.links);
  return {fmt::format("{}: {} {}", name_of(*group.kind, group.id), which, text_of(counts)), is_ok_alone};
}

// All of them, or groups, then single links. Those that were ok alone come last.
std::vector<std::string> Failures::lines() const {
  std::vector<Line> lines;
  std::vector<const Link*> open;
  for (const auto& link : kept_) open.push_back(&link);
  if (count_ > 1 && count_ == links_) {
    std::map<Outcome, std::size_t> counts;
    for (const auto* link : open) ++counts[link->second.outcome];
    lines.push_back({fmt::format("all links: {} of {} links {}", count_, links_, text_of(counts)), false});
    open.clear();
  }
  for (auto group = best_group(open); group && lines.size() < shown_lines; group = best_group(open)) {
    lines.push_back(line_of(*group));
    std::erase_if(open, [&](const Link* link) { return is_in(*group->kind, group->id, *link); });
  }
  std::size_t shown = 0;
  for (; shown < open.size() && lines.size() < shown_lines; ++shown) {
    const auto& [link, end] = *open[shown];
    lines.push_back(
        {fmt::format("link {} -> {}: {}", name(link.first), name(link.second), said_of(end.outcome)),
         end.again == Outcome::ok});
  }
  std::stable_partition(lines.begin(), lines.end(), [](const Line& line) { return !line.is_ok_alone; });
  std::vector<std::string> texts;
  for (const auto& line : lines) texts.push_back(line.text);
  const auto more = open.size() - shown + static_cast<std::size_t>(count_) - kept_.size();
  if (more && !(count_ > 1 && count_ == links_)) texts.push_back("and " + text_of_count(more, "more link"));
  add_again_lines(texts);
  return texts;
}

void Failures::add_again_lines(std::vector<std::string>& lines) const {
  std::map<bool, std::vector<std::string>> names;  // by whether it was ok
  for (const auto& [link, end] : kept_)
    if (end.again)
      names[*end.again == Outcome::ok].push_back(
          fmt::format("{} -> {}", name(link.first), name(link.second)));
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

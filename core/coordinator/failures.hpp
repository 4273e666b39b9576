// Failed links, folded into few lines: one line for a host whose links all failed, not one for each of them.
// By the rules of links/failed.py, so that `everylink show` prints the same lines of the file.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/outcome.hpp"
#include "base/rank_facts.hpp"
#include "base/sample.hpp"

namespace everylink {

class Failures {
 public:
  void know(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of);
  void add(
      const Sample&);  // every row of the main run; a link counts once, and failed if any of its rows did
  void take_back(const Sample&);  // it came late, and is ok
  void add_again(const Sample&);  // of a link that was tried once more, alone
  // Pairs to be tried once more: at most 3 per host, none with a rank that is gone.
  std::vector<std::pair<int, int>> to_try_again(std::span<const int> gone) const;
  std::int64_t not_tried_again() const;
  std::string name(int rank) const;  // host:rank
  std::int64_t count() const { return count_; }
  std::int64_t links() const { return links_; }  // that were measured, whether they failed or not
  std::int64_t unmeasured() const { return static_cast<std::int64_t>(unmeasured_.size()); }  // and never ok
  int hosts() const { return static_cast<int>(host_names_.size()); }
  std::vector<std::string> lines() const;  // what covers most failed links first

 private:
  using Id = std::pair<int, int>;  // of one host or rank, and no_rank; or of two
  struct End {
    Outcome outcome;
    std::optional<Outcome> again;
  };
  using Link = std::pair<const Id, End>;  // a failed one, by (from, to)
  struct Kind;
  struct Group;
  struct Line;
  void name_apart();
  std::size_t number_of(const Sample&) const;
  static std::vector<const Kind*> kinds();
  std::array<Id, 2> ids_of(const Kind&, const Link&) const;
  bool is_in(const Kind&, const Id&, const Link&) const;
  std::int64_t links_of(const Kind&, const Id&) const;
  std::int64_t links_between(int from_host, int to_host) const;
  std::optional<Group> best_group(const std::vector<const Link*>& open) const;
  std::string name_of(const Kind&, const Id&) const;
  Line line_of(const Group&) const;
  void add_again_lines(std::vector<std::string>&) const;

  std::vector<std::string> rank_names_, host_names_;
  std::vector<int> host_of_;
  std::vector<std::vector<int>> ranks_on_;     // of each host
  std::vector<std::int64_t> sent_, received_;  // links that were measured from each rank, and to it
  std::vector<bool> measured_, failed_;        // of each link, whose number is from * ranks + to
  std::map<Id, End> kept_;                     // failed links; of very many the first
  std::set<std::size_t> unmeasured_;           // numbers of links that a host could not measure
  std::int64_t count_ = 0, links_ = 0;
};

}  // namespace everylink

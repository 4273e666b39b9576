// Failed links, folded into what a person can read: a line for a host or a rank where that covers them.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/rank_facts.hpp"
#include "base/sample.hpp"

namespace everylink {

class Failures {
 public:
  void know(const std::vector<RankFacts>& ranks, const std::vector<int>& host_of);
  void add(const Sample&);        // every row of the main run, whatever its outcome
  void take_back(const Sample&);  // it came late, and is ok
  void add_again(const Sample&);  // of a link that was tried once more, alone
  // Pairs to be tried once more: at most 3 a host, none with a rank that is gone.
  std::vector<std::pair<int, int>> to_try_again(std::span<const int> gone) const;
  std::int64_t not_tried_again() const;
  std::string name(int rank) const;  // host:rank
  std::int64_t count() const { return count_; }
  int hosts() const { return static_cast<int>(host_names_.size()); }
  std::vector<std::string> lines() const;  // worst first

 private:
  struct Link {
    int from, to;
    Outcome outcome;
    std::optional<Outcome> again;
  };
  struct Group {
    bool whole_host;  // else a rank
    int id;
    std::int64_t failed, links;
  };
  void name_apart();
  std::string what_of(const std::vector<const Link*>&) const;
  std::optional<Group> best_group(const std::vector<const Link*>& open) const;
  bool is_in(const Group&, const Link&) const;
  void add_pairs_and_links(std::vector<std::string>& lines, const std::vector<const Link*>& open) const;
  void add_again_lines(std::vector<std::string>&) const;

  std::vector<std::string> rank_names_, host_names_;
  std::vector<int> host_of_;
  std::vector<std::int64_t> links_of_, links_of_rank_;  // of each host, of each rank
  std::vector<Link> kept_;
  std::int64_t count_ = 0, links_ = 0;
};

}  // namespace everylink

// What rank 0 keeps up beside the rows, for pairs and for patterns alike.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/types.hpp"
#include "record/recorder.hpp"

namespace everylink {

// Sentences about the run, once each.
class Remarks {
 public:
  void add(const std::string& text) {
    constexpr std::size_t most = 1000;
    if (all_.size() >= most || std::find(all_.begin(), all_.end(), text) != all_.end()) return;
    all_.push_back(text);
  }
  const std::vector<std::string>& all() const { return all_; }

 private:
  std::vector<std::string> all_;
};

// Commits what was recorded once a second of real time: so much is lost at most.
class Commits {
 public:
  explicit Commits(Recorder& recorder) : recorder_(recorder) {}
  void start() { last_ = steady_now(); }
  // Whether all that was recorded is in the file now.
  bool if_due(bool at_once) {
    constexpr Seconds every = 1;
    if (!at_once && steady_now() < last_ + every) return false;
    recorder_.commit();
    start();
    return true;
  }

 private:
  Recorder& recorder_;
  Seconds last_ = 0;
};

}  // namespace everylink

// What a supervisor and the ranks that it started know of each other during the start: memory that their
// processes share.
#pragma once

#include <atomic>
#include <cstddef>
#include <span>

namespace everylink {

class Attendance {
 public:
  explicit Attendance(int ranks);  // of the whole run
  ~Attendance();
  Attendance(const Attendance&) = delete;
  Attendance& operator=(const Attendance&) = delete;

  // The process of this rank has ended, as the process that started it knows.
  void note_ended(int rank) { flags_[index(rank)] = true; }
  bool has_ended(int rank) const { return flags_[index(rank)]; }
  // A rank of this host has begun the run. Before that, ranks have nothing to lose.
  void note_begun() { flags_[0] = true; }
  bool has_begun() const { return flags_[0]; }

 private:
  using Flag = std::atomic<bool>;
  static_assert(Flag::is_always_lock_free && sizeof(Flag) == 1);  // works between processes
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank) + 1; }

  std::span<Flag> flags_;  // the first one: the run has begun
};

}  // namespace everylink

// Files that describe a host, below a root. One that does not answer holds nothing up.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "host/inventory/notes.hpp"

namespace everylink::inventory {

// What the threads of one reading share. A thread that hangs keeps its own for ever.
struct Pass;

// Reads for one thread. Every answer is remembered: a second thread goes on where the first one hung. Paths
// are relative to the root: "sys/class/net".
class Files {
 public:
  Files(std::string root, std::shared_ptr<Pass>);

  // A value of at most 256 printable characters, without the white space around it. "": an empty file.
  Answer text(const std::string& path) const;
  // The same, read anew.
  Answer text_now(const std::string& path) const;
  // The first bytes of a file, whatever they are.
  static constexpr std::size_t longest_file = 1 << 16;
  Answer bytes(const std::string& path, std::size_t most = longest_file) const;
  // Names in a folder, sorted; none if there is no such folder.
  std::vector<std::string> names(const std::string& folder) const;
  // The path without symbolic links, if it stays below the root.
  Answer real(const std::string& path) const;
  // The last component of what a symbolic link points to.
  Answer target(const std::string& path) const;
  // Whatever else may hang.
  Answer ask(const std::string& what, const std::function<Answer()>&) const;
  // The system itself, which can be asked for more than its files: the root is "/".
  bool is_system() const { return root_.empty(); }

 private:
  Answer attempt(const std::string& key, bool anew, const std::function<Answer()>&) const;

  std::string root_;  // without a slash at the end
  std::shared_ptr<Pass> pass_;
};

// The value of a file, as in `text`: nothing if it is not printable.
Answer plain(std::string text);

// A thread that reads. What does not answer within 200 ms is not known, and neither is anything else in its
// folder: a driver that hangs would hang on each.
class Reading {
 public:
  using Work = std::function<void(const Files&, Notes&)>;  // owns all that it uses; may be called again
  // `hung`: folders that did not answer before; no thread tries them again. Never throws: a thread that
  // cannot be started has read nothing.
  Reading(std::string root, Work, std::set<std::string>& hung);
  ~Reading();  // abandons a thread that is not done
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  // Waits until the work is done, which takes at most about a second from here. Nothing: it is not done.
  std::optional<Notes> finish();
  unsigned unread() const;

 private:
  void start();
  bool goes_on_after_hanging();

  const std::string root_;
  const Work work_;
  std::set<std::string>& hung_;
  std::shared_ptr<Pass> pass_;
  std::thread thread_;  // of the pass
};

}  // namespace everylink::inventory

// Reads on a thread of its own, which is abandoned when it hangs.
#include "host/inventory/files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <cstdlib>
#include <limits>
#include <map>
#include <mutex>
#include <new>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "base/descriptor.hpp"
#include "base/seconds.hpp"
#include "host/signals.hpp"

namespace everylink::inventory {

namespace {

constexpr Seconds longest_answer = 0.2, longest_reading = 1;
constexpr std::size_t most_names = 4096;
constexpr char between_names = '\0';

struct Abandoned {};

std::string folder_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

// Opening may block: O_NONBLOCK would not help in a driver's file.
Answer read_bytes(const std::string& path, std::size_t most) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY));
  if (!file.is_open()) return {};
  std::string bytes(most, '\0');
  std::size_t held = 0;
  while (held < most) {
    const ssize_t n = ::read(file.fd(), bytes.data() + held, most - held);
    if (n < 0) return {};
    if (n == 0) break;
    held += static_cast<std::size_t>(n);
  }
  bytes.resize(held);
  return bytes;
}

Answer read_names(const std::string& folder) {
  const std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(folder.c_str()), ::closedir);
  if (!open) return {};
  std::vector<std::string> names;
  while (const dirent* entry = ::readdir(open.get())) {
    const std::string name = entry->d_name;
    if (!name.starts_with('.') && HostReading::is_plain(name)) names.push_back(name);
    if (names.size() == most_names) break;
  }
  std::sort(names.begin(), names.end());
  std::string all;
  for (const auto& name : names) all += name + between_names;
  return all;
}

Answer read_real(const std::string& path, const std::string& root) {
  const std::unique_ptr<char, void (*)(void*)> real(::realpath(path.c_str(), nullptr), std::free);
  const std::unique_ptr<char, void (*)(void*)> top(::realpath(root.empty() ? "/" : root.c_str(), nullptr),
                                                   std::free);
  if (!real || !top) return {};
  std::string start = top.get();
  if (start != "/") start += '/';
  const std::string found = real.get();
  if (!found.starts_with(start)) return {};
  return found.substr(start.size());
}

Answer read_target(const std::string& path) {
  std::string target(PATH_MAX, '\0');
  const ssize_t n = ::readlink(path.c_str(), target.data(), target.size());
  if (n <= 0) return {};
  target.resize(static_cast<std::size_t>(n));
  return plain(target.substr(target.rfind('/') + 1));
}

}  // namespace

struct Pass {
  std::mutex mutex;
  std::condition_variable done_changed;
  std::map<std::string, Answer> known;
  std::set<std::string> hung;     // folders
  std::set<std::string> refused;  // what was not even tried
  std::string current, folder;    // what is being asked for, and its folder; "": nothing
  Seconds began = 0;
  Seconds ends = std::numeric_limits<Seconds>::infinity();  // nothing new is tried any more
  unsigned hangs = 0;
  bool abandoned = false, done = false, complete = false;
  Notes notes;
};

Answer plain(std::string text) {
  const auto is_space = [](char letter) { return letter == ' ' || letter == '\n' || letter == '\t'; };
  while (!text.empty() && (is_space(text.back()) || text.back() == '\0')) text.pop_back();
  text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_space));
  for (char& letter : text) {
    if (letter == '\n' || letter == '\t') letter = ' ';
    if ((letter >= 0 && letter < ' ') || letter == 0x7f) return {};  // not a text
    if (letter < 0) letter = '?';
  }
  if (text.size() > HostReading::longest_text) text.resize(HostReading::longest_text);
  return text;
}

Files::Files(std::string root, std::shared_ptr<Pass> pass) : root_(std::move(root)), pass_(std::move(pass)) {
  while (root_.ends_with('/')) root_.pop_back();
}

Answer Files::attempt(const std::string& key, bool anew, const std::function<Answer()>& read) const {
  Pass& pass = *pass_;
  {
    const std::lock_guard lock(pass.mutex);
    if (pass.abandoned) throw Abandoned();
    if (const auto found = pass.known.find(key); found != pass.known.end() && !anew) return found->second;
    const Seconds now = steady_now();
    if (pass.hung.contains(folder_of(key)) || now > pass.ends) {
      pass.refused.insert(key);
      return {};
    }
    pass.current = key;
    pass.began = now;
  }
  Answer answer = read();
  const std::lock_guard lock(pass.mutex);
  if (pass.abandoned) throw Abandoned();
  pass.current.clear();
  return pass.known[key] = std::move(answer);
}

Answer Files::text(const std::string& path) const {
  const auto bytes = this->bytes(path, 2 * HostReading::longest_text);
  return bytes ? plain(*bytes) : Answer();
}

Answer Files::text_now(const std::string& path) const {
  const auto bytes =
      attempt(path, true, [&] { return read_bytes(root_ + "/" + path, HostReading::longest_text); });
  return bytes ? plain(*bytes) : Answer();
}

Answer Files::bytes(const std::string& path, std::size_t most) const {
  return attempt(path + "?" + std::to_string(most), false,
                 [&] { return read_bytes(root_ + "/" + path, most); });
}

std::vector<std::string> Files::names(const std::string& folder) const {
  std::vector<std::string> names;
  const auto all = attempt(folder + "/", false, [&] { return read_names(root_ + "/" + folder); });
  std::string name;
  for (const char letter : all.value_or("")) {
    if (letter != between_names)
      name += letter;
    else
      names.push_back(std::exchange(name, {}));
  }
  return names;
}

Answer Files::real(const std::string& path) const {
  return attempt(path + "//", false, [&] { return read_real(root_ + "/" + path, root_); });
}

Answer Files::target(const std::string& path) const {
  return attempt(path + "///", false, [&] { return read_target(root_ + "/" + path); });
}

Answer Files::ask(const std::string& what, const std::function<Answer()>& question) const {
  return attempt(what, false, question);
}

Reading::Reading(std::string root, Work work, std::set<std::string>& hung)
    : root_(std::move(root)), work_(std::move(work)), hung_(hung), pass_(std::make_shared<Pass>()) {
  pass_->hung = hung_;
  start();
}

Reading::~Reading() {
  const std::lock_guard lock(pass_->mutex);
  pass_->abandoned = true;
  if (thread_.joinable()) thread_.detach();
}

// Signals stay with the threads of the program: one that this thread took would not end its waits.
void Reading::start() {
  const auto body = [root = root_, work = work_, pass = pass_] {
    Notes notes;
    bool complete = false;
    try {
      work(Files(root, pass), notes);
      complete = true;
    } catch (const Abandoned&) {
      return;
    } catch (const std::exception&) {  // no memory
    }
    const std::lock_guard lock(pass->mutex);
    pass->notes = std::move(notes);
    pass->complete = complete;
    pass->done = true;
    pass->done_changed.notify_all();
  };
  const SignalsBlocked in_the_thread;
  if (thread_.joinable()) thread_.detach();  // it hangs
  try {
    thread_ = std::thread(body);
  } catch (const std::exception&) {
    pass_->done = true;
  }
}

// The thread that hangs keeps its pass; the next one gets what is known so far.
bool Reading::goes_on_after_hanging() {
  if (pass_->current.empty() || steady_now() < pass_->began + longest_answer) return false;
  auto next = std::make_shared<Pass>();
  pass_->abandoned = true;
  next->known = std::move(pass_->known);
  next->known[pass_->current] = {};
  hung_.insert(folder_of(pass_->current));
  next->hung = hung_;
  next->ends = pass_->ends;
  next->hangs = pass_->hangs + 1;
  pass_ = std::move(next);
  return true;
}

std::optional<Notes> Reading::finish() {
  constexpr auto between_looks = std::chrono::milliseconds(10);
  const Seconds last = steady_now() + longest_reading + 2 * longest_answer;
  {
    const std::lock_guard lock(pass_->mutex);
    pass_->ends = steady_now() + longest_reading;
  }
  for (;;) {
    const auto pass = pass_;  // must outlive its lock
    std::unique_lock lock(pass->mutex);
    pass->done_changed.wait_for(lock, between_looks, [&] { return pass->done; });
    if (pass->done) break;
    if (steady_now() > last) return {};
    if (!goes_on_after_hanging()) continue;
    lock.unlock();
    start();
  }
  if (thread_.joinable()) thread_.join();
  return pass_->complete ? std::optional(std::move(pass_->notes)) : std::nullopt;
}

unsigned Reading::unread() const {
  const std::lock_guard lock(pass_->mutex);
  return pass_->hangs + static_cast<unsigned>(pass_->refused.size());
}

}  // namespace everylink::inventory

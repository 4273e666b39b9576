// Where the key of a run comes from.
#include "bootstrap/key.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <span>
#include <string_view>

#include "base/environment.hpp"
#include "base/errors.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

constexpr std::size_t longest_key = 1024;

Key key_in_file(const std::string& path) {
  const Socket file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  const auto complain = [&](const std::string& why) {
    throw UsageError(fmt::format("EVERYLINK_KEY_FILE={}: {}", path, why));
  };
  struct stat about {};
  if (!file || ::fstat(file.fd(), &about) < 0) complain(std::strerror(errno));
  if (!S_ISREG(about.st_mode)) complain("is not a file");
  // A secret that Kubernetes mounts for a user belongs to root and to a group of that user.
  const bool given_by_root = about.st_uid == 0 && ::geteuid() != 0;
  const mode_t others = given_by_root ? S_IROTH : S_IRGRP | S_IROTH;
  if (about.st_mode & others) complain("others can read it; restrict it with chmod 600");
  char text[longest_key + 2];
  const ssize_t n = ::read(file.fd(), text, sizeof text);
  if (n < 0) complain(std::strerror(errno));
  std::string_view key(text, static_cast<std::size_t>(n));
  while (!key.empty() && (key.back() == '\n' || key.back() == '\r')) key.remove_suffix(1);
  if (key.empty()) complain("is empty; create a key with openssl rand -hex 32");
  if (key.size() > longest_key) complain(fmt::format("is longer than {} bytes", longest_key));
  const View bytes = std::as_bytes(std::span(key));
  return {bytes.begin(), bytes.end()};
}

}  // namespace

Key random_key() {
  Key key(32);
  draw(key);
  return key;
}

Key key_from_variables() {
  const std::string text = variable("EVERYLINK_KEY"), path = variable("EVERYLINK_KEY_FILE");
  if (!text.empty() && !path.empty())
    throw UsageError("EVERYLINK_KEY and EVERYLINK_KEY_FILE are both set; set only one of them");
  if (text.size() > longest_key)
    throw UsageError(fmt::format("EVERYLINK_KEY is longer than {} bytes", longest_key));
  if (!path.empty()) return key_in_file(path);
  const View bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

void must_share_a_key(const Key& key, const std::string& where) {
  if (key.empty())
    throw UsageError(fmt::format(
        "{} can be reached from other machines, so the ranks must share a key: set EVERYLINK_KEY or "
        "EVERYLINK_KEY_FILE=PATH to the same value for every rank (create one with openssl rand -hex 32)",
        where));
}

}  // namespace everylink

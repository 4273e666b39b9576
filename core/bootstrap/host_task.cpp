// Parses the lines of `everylink run --hosts`.
#include "bootstrap/host_task.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/ranks.hpp"
#include "base/units.hpp"

namespace everylink {

bool HostTask::obey(const std::string& line) {
  const auto words = split(line, ' ');
  if (words[0] == "go") {
    const bool whole =
        first >= 0 && count > 0 && count <= size - first && size > 1 && !key.empty() && !meet.empty();
    if (!whole) throw UsageError("--bootstrap stdin: ranks, a key and a place to meet are required");
    return true;
  }
  if (words[0] == "ranks") {
    first = number(words, 1);
    count = number(words, 2);
    size = number(words, 3);
  } else if (words[0] == "cores") {
    core_index = number(words, 1);
    core_of = number(words, 2);
  } else if (words[0] == "host" && words.size() == 4) {
    hosts.push_back({number(words, 1), number(words, 2), words[3]});
  } else if (words[0] == "key" && words.size() == 2) {
    key = words[1];
  } else if (words[0] == "meet" && words.size() == 2) {
    meet = words[1];
  } else if (words[0] != "alive") {  // the rest might be the key
    throw UsageError(fmt::format("--bootstrap stdin: everylink run does not send '{}'", words[0]));
  }
  return false;
}

Key HostTask::key_bytes() const {
  const View bytes = std::as_bytes(std::span(key));
  return {bytes.begin(), bytes.end()};
}

std::vector<std::string> HostTask::hosts_by_rank() const {
  std::vector<std::string> all(hosts.empty() ? 0 : static_cast<std::size_t>(size));
  for (const auto& one : hosts)
    for (int rank = one.first; rank < std::min(one.first + one.count, size); ++rank)
      all[static_cast<std::size_t>(rank)] = one.name;
  return all;
}

int HostTask::number(const std::vector<std::string>& words, std::size_t which) {
  const auto value = which < words.size() ? parse_integer(words[which], "--bootstrap stdin") : -1;
  if (value < 0 || value > most_ranks)
    throw UsageError("--bootstrap stdin: a number is missing or out of range");
  return static_cast<int>(value);
}

}  // namespace everylink

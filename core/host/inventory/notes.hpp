// Facts and counters of the parts of a host, as they are read.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/host_reading.hpp"

namespace everylink::inventory {

using Answer = std::optional<std::string>;  // nothing: not known

struct Notes {
  using Key = std::pair<std::string, std::string>;  // part, name
  std::map<Key, std::string> facts;
  std::map<Key, std::uint64_t> counters;
  std::map<std::string, std::string> folders;  // of PCI functions, by part

  // Neither keeps what is not known; a counter is a number in decimal digits.
  void fact(const std::string& part, const std::string& name, const Answer& value);
  void counter(const std::string& part, const std::string& name, const Answer& value);
  // "a, b, c"; a list that is too long for one text goes on in `name`/1, `name`/2 ...
  void list(const std::string& part, const std::string& name, const std::vector<std::string>& values,
            const std::string& separator = ", ");
};

std::optional<std::uint64_t> count_in(const std::string& text);

// What differs from `before`: a fact that is no longer known has the value "".
HostReading changes(const Notes& before, const Notes& now);

}  // namespace everylink::inventory

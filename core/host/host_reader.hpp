// Reads what this host is and what it counts. Reading takes milliseconds, holds nothing up, and needs no
// privilege.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "base/host_reading.hpp"
#include "host/inventory/notes.hpp"

namespace everylink {

// The root of the files that describe host `host`: EVERYLINK_SYSFS, in which %h stands for the host's name;
// "/" if it is not set. Nothing: it is "none", so nothing is to be read.
std::optional<std::string> root_of_host(const std::string& host);

class HostReader {
 public:
  // `libraries`: what carries the messages, as the transport says. `gpus_carry`: messages lie in memory of
  // GPUs.
  HostReader(std::string root, std::string libraries, bool gpus_carry = false);
  ~HostReader();

  // The first reading has everything, each later one what changed since. Nothing: it could not be read.
  std::optional<HostReading> read(std::uint32_t number, Moment);
  // The next reading has everything again: the last one may not have arrived.
  void forget();

  // Between the two, a thread watches speed and width of PCIe. Call them around traffic that is not timed.
  void begin_watching();
  std::optional<HostReading> end_watching(std::uint32_t number);

 private:
  struct Watch;
  std::optional<HostReading> changed(std::uint32_t number, Moment, Seconds began, inventory::Notes,
                                     unsigned unread);
  void wait_for_counters() const;

  const std::string root_, libraries_;
  const bool gpus_carry_;
  std::set<std::string> hung_;  // folders that did not answer
  inventory::Notes last_;
  std::unique_ptr<Watch> watch_;
};

}  // namespace everylink

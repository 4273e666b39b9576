// The ranks that a host starts in a run over several hosts.
//
// `everylink run --hosts` starts everylink-measure --bootstrap stdin on each host and writes lines to its
// standard input, so that nobody sees the key of the run:
//
//   ranks FIRST COUNT SIZE    this host has COUNT of SIZE ranks, starting with FIRST
//   cores INDEX OF            on this machine they are numbers INDEX and up, of OF
//   key TEXT
//   meet ADDRESS,ADDRESS      where rank 0 listens; `any`, `loopback`: it is on this host and listens there
//   host FIRST COUNT NAME     to rank 0's host, for each host of the run: how the user named it
//   go
//
// Rank 0's host answers `everylink-meets ADDRESS,ADDRESS` in a line of its standard output; other hosts write
// `everylink-lost RANK` when a rank ends before the run has begun. Later lines of the input are `signal
// NUMBER`, `alive` every few seconds, `end` once rank 0 has ended, and `lost FIRST COUNT` to rank 0's host:
// these ranks have ended on other hosts. When the input ends or is silent for long, the process that started
// the ranks is lost, and the ranks are ended.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bootstrap/key.hpp"

namespace everylink {

struct HostTask {
  int first = -1, count = 0, size = 0, core_index = 0, core_of = 0;
  std::string key = {}, meet = {};
  struct Host {
    int first, count;
    std::string name;
  };
  std::vector<Host> hosts = {};

  // Takes what a line says; true: it was the last one. Throws UsageError.
  bool obey(const std::string& line);
  Key key_bytes() const;
  std::vector<std::string> hosts_by_rank() const;  // empty: not known

  // A word as the number of a rank, of ranks or of a signal. Throws UsageError.
  static int number(const std::vector<std::string>& words, std::size_t which);
};

}  // namespace everylink

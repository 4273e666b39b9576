// /inventory of a results file: what was read of the hosts (docs/results-file.md).
#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/host_reading.hpp"
#include "record/hdf5_table.hpp"
#include "record/recorder.hpp"

namespace everylink::hdf5 {

class Inventory {
 public:
  static void make(hid_t file, std::size_t hosts, std::size_t ranks);
  static bool is_in(hid_t file);   // not in an older file, nor where hosts are simulated
  explicit Inventory(hid_t file);  // goes on where the file ends
  void add(const ReadingRow&);
  void add(std::uint32_t reading, int rank, const Carried&);
  void add(int rank, const Retransmits&);
  void write();
  void abandon();

 private:
  static Table open(hid_t file, const char* table);
  std::uint32_t row_of(const std::string& text);

  Table texts_, facts_, counters_, readings_, carried_, retransmits_;
  std::unordered_map<std::string, std::uint32_t> rows_;  // of texts
  std::uint32_t first_reading_ = 0;                      // of this process
};

}  // namespace everylink::hdf5

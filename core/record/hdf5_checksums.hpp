// Checksums of the rows of a table (docs/results-file.md): /checksums/TABLE.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "record/hdf5_columns.hpp"

namespace everylink::hdf5 {

// Of some rows of a table, the CRC-32 of each column.
struct Batch {
  std::uint64_t first = 0;
  std::uint32_t rows = 0;
  std::vector<std::uint32_t> crc32;
  bool is_whole = false;  // the checksum of these fits
};

class Checksums {
 public:
  static void make(hid_t file, const std::string& table, const std::vector<ColumnKind>& kinds);
  static bool are_in(hid_t file, const std::string& table);  // not in an older file
  static std::vector<Batch> in(hid_t file, const std::string& table, std::size_t columns);
  // Goes on behind the checksums of the first `rows` rows of the table.
  Checksums(hid_t file, const std::string& table, const std::vector<ColumnKind>& kinds, hsize_t rows);
  // Of the rows that wait in the columns of the table.
  void add(const std::vector<Column>&);
  void write() { entries_.write(); }
  void abandon() { entries_.abandon(); }

 private:
  Column entries_;
};

}  // namespace everylink::hdf5

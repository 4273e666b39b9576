// A table of a results file: columns of the same length that grow together.
#pragma once

#include <hdf5.h>

#include <optional>
#include <string>
#include <vector>

#include "record/hdf5_checksums.hpp"
#include "record/hdf5_columns.hpp"

namespace everylink::hdf5 {

class Table {
 public:
  // A group of empty columns, and a place for the checksums of each batch.
  static Handle make(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds,
                     hsize_t chunk);
  // One empty column in a group that there is, with checksums under a path of its own.
  static void make_column(hid_t file, const std::string& path, const ColumnKind&, hsize_t chunk,
                          const std::string& checksums);
  // The rows before the first one that does not fit its checksum: a kill or a write that failed may leave
  // more, and columns of different lengths.
  static hsize_t whole_rows(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds,
                            const std::string& checksums);
  // Goes on behind the first `written` rows. An older file has no checksums.
  Table(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds, hsize_t written)
      : Table(file, path, kinds, written, path) {}
  Table(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds, hsize_t written,
        const std::string& checksums);

  // One value per column, in order. add_more fills columns that not every table has.
  template <class... Values>
  void add(Values... values) {
    std::size_t i = 0;
    (columns_[i++].add(values), ...);
    filled_ = i;
  }
  template <class... Values>
  void add_more(Values... values) {
    (columns_[filled_++].add(values), ...);
  }
  hsize_t length() const { return columns_.front().length(); }
  void write();
  void abandon();

 private:
  std::vector<Column> columns_;
  std::optional<Checksums> checksums_;
  std::size_t filled_ = 0;
};

}  // namespace everylink::hdf5

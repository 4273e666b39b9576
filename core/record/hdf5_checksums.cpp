// Checksums of the rows of a table.
#include "record/hdf5_checksums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/crc32.hpp"

namespace everylink::hdf5 {
namespace {

// The longest batch: so much is left out for one flipped bit. No batch crosses a multiple of it, so that a
// reader which takes a multiple of it at a time finds each batch whole.
constexpr hsize_t longest_batch = 4096;
constexpr hsize_t entries_per_chunk = 64;

// An entry: first row, rows, the checksum of each column, and that of all these.
constexpr std::size_t before_columns = sizeof(std::uint64_t) + sizeof(std::uint32_t);

std::size_t bytes_of_entry(std::size_t columns) {
  return before_columns + (columns + 1) * sizeof(std::uint32_t);
}

std::string path_of(const std::string& table) { return "checksums/" + table; }

Handle type_of_entry(std::size_t columns) {
  Handle type(H5Tcreate(H5T_COMPOUND, bytes_of_entry(columns)), H5Tclose);
  const hsize_t length = columns;
  const Handle of_columns(H5Tarray_create2(H5T_NATIVE_UINT32, 1, &length), H5Tclose);
  check(H5Tinsert(type, "first", 0, H5T_NATIVE_UINT64), "H5Tinsert");
  check(H5Tinsert(type, "rows", sizeof(std::uint64_t), H5T_NATIVE_UINT32), "H5Tinsert");
  check(H5Tinsert(type, "crc32", before_columns, of_columns), "H5Tinsert");
  check(H5Tinsert(type, "own", bytes_of_entry(columns) - sizeof(std::uint32_t), H5T_NATIVE_UINT32),
        "H5Tinsert");
  return type;
}

// Entries of the first `rows` rows; behind them may be some of a batch that was never committed, or of which
// only the length was written.
hsize_t entries_of(hid_t file, const std::string& table, std::size_t columns, hsize_t rows) {
  const auto batches = Checksums::in(file, table, columns);
  const auto is_beyond = [rows](const Batch& batch) {
    return batch.rows == 0 || batch.first >= rows || batch.rows > rows - batch.first;
  };
  return static_cast<hsize_t>(std::find_if(batches.begin(), batches.end(), is_beyond) - batches.begin());
}

}  // namespace

void Checksums::make(hid_t file, const std::string& table, const std::vector<ColumnKind>& kinds) {
  const Handle parents(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
  check(H5Pset_create_intermediate_group(parents, 1), "H5Pset_create_intermediate_group");
  Column::make(file, path_of(table), type_of_entry(kinds.size()), entries_per_chunk, parents);
  std::vector<std::string> names;
  for (const auto& kind : kinds) names.emplace_back(kind.name);
  const Handle set(H5Dopen2(file, path_of(table).c_str(), H5P_DEFAULT), H5Dclose);
  put(set, "columns", fmt::format("{}", fmt::join(names, ",")));
}

bool Checksums::are_in(hid_t file, const std::string& table) {
  const std::string path = path_of(table);
  for (auto end = path.find('/'); end != std::string::npos; end = path.find('/', end + 1))
    if (!is_in(file, path.substr(0, end))) return false;
  return is_in(file, path);
}

std::vector<Batch> Checksums::in(hid_t file, const std::string& table, std::size_t columns) {
  const Handle set(H5Dopen2(file, path_of(table).c_str(), H5P_DEFAULT), H5Dclose);
  const hsize_t length = length_of(set);
  const std::size_t width = bytes_of_entry(columns);
  const Blob all = contents_of(set, type_of_entry(columns), 0, length);
  std::vector<Batch> batches(length);
  for (hsize_t i = 0; i < length; ++i) {
    const View bytes = View(all).subspan(i * width, width);
    Batch& batch = batches[i];
    batch.crc32.resize(columns);
    std::uint32_t own = 0;
    std::memcpy(&batch.first, bytes.data(), sizeof batch.first);
    std::memcpy(&batch.rows, bytes.data() + sizeof batch.first, sizeof batch.rows);
    std::memcpy(batch.crc32.data(), bytes.data() + before_columns, columns * sizeof own);
    std::memcpy(&own, bytes.data() + width - sizeof own, sizeof own);
    batch.is_whole = crc32(bytes.first(width - sizeof own)) == own;
  }
  return batches;
}

Checksums::Checksums(hid_t file, const std::string& table, const std::vector<ColumnKind>& kinds, hsize_t rows)
    : entries_(file, path_of(table), entries_of(file, table, kinds.size(), rows)) {}

void Checksums::add(const std::vector<Column>& columns) {
  const hsize_t end = columns.front().length();
  for (hsize_t first = columns.front().written(); first < end;) {
    const hsize_t next = std::min(end, (first / longest_batch + 1) * longest_batch);
    Blob entry;
    append(entry, bytes_of(std::uint64_t{first}));
    append(entry, bytes_of(static_cast<std::uint32_t>(next - first)));
    for (const auto& column : columns) append(entry, bytes_of(crc32(column.waiting(first, next))));
    append(entry, bytes_of(crc32(entry)));
    entries_.add(View(entry));
    first = next;
  }
}

}  // namespace everylink::hdf5

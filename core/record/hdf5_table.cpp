// A table of a results file.
#include "record/hdf5_table.hpp"

#include <algorithm>
#include <limits>

#include "base/crc32.hpp"

namespace everylink::hdf5 {

Handle Table::make(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds, hsize_t chunk) {
  Handle group = make_group(file, path);
  for (const auto& kind : kinds) Column::make(group, kind.name, kind.type, chunk);
  Checksums::make(file, path, kinds);
  return group;
}

void Table::make_column(hid_t file, const std::string& path, const ColumnKind& kind, hsize_t chunk,
                        const std::string& checksums) {
  const Handle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose);
  Column::make(group, kind.name, kind.type, chunk);
  Checksums::make(file, checksums, {kind});
}

hsize_t Table::whole_rows(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds,
                          const std::string& checksums) {
  const Handle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose);
  hsize_t length = std::numeric_limits<hsize_t>::max();
  std::vector<Handle> sets, types;
  for (const auto& kind : kinds) {
    sets.emplace_back(H5Dopen2(group, kind.name, H5P_DEFAULT), H5Dclose);
    types.emplace_back(H5Dget_type(sets.back()), H5Tclose);
    length = std::min(length, length_of(sets.back()));
  }
  if (!Checksums::are_in(file, checksums)) return length;
  hsize_t whole = 0;
  for (const auto& batch : Checksums::in(file, checksums, kinds.size())) {
    if (!batch.is_whole) continue;
    if (batch.first > length || batch.rows > length - batch.first) break;
    for (std::size_t i = 0; i < sets.size(); ++i)
      if (crc32(contents_of(sets[i], types[i], batch.first, batch.rows)) != batch.crc32[i]) return whole;
    whole = batch.first + batch.rows;
  }
  return whole;
}

Table::Table(hid_t file, const std::string& path, const std::vector<ColumnKind>& kinds, hsize_t written,
             const std::string& checksums) {
  const Handle group(H5Gopen2(file, path.c_str(), H5P_DEFAULT), H5Gclose);
  for (const auto& kind : kinds) columns_.emplace_back(group, kind.name, written);
  if (Checksums::are_in(file, checksums)) checksums_.emplace(file, checksums, kinds, written);
}

void Table::write() {
  if (checksums_) checksums_->add(columns_), checksums_->write();
  for (auto& column : columns_) column.write();
}

void Table::abandon() {
  if (checksums_) checksums_->abandon();
  for (auto& column : columns_) column.abandon();
}

}  // namespace everylink::hdf5

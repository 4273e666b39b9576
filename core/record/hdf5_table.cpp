// A table of a results file.
#include "record/hdf5_table.hpp"

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

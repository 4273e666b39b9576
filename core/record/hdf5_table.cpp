// A table of a results file.
#include "record/hdf5_table.hpp"

namespace everylink::hdf5 {

void Table::make(hid_t group, const std::vector<ColumnKind>& kinds, hsize_t chunk) {
  for (const auto& kind : kinds) Column::make(group, kind.name, kind.type, chunk);
}

Table::Table(hid_t group, const std::vector<ColumnKind>& kinds, hsize_t written) {
  for (const auto& kind : kinds) columns_.emplace_back(group, kind.name, written);
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

// The layout of a results file (docs/results-file.md): its attributes, tables and columns.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "record/hdf5_columns.hpp"
#include "record/recorder.hpp"

namespace everylink::hdf5 {

// History: 1: first version; 2: the outcome `local`, and what hosts lacked. A file without that outcome stays
// of version 1, which older readers read.
inline constexpr int format_version = 1, version_with_local_faults = 2;

// The columns of each table, for creating, opening and filling it.
std::vector<ColumnKind> step_columns();
std::vector<ColumnKind> size_columns(const Options&);
std::vector<ColumnKind> scene_columns();
std::vector<ColumnKind> flow_columns();
// Of texts of this type.
ColumnKind remark_column(hid_t text);
std::vector<ColumnKind> local_fault_columns(hid_t text);
ColumnKind laps_column();
// Where the checksums of a size's laps are, as those of a table of this path.
std::string laps_checksums(std::uint64_t bytes);

Handle access_list();  // for opening files; the caller may add to it
// Creates a complete file without rows; in a .sion file, behind room for LinkTest's data. On failure, errno
// has the reason.
Handle make_skeleton(const std::string& path, const Facts&, hid_t access);

// Stores what a library may know late: the lanes that carried each rank's messages, and the path into its
// GPU.
void set_late_facts(hid_t file, const std::vector<Carrier>& by_rank);

}  // namespace everylink::hdf5

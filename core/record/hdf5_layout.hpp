// What stands where in a results file (docs/results-file.md): one place for its making, filling and reading
// again.
#pragma once

#include <string>
#include <vector>

#include "record/hdf5_columns.hpp"
#include "record/recorder.hpp"

namespace everylink::hdf5 {

std::vector<ColumnKind> step_columns();
std::vector<ColumnKind> size_columns(const Options&);
std::vector<ColumnKind> scene_columns();
std::vector<ColumnKind> flow_columns();
Handle access_list();  // of files; the caller may add to it
// A whole file without a row. errno says why it could not be made.
Handle make_skeleton(const std::string& path, const Facts&, hid_t access);

// How each rank's messages really went.
void set_lanes(hid_t file, const std::vector<std::string>& lanes);

// --resume: throws UsageError, naming what differs, unless a run with these facts can go on in this file.
void check_same(hid_t file, const Facts&);
// Makes a file that its writer did not close ready for another one.
void make_writable_again(const std::string& path);
Recalled read_again(hid_t file, const Options&, const std::function<void(const LinkRows&)>& each);

}  // namespace everylink::hdf5

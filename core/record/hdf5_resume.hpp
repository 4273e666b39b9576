// --resume: checks and reads the results file of an interrupted run.
#pragma once

#include <hdf5.h>

#include <functional>
#include <string>

#include "base/options.hpp"
#include "base/rows.hpp"
#include "record/recorder.hpp"

namespace everylink::hdf5 {

// Throws UsageError, which names the difference, unless a run with these facts can continue this file.
void check_same(hid_t file, const Facts&);
// Makes a file that its writer did not close usable by another writer.
void make_writable_again(const std::string& path);
// As Recorder's look_before.
Before look_before(const Options&);
Recalled read_again(hid_t file, const Options&, const std::function<void(const LinkRows&)>& each);

}  // namespace everylink::hdf5

// --resume: checks and reads a results file that an earlier run left behind.
#pragma once

#include <hdf5.h>

#include <functional>
#include <string>

#include "base/options.hpp"
#include "base/rows.hpp"
#include "record/recorder.hpp"

namespace everylink::hdf5 {

// Throws UsageError, naming what differs, unless a run with these facts can continue in this file.
void check_same(hid_t file, const Facts&);
// Prepares a file that its writer did not close for another writer.
void make_writable_again(const std::string& path);
Recalled read_again(hid_t file, const Options&, const std::function<void(const LinkRows&)>& each);

}  // namespace everylink::hdf5

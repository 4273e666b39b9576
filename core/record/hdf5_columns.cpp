// Attributes and columns of a results file.
#include "record/hdf5_columns.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/crc32.hpp"
#include "base/errors.hpp"

namespace everylink::hdf5 {

void throw_failed(const char* call) { throw MachineError(fmt::format("{} failed", call)); }

std::size_t size_of(hid_t type) {
  const std::size_t bytes = H5Tget_size(type);
  if (bytes == 0) throw_failed("H5Tget_size");
  return bytes;
}

bool is_in(hid_t parent, const std::string& name) {
  return check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), "H5Lexists") > 0;
}

bool has_attribute(hid_t object, const char* name) { return check(H5Aexists(object, name), "H5Aexists") > 0; }

Handle string_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  return type;
}

Handle without_times(hid_t class_of) {
  Handle list(H5Pcreate(class_of), H5Pclose);
  check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times");
  return list;
}

Handle make_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, without_times(H5P_GROUP_CREATE), H5P_DEFAULT),
          H5Gclose};
}

hsize_t length_of(hid_t data_set) {
  const Handle space(H5Dget_space(data_set), H5Sclose);
  hsize_t length = 0;
  check(H5Sget_simple_extent_dims(space, &length, nullptr), "H5Sget_simple_extent_dims");
  return length;
}

hsize_t length_of(hid_t parent, const char* data_set) {
  return length_of(Handle(H5Dopen2(parent, data_set, H5P_DEFAULT), H5Dclose));
}

void read_entries(hid_t data_set, hid_t type, hsize_t first, hsize_t count, void* into) {
  if (count == 0) return;
  const Handle space(H5Dget_space(data_set), H5Sclose),
      memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  check(H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, nullptr, &count, nullptr), "H5Sselect_hyperslab");
  check(H5Dread(data_set, type, memory, space, H5P_DEFAULT, into), "H5Dread");
}

Blob contents_of(hid_t data_set, hid_t type, hsize_t first, hsize_t count) {
  Blob bytes(count * size_of(type));
  read_entries(data_set, type, first, count, bytes.data());
  return bytes;
}

void put_attribute(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, value), "H5Awrite");
}

void put(hid_t object, const char* name, const std::string& text) {
  put_attribute(object, name, string_type(text.size()), text.c_str());
}

void put_room(hid_t object, const char* name, std::size_t length) {
  put_attribute(object, name, string_type(length), std::string(length, '\0').data());
}

void set_text(hid_t object, const char* name, const std::string& text) {
  if (!has_attribute(object, name)) return;
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  const Handle type(H5Aget_type(attribute), H5Tclose);
  std::string padded = text;
  padded.resize(size_of(type), '\0');
  check(H5Awrite(attribute, type, padded.data()), "H5Awrite");
}

void Column::make(hid_t group, const std::string& name, hid_t type, hsize_t chunk, hid_t link) {
  const hsize_t none = 0, any = H5S_UNLIMITED;
  const Handle space(H5Screate_simple(1, &none, &any), H5Sclose), list = without_times(H5P_DATASET_CREATE);
  check(H5Pset_chunk(list, 1, &chunk), "H5Pset_chunk");
  Handle(H5Dcreate2(group, name.c_str(), type, space, link, list, H5P_DEFAULT), H5Dclose);
}

namespace {

// Holds one chunk in memory, the one that grows. By default HDF5 holds 1 MiB of each column: of those of many
// message sizes that is hundreds of MiB, for chunks that nobody asks for again.
Handle open_to_append(hid_t group, const char* name) {
  const Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
  {
    const Handle set(H5Dopen2(group, name, H5P_DEFAULT), H5Dclose), type(H5Dget_type(set), H5Tclose),
        made(H5Dget_create_plist(set), H5Pclose);
    hsize_t chunk = 0;
    check(H5Pget_chunk(made, 1, &chunk), "H5Pget_chunk");
    constexpr std::size_t slots = 1;
    constexpr double written_ones_first = 1;
    check(H5Pset_chunk_cache(access, slots, chunk * H5Tget_size(type), written_ones_first),
          "H5Pset_chunk_cache");
  }
  return {H5Dopen2(group, name, access), H5Dclose};
}

}  // namespace

Column::Column(hid_t group, const std::string& name, hsize_t written)
    : set_(open_to_append(group, name.c_str())),
      type_(H5Dget_type(set_), H5Tclose),
      width_(size_of(type_)),
      written_(written),
      extent_(length_of(set_)) {}

void Column::add(std::string text) {
  text.resize(width_);
  append(std::as_bytes(std::span(text)));
}

void Column::write() {
  const hsize_t count = waiting_.size() / width_, end = written_ + count;
  if (count == 0) return;
  if (end > extent_) check(H5Dset_extent(set_, &end), "H5Dset_extent");
  extent_ = std::max(extent_, end);
  const Handle file(H5Dget_space(set_), H5Sclose), memory(H5Screate_simple(1, &count, nullptr), H5Sclose);
  check(H5Sselect_hyperslab(file, H5S_SELECT_SET, &written_, nullptr, &count, nullptr),
        "H5Sselect_hyperslab");
  check(H5Dwrite(set_, type_, memory, file, H5P_DEFAULT, waiting_.data()), "H5Dwrite");
  written_ = end;
  waiting_.clear();
}

void Column::abandon() {
  set_.abandon();
  type_.abandon();
}

void put_column(hid_t group, const char* name, hid_t type, hsize_t length, const void* values,
                Changes changes) {
  const Handle space(H5Screate_simple(1, &length, nullptr), H5Sclose),
      list = without_times(H5P_DATASET_CREATE);
  Handle set(H5Dcreate2(group, name, type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "H5Dwrite");
  const View bytes(static_cast<const std::byte*>(values), length * size_of(type));
  if (changes == Changes::never) put(set, "crc32", crc32(bytes));
  set.close();  // only here the values leave HDF5's buffer
}

void put_strings(hid_t group, const char* name, const std::vector<std::string>& texts, std::size_t longest,
                 Changes changes) {
  for (const auto& text : texts) longest = std::max(longest, text.size());
  std::string all;
  for (std::string text : texts) {
    text.resize(longest);
    all += text;
  }
  put_column(group, name, string_type(longest), texts.size(), all.data(), changes);
}

}  // namespace everylink::hdf5

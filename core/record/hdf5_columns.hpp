// HDF5 by its C interface, as far as the results file needs it: handles that close themselves, attributes,
// columns that grow.
#pragma once

#include <fmt/format.h>
#include <hdf5.h>

#include <algorithm>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/errors.hpp"
#include "base/types.hpp"

namespace everylink::hdf5 {

template <class Id>
Id check(Id result, const char* call) {
  if (result < 0) throw MachineError(fmt::format("{} failed", call));
  return result;
}

class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*close)(hid_t)) : id_(check(id, "an HDF5 call")), close_(close) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  operator hid_t() const { return id_; }
  void abandon() { id_ = -1; }  // after a failed flush nothing more may reach the file

 private:
  hid_t id_ = -1;
  herr_t (*close_)(hid_t) = nullptr;
};

template <class T>
hid_t type_of() {
  if constexpr (std::is_same_v<T, float>)
    return H5T_NATIVE_FLOAT;
  else if constexpr (std::is_same_v<T, double>)
    return H5T_NATIVE_DOUBLE;
  else if constexpr (std::is_same_v<T, std::uint8_t>)
    return H5T_NATIVE_UINT8;
  else if constexpr (std::is_same_v<T, std::uint32_t>)
    return H5T_NATIVE_UINT32;
  else if constexpr (std::is_same_v<T, std::int32_t>)
    return H5T_NATIVE_INT32;
  else if constexpr (std::is_same_v<T, std::uint64_t>)
    return H5T_NATIVE_UINT64;
}

inline Handle string_type(std::size_t length) {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  check(H5Tset_size(type, std::max<std::size_t>(length, 1)), "H5Tset_size");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "H5Tset_cset");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "H5Tset_strpad");
  return type;
}

inline void put_attribute(hid_t object, const char* name, hid_t type, const void* value) {
  const Handle space(H5Screate(H5S_SCALAR), H5Sclose);
  const Handle attribute(H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type, value), "H5Awrite");
}
template <class T>
void put(hid_t object, const char* name, T value) {
  put_attribute(object, name, type_of<T>(), &value);
}
inline void put(hid_t object, const char* name, const std::string& text) {
  put_attribute(object, name, string_type(text.size()), text.c_str());
}
template <class T>
T number(hid_t object, const char* name) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  T value{};
  check(H5Aread(attribute, type_of<T>(), &value), "H5Aread");
  return value;
}
template <class T>
void set(hid_t object, const char* name, T value) {
  const Handle attribute(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  check(H5Awrite(attribute, type_of<T>(), &value), "H5Awrite");
}

inline Handle without_times(hid_t class_of) {
  Handle list(H5Pcreate(class_of), H5Pclose);
  check(H5Pset_obj_track_times(list, false), "H5Pset_obj_track_times");
  return list;
}

inline Handle make_group(hid_t parent, const std::string& name) {
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, without_times(H5P_GROUP_CREATE), H5P_DEFAULT),
          H5Gclose};
}

inline hsize_t length_of(hid_t set) {
  const Handle space(H5Dget_space(set), H5Sclose);
  hsize_t length = 0;
  check(H5Sget_simple_extent_dims(space, &length, nullptr), "H5Sget_simple_extent_dims");
  return length;
}

// A column that grows: empty in the skeleton, then written batch by batch.
class Column {
 public:
  static void make(hid_t group, const std::string& name, hid_t type, hsize_t chunk) {
    const hsize_t none = 0, any = H5S_UNLIMITED;
    const Handle space(H5Screate_simple(1, &none, &any), H5Sclose), list = without_times(H5P_DATASET_CREATE);
    check(H5Pset_chunk(list, 1, &chunk), "H5Pset_chunk");
    Handle(H5Dcreate2(group, name.c_str(), type, space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  }
  // `written`: what stands behind it was never committed, and is written over.
  Column(hid_t group, const std::string& name, hsize_t written = 0)
      : set_(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose),
        type_(H5Dget_type(set_), H5Tclose),
        width_(H5Tget_size(type_)),
        written_(written),
        extent_(length_of(set_)) {}

  template <class T>
  void add(T value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  void add(std::span<const float> values) { append(std::as_bytes(values)); }
  // In a column of strings.
  void add(std::string text) {
    text.resize(width_);
    append(std::as_bytes(std::span(text)));
  }
  hsize_t length() const { return written_ + waiting_.size() / width_; }
  void write() {
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
  void abandon() { set_.abandon(), type_.abandon(); }

 private:
  void append(View bytes) { waiting_.insert(waiting_.end(), bytes.begin(), bytes.end()); }

  Handle set_, type_;
  std::size_t width_;
  Blob waiting_;
  hsize_t written_, extent_;
};

// A column's name and type.
struct ColumnKind {
  const char* name;
  hid_t type;
};

class Table {
 public:
  static void make(hid_t group, const std::vector<ColumnKind>& kinds, hsize_t chunk) {
    for (const auto& kind : kinds) Column::make(group, kind.name, kind.type, chunk);
  }
  Table(hid_t group, const std::vector<ColumnKind>& kinds, hsize_t written) {
    for (const auto& kind : kinds) columns_.emplace_back(group, kind.name, written);
  }
  // A value for each column, in their order; what not every table has comes by add_more.
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
  void write() {
    for (auto& column : columns_) column.write();
  }
  void abandon() {
    for (auto& column : columns_) column.abandon();
  }

 private:
  std::vector<Column> columns_;
  std::size_t filled_ = 0;
};

template <class T>
void put_numbers(hid_t group, const char* name, const std::vector<T>& values) {
  const hsize_t n = values.size();
  const Handle space(H5Screate_simple(1, &n, nullptr), H5Sclose), list = without_times(H5P_DATASET_CREATE);
  const Handle set(H5Dcreate2(group, name, type_of<T>(), space, H5P_DEFAULT, list, H5P_DEFAULT), H5Dclose);
  check(H5Dwrite(set, type_of<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), "H5Dwrite");
}

}  // namespace everylink::hdf5

// A thin layer over HDF5's C interface: self-closing handles, attributes, and tables of growing columns.
#pragma once

#include <hdf5.h>

#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/bytes.hpp"

namespace everylink::hdf5 {

[[noreturn]] void throw_failed(const char* call);
std::size_t size_of(hid_t type);                    // in bytes
bool is_in(hid_t parent, const std::string& name);  // a group or data set
bool has_attribute(hid_t object, const char* name);

// For calls that return a negative number on failure; throws MachineError.
template <class Id>
Id check(Id result, const char* call) {
  if (result < 0) throw_failed(call);
  return result;
}

class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, herr_t (*closes)(hid_t)) : id_(check(id, "an HDF5 call")), close_(closes) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  void close() { check(close_(std::exchange(id_, -1)), "closing"); }  // where a failure matters
  operator hid_t() const { return id_; }
  void abandon() { id_ = -1; }  // never closes it: after a failed flush, nothing more may reach the file

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

Handle string_type(std::size_t length);
Handle without_times(hid_t class_of);  // a property list for objects without time stamps
Handle make_group(hid_t parent, const std::string& name);
hsize_t length_of(hid_t data_set);
hsize_t length_of(hid_t parent, const char* data_set);
// Reads entries of a column from `first` on; `into` has room for them.
void read_entries(hid_t data_set, hid_t type, hsize_t first, hsize_t count, void* into);
Blob contents_of(hid_t data_set, hid_t type, hsize_t first, hsize_t count);

// Attributes: `put` creates one, `set` overwrites it.
void put_attribute(hid_t object, const char* name, hid_t type, const void* value);
void put(hid_t object, const char* name, const std::string& text);
// Room for a text of this length, to be set later.
void put_room(hid_t object, const char* name, std::size_t length);
// Sets a text for which there is room; an object of an older version may have none.
void set_text(hid_t object, const char* name, const std::string& text);
template <class T>
void put(hid_t object, const char* name, T value) {
  put_attribute(object, name, type_of<T>(), &value);
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

// A column that grows: empty in the skeleton, then written in batches.
class Column {
 public:
  static void make(hid_t group, const std::string& name, hid_t type, hsize_t chunk, hid_t link = H5P_DEFAULT);
  // Overwrites rows from `written` on, which were never committed.
  Column(hid_t group, const std::string& name, hsize_t written = 0);

  template <class T>
  void add(T value) {
    append(std::as_bytes(std::span(&value, 1)));
  }
  void add(std::span<const float> values) { append(std::as_bytes(values)); }
  void add(std::string text);              // to a column of strings
  void add(View entry) { append(entry); }  // to one of compounds
  hsize_t written() const { return written_; }
  // Of rows that are not written yet.
  View waiting(hsize_t first, hsize_t end) const {
    return View(waiting_).subspan((first - written_) * width_, (end - first) * width_);
  }
  hsize_t length() const { return written_ + waiting_.size() / width_; }
  void write();
  void abandon();

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

// Writes a column of fixed length at once, with its CRC-32 as an attribute if it stays as it is.
enum class Changes { never, later };
void put_column(hid_t group, const char* name, hid_t type, hsize_t length, const void* values,
                Changes = Changes::never);
template <class T>
void put_numbers(hid_t group, const char* name, const std::vector<T>& values) {
  put_column(group, name, type_of<T>(), values.size(), values.data());
}
// Every text gets space for `longest` bytes, or for the longest text if that is longer.
void put_strings(hid_t group, const char* name, const std::vector<std::string>& texts, std::size_t longest,
                 Changes = Changes::never);

}  // namespace everylink::hdf5

// Converts values to bytes and back, between processes of one run (same program, same byte order).
#pragma once

#include <cstring>
#include <string>
#include <type_traits>

#include "base/bytes.hpp"
#include "base/errors.hpp"

namespace everylink {

class Packer {
 public:
  template <class T>
  requires std::is_trivially_copyable_v<T> Packer& add(const T& value) { return append(bytes_of(value)); }
  template <class T>
  requires std::is_trivially_copyable_v<T> Packer& add(const std::vector<T>& values) {
    static_assert(has_no_padding<T>, "name the padding: a field `unused` that is set");
    add(static_cast<std::uint64_t>(values.size()));
    return append(std::as_bytes(std::span(values)));
  }
  Packer& add(const std::string& text) {
    add(static_cast<std::uint64_t>(text.size()));
    return append(std::as_bytes(std::span(text)));
  }
  Blob take() { return std::move(bytes_); }

 private:
  Packer& append(View more) {
    everylink::append(bytes_, more);
    return *this;
  }
  Blob bytes_;
};

// Throws MachineError if the bytes are too few, too many or invalid. Checks lengths before it allocates.
class Unpacker {
 public:
  explicit Unpacker(View bytes) : rest_(bytes) {}

  template <class T>
  requires std::is_trivially_copyable_v<T> T get() {
    if constexpr (std::is_same_v<T, bool>) return choice<std::uint8_t>(1) != 0;
    T value;
    std::memcpy(&value, cut(sizeof value).data(), sizeof value);
    return value;
  }
  // One of the values 0 to `last`, of an enumeration or a number.
  template <class T>
  T choice(T last) {
    const T value = get<T>();
    must(value >= T{} && value <= last);
    return value;
  }
  // Does not validate a bool or an enumeration within T: check it (`must`, `is_flag`) before reading it.
  template <class T>
  std::vector<T> list() {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size() / sizeof(T)) too_short();
    std::vector<T> values(count);
    if (count) std::memcpy(values.data(), cut(count * sizeof(T)).data(), count * sizeof(T));
    return values;
  }
  // How many values follow, each of at least one byte.
  std::uint64_t count() {
    const auto count = get<std::uint64_t>();
    if (count > rest_.size()) too_short();
    return count;
  }
  // A line to print, from any sender: control characters are replaced, so that none reaches a terminal.
  std::string text() {
    constexpr std::size_t longest = 1 << 16;
    std::string line = any_text();
    must(line.size() <= longest);
    for (char& letter : line)
      if (static_cast<unsigned char>(letter) < ' ' || letter == 0x7f) letter = '?';
    return line;
  }
  std::string any_text() {
    const auto letters = list<char>();
    return {letters.begin(), letters.end()};
  }
  void end() const { must(rest_.empty()); }

  static void must(bool holds) {
    if (!holds) throw MachineError("a message of the control connection makes no sense");
  }
  static bool is_flag(const bool& flag) {
    std::uint8_t byte;
    std::memcpy(&byte, &flag, sizeof byte);
    return byte <= 1;
  }

 private:
  [[noreturn]] static void too_short() {
    throw MachineError("a message of the control connection is cut short");
  }
  View cut(std::size_t bytes) {
    if (bytes > rest_.size()) too_short();
    const View front = rest_.first(bytes);
    rest_ = rest_.subspan(bytes);
    return front;
  }
  View rest_;
};

}  // namespace everylink

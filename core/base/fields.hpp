// Serializes structs field by field. Each struct lists its fields once, as `static constexpr auto fields`, a
// tuple of pointers to members. Reading validates flags, enumerations, lengths, text for a terminal, and
// calls `is_sound()` if the struct has one.
#pragma once

#include <array>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/bytes.hpp"
#include "base/outcome.hpp"
#include "base/pack.hpp"

namespace everylink {

// The contents of a file. No terminal shows them unescaped.
struct FileText {
  std::string text;
};

template <class T>
concept Listed = requires {
  T::fields;
};
// Arithmetic values are copied as bytes, and a list of them as one block.
template <class T>
concept Plain = std::is_arithmetic_v<T> && !std::is_same_v<T, bool>;

template <class T>
struct FieldsOf;  // converts a T to bytes and back

template <class T>
void add_fields(Packer& out, const T& value) {
  FieldsOf<T>::add(out, value);
}
template <class T>
T get_fields(Unpacker& in) {
  return FieldsOf<T>::get(in);
}

template <Plain T>
struct FieldsOf<T> {
  static void add(Packer& out, const T& value) { out.add(value); }
  static T get(Unpacker& in) { return in.get<T>(); }
};
template <>
struct FieldsOf<bool> {
  static void add(Packer& out, bool value) { out.add(value); }
  static bool get(Unpacker& in) { return in.get<bool>(); }
};
// `last_of(E)` names the last value of an enumeration.
template <class T>
requires std::is_enum_v<T>
struct FieldsOf<T> {
  static void add(Packer& out, const T& value) { out.add(value); }
  static T get(Unpacker& in) { return in.choice(last_of(T{})); }
};
template <>
struct FieldsOf<std::string> {
  static void add(Packer& out, const std::string& value) { out.add(value); }
  static std::string get(Unpacker& in) { return in.text(); }
};
template <>
struct FieldsOf<FileText> {
  static void add(Packer& out, const FileText& value) { out.add(value.text); }
  static FileText get(Unpacker& in) { return {in.any_text()}; }
};
template <class T, std::size_t N>
struct FieldsOf<std::array<T, N>> {
  static void add(Packer& out, const std::array<T, N>& values) {
    for (const auto& value : values) add_fields(out, value);
  }
  static std::array<T, N> get(Unpacker& in) {
    std::array<T, N> values{};
    for (auto& value : values) value = get_fields<T>(in);
    return values;
  }
};
template <class T>
struct FieldsOf<std::vector<T>> {
  static void add(Packer& out, const std::vector<T>& values) {
    if constexpr (Plain<T>) {
      out.add(values);
    } else {
      out.add(static_cast<std::uint64_t>(values.size()));
      for (const auto& value : values) add_fields(out, value);
    }
  }
  static std::vector<T> get(Unpacker& in) {
    if constexpr (Plain<T>) {
      return in.list<T>();
    } else {
      std::vector<T> values;
      for (auto left = in.count(); left > 0; --left) values.push_back(get_fields<T>(in));
      return values;
    }
  }
};
template <class... Kinds>
struct FieldsOf<std::variant<Kinds...>> {
  using Variant = std::variant<Kinds...>;
  static void add(Packer& out, const Variant& value) {
    out.add(static_cast<std::uint8_t>(value.index()));
    std::visit([&](const auto& kind) { add_fields(out, kind); }, value);
  }
  static Variant get(Unpacker& in) {
    const std::size_t kind = in.choice(static_cast<std::uint8_t>(sizeof...(Kinds) - 1));
    Variant value;
    std::size_t index = 0;
    static_cast<void>(((index++ == kind && (value = get_fields<Kinds>(in), true)) || ...));
    return value;
  }
};
template <Listed T>
struct FieldsOf<T> {
  static void add(Packer& out, const T& value) {
    std::apply([&](auto... field) { (add_fields(out, value.*field), ...); }, T::fields);
  }
  static T get(Unpacker& in) {
    T value{};
    const auto read = [&](auto field) {
      value.*field = get_fields<std::remove_cvref_t<decltype(value.*field)>>(in);
    };
    std::apply([&](auto... field) { (read(field), ...); }, T::fields);
    if constexpr (requires { value.is_sound(); }) Unpacker::must(value.is_sound());
    return value;
  }
};

template <class T>
Blob packed(const T& value) {
  Packer out;
  add_fields(out, value);
  return out.take();
}
// Throws MachineError if the bytes are too few, too many, or hold a value that no rank of ours sends.
template <class T>
T unpacked(View bytes) {
  Unpacker in(bytes);
  T value = get_fields<T>(in);
  in.end();
  return value;
}

}  // namespace everylink

// IEEE 802.1AB: a frame is a list of fields, each with a type (7 bits), a length (9 bits) and its contents.
#include "host/inventory/lldp.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cstddef>
#include <cstdint>

namespace everylink::inventory {
namespace {

constexpr std::size_t length_bytes = 8, both_addresses = 12, ethernet_head = 14;
enum Field : unsigned { end = 0, chassis_id = 1, port_id = 2, port_description = 4, system_name = 5 };

unsigned byte(std::string_view bytes, std::size_t at) { return static_cast<unsigned char>(bytes[at]); }

bool is_text(std::string_view bytes) {
  for (const char letter : bytes)
    if (!std::isprint(static_cast<unsigned char>(letter))) return false;
  return !bytes.empty();
}

// An identity is a text, or an address of 6 bytes.
std::string identity(std::string_view bytes) {
  constexpr std::size_t address = 6;
  if (bytes.empty()) return "";
  const auto contents = bytes.substr(1);  // behind its kind
  if (is_text(contents)) return std::string(contents);
  std::string text;
  for (std::size_t i = 0; contents.size() == address && i < address; ++i)
    text += fmt::format("{}{:02x}", i ? ":" : "", byte(contents, i));
  return text;
}

std::string without_spaces(std::string name) {
  for (char& letter : name)
    if (letter == ' ') letter = '_';
  return name;
}

}  // namespace

std::optional<std::string> neighbour_in(std::string_view frames) {
  if (frames.size() < length_bytes) return {};
  std::uint64_t length = 0;
  for (std::size_t i = length_bytes; i > 0; --i) length = length << 8 | byte(frames, i - 1);
  std::string_view frame = frames.substr(length_bytes);
  if (length > frame.size() || length < ethernet_head) return {};
  frame = frame.substr(0, length);
  if (byte(frame, both_addresses) != 0x88 || byte(frame, both_addresses + 1) != 0xcc) return {};
  std::string name, chassis, port, description;
  for (frame.remove_prefix(ethernet_head); frame.size() >= 2;) {
    const unsigned head = byte(frame, 0) << 8 | byte(frame, 1), kind = head >> 9, bytes = head & 511;
    if (kind == Field::end || frame.size() < 2 + bytes) break;
    const auto contents = frame.substr(2, bytes);
    if (kind == Field::system_name && is_text(contents)) name = contents;
    if (kind == Field::chassis_id) chassis = identity(contents);
    if (kind == Field::port_id) port = identity(contents);
    if (kind == Field::port_description && is_text(contents)) description = contents;
    frame.remove_prefix(2 + bytes);
  }
  const std::string& system = name.empty() ? chassis : name;
  const bool is_address = port.size() == 17 && port[2] == ':';  // says less than the description
  const std::string& at = port.empty() || (is_address && !description.empty()) ? description : port;
  if (system.empty() || at.empty()) return {};
  return without_spaces(system) + " " + at;
}

}  // namespace everylink::inventory

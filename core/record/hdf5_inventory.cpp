// Tables of all hosts, so that a file of thousands of hosts opens as fast as one of two.
#include "record/hdf5_inventory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace everylink::hdf5 {
namespace {

std::vector<ColumnKind> columns_of(const std::string& table, hid_t text) {
  if (table == "texts") return {{"text", text}};
  if (table == "facts")
    return {{"host", H5T_NATIVE_UINT32},
            {"reading", H5T_NATIVE_UINT32},
            {"part", H5T_NATIVE_UINT32},
            {"name", H5T_NATIVE_UINT32},
            {"value", H5T_NATIVE_UINT32}};
  if (table == "counters")
    return {{"host", H5T_NATIVE_UINT32},
            {"reading", H5T_NATIVE_UINT32},
            {"part", H5T_NATIVE_UINT32},
            {"name", H5T_NATIVE_UINT32},
            {"value", H5T_NATIVE_UINT64}};
  if (table == "readings")
    return {{"host", H5T_NATIVE_UINT32},  {"reading", H5T_NATIVE_UINT32}, {"moment", H5T_NATIVE_UINT8},
            {"rank", H5T_NATIVE_UINT32},  {"began", H5T_NATIVE_DOUBLE},   {"took", H5T_NATIVE_FLOAT},
            {"unread", H5T_NATIVE_UINT32}};
  if (table == "retransmits")
    return {{"rank", H5T_NATIVE_UINT32},
            {"to", H5T_NATIVE_UINT32},
            {"segments", H5T_NATIVE_UINT64},
            {"bytes", H5T_NATIVE_UINT64}};
  return {{"reading", H5T_NATIVE_UINT32},
          {"rank", H5T_NATIVE_UINT32},
          {"sent", H5T_NATIVE_UINT64},
          {"received", H5T_NATIVE_UINT64}};
}

std::string inventory_path(const std::string& table) { return "inventory/" + table; }

}  // namespace

void Inventory::make(hid_t file, std::size_t hosts, std::size_t ranks) {
  make_group(file, "inventory");
  const Handle text = string_type(HostReading::longest_text);
  const auto add = [&](const char* table, std::size_t rows) {
    constexpr std::size_t fewest = 32, most = 65536;
    Table::make(file, inventory_path(table), columns_of(table, text),
                std::clamp<hsize_t>(std::bit_ceil(rows), fewest, most));
  };
  constexpr std::size_t readings = 4, facts_of_host = 64, counters_of_host = 256, texts = 64;
  add("texts", texts);
  add("facts", facts_of_host * hosts);
  add("counters", counters_of_host * hosts);
  add("readings", readings * hosts);
  add("carried", readings * ranks);
  add("retransmits", ranks);
}

bool Inventory::is_in(hid_t file) { return hdf5::is_in(file, "inventory"); }

Inventory::Inventory(hid_t file)
    : texts_(open(file, "texts")),
      facts_(open(file, "facts")),
      counters_(open(file, "counters")),
      readings_(open(file, "readings")),
      carried_(open(file, "carried")),
      retransmits_(open(file, "retransmits")) {
  constexpr std::size_t width = HostReading::longest_text;
  const auto column = [file](const char* path) {
    return Handle(H5Dopen2(file, path, H5P_DEFAULT), H5Dclose);
  };
  const auto texts = contents_of(column("inventory/texts/text"), string_type(width), 0, texts_.length());
  for (std::uint32_t row = 0; row < texts_.length(); ++row) {
    const auto* text = reinterpret_cast<const char*>(texts.data()) + row * width;
    rows_.emplace(std::string(text, ::strnlen(text, width)), row);
  }
  const auto readings =
      contents_of(column("inventory/readings/reading"), H5T_NATIVE_UINT32, 0, readings_.length());
  for (std::size_t i = 0; i < readings_.length(); ++i) {
    std::uint32_t reading = 0;
    std::memcpy(&reading, readings.data() + i * sizeof reading, sizeof reading);
    first_reading_ = std::max(first_reading_, reading + 1);
  }
  static_cast<void>(row_of(""));
}

Table Inventory::open(hid_t file, const char* table) {
  const Handle text = string_type(HostReading::longest_text);
  const auto kinds = columns_of(table, text);
  const auto path = inventory_path(table);
  return {file, path, kinds, Table::whole_rows(file, path, kinds, path)};
}

std::uint32_t Inventory::row_of(const std::string& text) {
  const auto [found, is_new] = rows_.emplace(text, static_cast<std::uint32_t>(texts_.length()));
  if (is_new) texts_.add(text);
  return found->second;
}

void Inventory::add(const ReadingRow& row) {
  const HostReading& r = row.reading;
  const auto number = first_reading_ + r.number;
  std::vector<std::uint32_t> rows;
  for (const auto& text : r.texts) rows.push_back(row_of(text));
  for (std::size_t i = 0; i + 2 < r.facts.size(); i += 3)
    facts_.add(row.host, number, rows[r.facts[i]], rows[r.facts[i + 1]], rows[r.facts[i + 2]]);
  for (std::size_t i = 0; i < r.counter_values.size(); ++i)
    counters_.add(row.host, number, rows[r.counters[2 * i]], rows[r.counters[2 * i + 1]],
                  r.counter_values[i]);
  readings_.add(row.host, number, static_cast<std::uint8_t>(r.moment), row.rank, row.began,
                static_cast<float>(r.took), r.unread);
}

void Inventory::add(std::uint32_t reading, int rank, const Carried& carried) {
  carried_.add(first_reading_ + reading, static_cast<std::uint32_t>(rank), carried.sent, carried.received);
}

void Inventory::add(int rank, const Retransmits& one) {
  retransmits_.add(static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(one.to), one.segments,
                   one.bytes);
}

void Inventory::write() {
  for (Table* table : {&texts_, &facts_, &counters_, &readings_, &carried_, &retransmits_}) table->write();
}

void Inventory::abandon() {
  for (Table* table : {&texts_, &facts_, &counters_, &readings_, &carried_, &retransmits_}) table->abandon();
}

}  // namespace everylink::hdf5

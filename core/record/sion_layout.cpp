// The bytes of a .sion file.
#include "record/sion_layout.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

#include "base/pack.hpp"

namespace everylink::sion {
namespace {

constexpr std::int64_t page = 4096;
constexpr std::int64_t head_bytes = 5 + 3 * 4 + 256 + 4 * 4, totals_bytes = 10 * 4 + 10 * 8;
constexpr std::int32_t sionlib_version = 1007, sionlib_patch = 6, file_format = 5;
constexpr std::int64_t no_keys = std::int64_t{50} << 32;

std::int64_t whole_pages(std::int64_t bytes) { return (bytes + page - 1) / page * page; }

std::int64_t header_bytes(int ranks) { return 1088 + 16 * std::int64_t{ranks}; }

template <class T>
void put(Blob& bytes, std::size_t array_at, int index, T value) {
  std::memcpy(bytes.data() + array_at + static_cast<std::size_t>(index) * sizeof value, &value, sizeof value);
}

}  // namespace

std::int64_t Layout::measured_bytes() const { return (all_to_all_ ? 20 : 12) * std::int64_t{ranks_}; }

std::int64_t Layout::payload_bytes(int rank) const {
  return head_bytes + measured_bytes() + (rank == 0 ? totals_bytes + 24 * std::int64_t{ranks_} : 0);
}

std::int64_t Layout::chunk_bytes(int rank) const { return whole_pages(payload_bytes(rank)); }

std::int64_t Layout::chunk_at(int rank) const {
  const std::int64_t first = whole_pages(header_bytes(ranks_));
  return rank == 0 ? first : first + chunk_bytes(0) + (rank - 1) * chunk_bytes(1);
}

std::int64_t Layout::totals_at() const { return chunk_at(0) + head_bytes; }

std::int64_t Layout::measured_at(int rank) const {
  return chunk_at(rank) + head_bytes + (rank == 0 ? totals_bytes : 0);
}

std::int64_t Layout::retests_at() const { return measured_at(0) + measured_bytes(); }

std::int64_t Layout::tail_at() const { return chunk_at(ranks_); }

std::int64_t Layout::container_bytes() const { return tail_at() + 16 * std::int64_t{ranks_}; }

std::int64_t Layout::results_at() const {
  return static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(container_bytes())));
}

Blob header(const Layout& layout, const std::string& name, const RunId& run) {
  Packer out;
  const auto order = static_cast<std::uint8_t>(std::endian::native == std::endian::big);
  out.add(std::array<char, 4>{'s', 'i', 'o', 'n'})
      .add(std::array<std::uint8_t, 4>{order, order, order, order});
  for (const std::int32_t field :
       {sionlib_version, sionlib_patch, file_format, static_cast<std::int32_t>(page), layout.ranks(), 1, 0})
    out.add(field);
  out.add(no_keys).add(std::int64_t{0});
  std::array<char, 1024 - sizeof(std::int64_t) - sizeof(RunId)> name_field{};
  std::memcpy(name_field.data(), name.data(), std::min(name.size(), name_field.size() - 1));
  out.add(name_field).add(layout.results_at()).add(run);
  for (int rank = 0; rank < layout.ranks(); ++rank) out.add(std::int64_t{rank});
  for (int rank = 0; rank < layout.ranks(); ++rank) out.add(layout.chunk_bytes(rank));
  constexpr std::int32_t chunks_per_rank = 1;
  return out.add(chunks_per_rank).add(layout.tail_at()).take();
}

Blob tail(const Layout& layout) {
  Packer out;
  for (int rank = 0; rank < layout.ranks(); ++rank) out.add(std::int64_t{1});
  for (int rank = 0; rank < layout.ranks(); ++rank) out.add(layout.payload_bytes(rank));
  return out.take();
}

Blob head(int rank, const std::string& host) {
  constexpr std::string_view magic = "LKTST";
  constexpr std::int32_t linktest[] = {1, 2, 1};
  constexpr std::size_t version_at = 5, host_at = 17, coordinates_at = 273, longest_host = 254;
  Blob bytes(head_bytes);
  std::memcpy(bytes.data(), magic.data(), magic.size());
  for (int i = 0; i < 3; ++i) put(bytes, version_at, i, linktest[i]);
  std::memcpy(bytes.data() + host_at, host.data(), std::min(host.size(), longest_host));
  put(bytes, coordinates_at, 0, std::int32_t{rank});  // not a torus: the other coordinates are 0
  return bytes;
}

Blob totals(const Layout& layout, const Totals& t) {
  const std::array<std::int32_t, 10> settings{
      t.iterations, t.bytes, layout.all_to_all(), 1, t.serial, t.mixed, 0, 0, 0, 1};
  const std::array<double, 10> seconds{t.times.min,      t.times.max,      t.times.mean,
                                       t.all_to_all.min, t.all_to_all.max, t.all_to_all.mean};
  return Packer().add(settings).add(seconds).take();
}

Measured::Measured(const Layout& layout)
    : bytes(static_cast<std::size_t>(layout.measured_bytes())),
      ranks_(static_cast<std::size_t>(layout.ranks())) {}

void Measured::put_time(int to, double seconds) { put(bytes, 0, to, seconds); }
void Measured::put_step(int to, std::int32_t step) { put(bytes, 8 * ranks_, to, step); }
void Measured::put_all_to_all(std::int32_t step, double seconds) { put(bytes, 12 * ranks_, step, seconds); }

Blob retests(const Layout& layout, const std::vector<Slow>& slowest_first) {
  const auto ranks = static_cast<std::size_t>(layout.ranks());
  auto slow = slowest_first;
  slow.resize(ranks);
  Packer out;
  for (const auto& link : slow) out.add(link.again);
  for (const auto& link : slow) out.add(link.first);
  for (const auto& link : slow) out.add(link.from);
  for (const auto& link : slow) out.add(link.to);
  return out.take();
}

}  // namespace everylink::sion

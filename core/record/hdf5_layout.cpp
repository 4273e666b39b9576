// The layout of a results file.
#include "record/hdf5_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "base/units.hpp"
#include "base/version.hpp"
#include "kernel/kernel.hpp"
#include "record/hdf5_inventory.hpp"
#include "record/hdf5_table.hpp"
#include "record/sion_layout.hpp"

namespace everylink::hdf5 {
namespace {

constexpr std::size_t longest_remark = 400;  // bytes; longer remarks are cut
constexpr std::size_t longest_cause = 200;
constexpr std::size_t longest_path = 8;  // "staged"; known late, as lanes are
constexpr std::size_t longest_lanes =
    120;  // space for lanes that are known only at the end; longer ones are cut

}  // namespace

std::vector<ColumnKind> step_columns() {
  return {{"iteration", H5T_NATIVE_UINT32},
          {"seed", H5T_NATIVE_UINT64},
          {"began", H5T_NATIVE_DOUBLE},
          {"overlap", H5T_NATIVE_FLOAT},
          {"gone", H5T_NATIVE_UINT32}};
}

std::vector<ColumnKind> size_columns(const Options& options) {
  std::vector<ColumnKind> columns{
      {"from", H5T_NATIVE_UINT32},   {"to", H5T_NATIVE_UINT32},     {"step", H5T_NATIVE_UINT32},
      {"attempt", H5T_NATIVE_UINT8}, {"outcome", H5T_NATIVE_UINT8}, {"arrived", H5T_NATIVE_INT32},
      {"setup", H5T_NATIVE_FLOAT},   {"n", H5T_NATIVE_UINT32},      {"min", H5T_NATIVE_FLOAT},
      {"median", H5T_NATIVE_FLOAT},  {"mean", H5T_NATIVE_FLOAT},    {"p99", H5T_NATIVE_FLOAT},
      {"max", H5T_NATIVE_FLOAT},     {"late", H5T_NATIVE_UINT32}};
  if (options.all_to_all) columns.push_back({"alltoall", H5T_NATIVE_FLOAT});
  if (options.keep_laps)
    columns.insert(columns.end(), {{"first", H5T_NATIVE_UINT64}, {"count", H5T_NATIVE_UINT32}});
  return columns;
}

ColumnKind remark_column(hid_t text) { return {"remarks", text}; }
std::vector<ColumnKind> local_fault_columns(hid_t text) {
  return {{"rank", H5T_NATIVE_UINT32}, {"cause", text}};
}
ColumnKind laps_column() { return {"laps", H5T_NATIVE_FLOAT}; }
std::string laps_checksums(std::uint64_t bytes) { return fmt::format("laps/{}", bytes); }

std::vector<ColumnKind> scene_columns() {
  return {{"bytes", H5T_NATIVE_UINT64},
          {"point", H5T_NATIVE_UINT32},
          {"variant", H5T_NATIVE_UINT8},
          {"began", H5T_NATIVE_DOUBLE},
          {"gone", H5T_NATIVE_UINT32}};
}

std::vector<ColumnKind> flow_columns() {
  return {{"scene", H5T_NATIVE_UINT32},
          {"from", H5T_NATIVE_UINT32},
          {"to", H5T_NATIVE_UINT32},
          {"kind", H5T_NATIVE_UINT8},
          {"outcome", H5T_NATIVE_UINT8},
          {"seconds", H5T_NATIVE_DOUBLE},
          {"messages", H5T_NATIVE_UINT64},
          {"sent_seconds", H5T_NATIVE_DOUBLE},
          {"sent_messages", H5T_NATIVE_UINT64},
          {"n", H5T_NATIVE_UINT32},
          {"min", H5T_NATIVE_FLOAT},
          {"median", H5T_NATIVE_FLOAT},
          {"mean", H5T_NATIVE_FLOAT},
          {"p99", H5T_NATIVE_FLOAT},
          {"max", H5T_NATIVE_FLOAT},
          {"service_mean", H5T_NATIVE_FLOAT},
          {"service_median", H5T_NATIVE_FLOAT},
          {"service_p99", H5T_NATIVE_FLOAT}};
}

namespace {

template <class Get>
void put_of_ranks(hid_t group, const char* name, const std::vector<RankFacts>& ranks, Get get,
                  std::size_t room = 1, Changes changes = Changes::never) {
  std::vector<std::string> texts;
  for (const auto& rank : ranks) texts.push_back(get(rank));
  put_strings(group, name, texts, room, changes);
}

void put_ranks(hid_t root, const Facts& facts) {
  const Handle group = make_group(root, "ranks");
  std::vector<std::uint32_t> host_index, local_rank, ranks_on;
  std::vector<std::int32_t> numa, numa_distance, adapters, gpu;
  for (std::size_t rank = 0; rank < facts.ranks.size(); ++rank) {
    const auto host = static_cast<std::uint32_t>(facts.host_of[rank]);
    if (host >= ranks_on.size()) ranks_on.resize(host + 1);
    host_index.push_back(host);
    local_rank.push_back(ranks_on[host]++);
    numa.push_back(facts.ranks[rank].numa);
    numa_distance.push_back(facts.ranks[rank].carrier.numa_distance);
    adapters.push_back(facts.ranks[rank].adapters);
    gpu.push_back(facts.ranks[rank].carrier.gpu.number);
  }
  put_numbers(group, "host_index", host_index);
  put_numbers(group, "local_rank", local_rank);
  put_numbers(group, "numa", numa);
  put_numbers(group, "numa_distance", numa_distance);
  put_numbers(group, "adapters", adapters);
  put_numbers(group, "gpu", gpu);
  std::vector<std::uint8_t> crowded(facts.crowded.begin(), facts.crowded.end());
  crowded.resize(facts.ranks.size());
  put_numbers(group, "crowded", crowded);
  put_of_ranks(group, "host", facts.ranks, [](const RankFacts& r) { return r.host; });
  put_of_ranks(group, "cores", facts.ranks, [](const RankFacts& r) { return r.cores; });
  put_of_ranks(group, "device", facts.ranks, [](const RankFacts& r) { return r.carrier.device; });
  put_of_ranks(group, "address", facts.ranks, [](const RankFacts& r) { return r.carrier.address; });
  put_of_ranks(
      group, "lanes", facts.ranks, [](const RankFacts& r) { return r.carrier.lanes; }, longest_lanes,
      Changes::later);
  put_of_ranks(group, "topology_address", facts.ranks, [](const RankFacts& r) { return r.topology_address; });
  put_of_ranks(group, "topology_pattern", facts.ranks, [](const RankFacts& r) { return r.topology_pattern; });
  put_of_ranks(group, "gpu_name", facts.ranks, [](const RankFacts& r) { return r.carrier.gpu.name; });
  put_of_ranks(group, "gpu_pci", facts.ranks, [](const RankFacts& r) { return r.carrier.gpu.pci; });
  put_of_ranks(group, "gpu_uuid", facts.ranks, [](const RankFacts& r) { return r.carrier.gpu.uuid; });
  put_of_ranks(group, "gpu_to_device", facts.ranks,
               [](const RankFacts& r) { return r.carrier.gpu.to_device; });
  put_of_ranks(
      group, "gpu_path", facts.ranks, [](const RankFacts& r) { return r.carrier.gpu.path; }, longest_path,
      Changes::later);
  put_of_ranks(group, "libraries", facts.ranks, [](const RankFacts& r) { return r.carrier.libraries; });
}

void put_settings(hid_t root, const Facts& facts) {
  const Options& o = facts.options;
  put(root, "format", std::string("everylink"));
  put(root, "format_version", std::int32_t{format_version});
  put(root, "created", facts.created);
  put(root, "tool_version", std::string(version));
  put(root, "command", o.command);
  put(root, "transport", o.mode);
  put(root, "transport_options", o.mode_options);
  put(root, "bootstrap", facts.bootstrap);
  put(root, "memory", o.memory);
  put(root, "kernel", o.kernel);
  put(root, "one_sided", facts.one_sided);
  put(root, "schedule", o.schedule_text());
  put(root, "serial", std::int32_t{o.serial});
  put(root, "seed", facts.seed);
  put(root, "ranks", static_cast<std::int32_t>(facts.ranks.size()));
  put(root, "hosts", std::int32_t{*std::max_element(facts.host_of.begin(), facts.host_of.end()) + 1});
  put(root, "messages", std::int32_t{o.most_messages()});
  put(root, "warmups", std::int32_t{o.warmups});
  put(root, "window", std::int32_t{kernel_named(o.kernel).windowed ? window_used(o) : 0});
  put(root, "buffers", std::int32_t{o.buffers});
  put(root, "check", std::int32_t{o.check});
  put(root, "randomize", std::int32_t{o.randomize});
  put(root, "min_iterations", std::int32_t{o.min_iterations});
  put(root, "min_runtime", o.min_runtime);
  put(root, "time_limit", o.time_limit);
  put(root, "num_slowest", std::int32_t{o.slowest});
  put(root, "all_to_all", std::int32_t{o.all_to_all});
  put(root, "pinned", std::int32_t{facts.pinned});
  put(root, "run_id", fmt::format("{:02x}", fmt::join(facts.run, "")));
  put(root, "rows", std::uint64_t{0});
  put(root, "steps", std::uint64_t{0});
  put(root, "complete", std::int32_t{0});
  put(root, "interrupted", std::int32_t{0});
  put_room(root, "ended", utc_now().size());
  put(root, "failed_not_retried", std::uint64_t{0});
}

void make_pattern(hid_t file, const Facts& facts) {
  const Options& o = facts.options;
  const Handle group = make_group(make_group(file, "patterns"), o.pattern);
  put(group, "point", facts.point);
  std::vector<std::string> settings;
  put(group, "variants", fmt::format("{}", fmt::join(facts.variants, ",")));
  for (const auto& [name, value] : o.pattern_settings) settings.push_back(name + "=" + value);
  put(group, "options", fmt::format("{}", fmt::join(settings, " ")));
  put(group, "servers", std::int32_t{facts.servers});
  put(group, "duration", o.duration);
  put(group, "window", std::int32_t{o.window.value_or(0)});
  put(group, "scenes", std::uint64_t{0});
  put(group, "rows", std::uint64_t{0});
  Table::make(file, fmt::format("patterns/{}/scenes", o.pattern), scene_columns(), 1024);
  Table::make(file, fmt::format("patterns/{}/flows", o.pattern), flow_columns(), 1024);
}

// Not in a file to resume that was made before the column existed.
template <class Get>
void set_of_ranks(hid_t file, const char* name, const std::vector<Carrier>& carriers, Get get) {
  if (!is_in(file, name)) return;
  const Handle set(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose), type(H5Dget_type(set), H5Tclose);
  const std::size_t width = size_of(type);
  std::string all;
  for (const auto& carrier : carriers) {
    std::string text = get(carrier);
    text.resize(width);
    all += text;
  }
  if (carriers.size() == length_of(set))
    check(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all.data()), "H5Dwrite");
}

// HDF5 keeps where the chunks of a dataset are: of a small run 0.3 bytes for each step, and as much again for
// its own lists. By default it would keep up to 32 MiB of that. What it asks for again is the last piece of
// each dataset, which it keeps whatever the limit.
void limit_metadata_cache(hid_t access) {
  H5AC_cache_config_t config;
  config.version = H5AC__CURR_CACHE_CONFIG_VERSION;
  check(H5Pget_mdc_config(access, &config), "H5Pget_mdc_config");
  config.set_initial_size = true;
  config.initial_size = config.min_size = config.max_size = std::size_t{128} << 10;
  config.incr_mode = H5C_incr__off;
  config.flash_incr_mode = H5C_flash_incr__off;
  config.decr_mode = H5C_decr__off;
  check(H5Pset_mdc_config(access, &config), "H5Pset_mdc_config");
}

}  // namespace

void set_late_facts(hid_t file, const std::vector<Carrier>& carriers) {
  set_of_ranks(file, "ranks/lanes", carriers, [](const Carrier& one) { return one.lanes; });
  set_of_ranks(file, "ranks/gpu_path", carriers, [](const Carrier& one) { return one.gpu.path; });
}

Handle access_list() {
  Handle list(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  check(H5Pset_libver_bounds(list, H5F_LIBVER_V110, H5F_LIBVER_V110), "H5Pset_libver_bounds");
  check(H5Pset_file_locking(list, false, true), "H5Pset_file_locking");
  check(H5Pset_fclose_degree(list, H5F_CLOSE_STRONG), "H5Pset_fclose_degree");  // whatever was left open
  // HDF5 waits twice as long before each attempt, from 1 ns on: 30 ms in all. Its own 100 attempts never end.
  check(H5Pset_metadata_read_attempts(list, 25), "H5Pset_metadata_read_attempts");
  limit_metadata_cache(list);
  return list;
}

Handle make_skeleton(const std::string& path, const Facts& facts, hid_t access) {
  const Handle creation = without_times(H5P_FILE_CREATE);
  if (facts.options.is_sion()) {
    const sion::Layout front(static_cast<int>(facts.ranks.size()), facts.options.all_to_all);
    check(H5Pset_userblock(creation, static_cast<hsize_t>(front.results_at())), "H5Pset_userblock");
  }
  Handle file(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), H5Fclose);
  put_settings(file, facts);
  put_ranks(file, facts);
  const auto n = facts.ranks.size();
  const hsize_t chunk = std::clamp<hsize_t>(std::bit_ceil(n * (n - 1)), 1024, 65536);
  Table::make(file, "steps", step_columns(), 1024);
  const Handle remark = string_type(longest_remark), cause = string_type(longest_cause);
  Table::make_column(file, "/", remark_column(remark), 16, "remarks");
  Table::make(file, "local_faults", local_fault_columns(cause), 16);
  if (facts.reads_hosts)
    Inventory::make(file, std::set(facts.host_of.begin(), facts.host_of.end()).size(), facts.ranks.size());
  const Handle sizes = make_group(file, "sizes");
  if (!facts.options.pattern.empty()) make_pattern(file, facts);
  for (const auto bytes : facts.options.pair_sizes()) {
    const Handle group =
        Table::make(file, fmt::format("sizes/{}", bytes), size_columns(facts.options), chunk);
    put(group, "bytes", std::uint64_t{bytes});
    put(group, "messages", std::int32_t{facts.options.messages_of(bytes)});
    put(group, "rounds_per_lap", std::uint32_t{0});
    put(group, "lead_in", std::uint32_t{0});
    if (facts.options.keep_laps)
      Table::make_column(file, fmt::format("sizes/{}", bytes), laps_column(), 65536, laps_checksums(bytes));
  }
  check(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush");
  return file;
}

}  // namespace everylink::hdf5

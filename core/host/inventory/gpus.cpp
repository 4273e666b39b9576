// GPUs of NVIDIA and the NVLinks between them.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/units.hpp"
#include "host/inventory/nvml.hpp"
#include "host/inventory/parts.hpp"
#include "host/pci_way.hpp"

namespace everylink::inventory {
namespace {

constexpr unsigned most_gpus = 64;
constexpr std::string_view of_counters = "errors/";

// "name: value"
void note_line(Notes& notes, const std::string& part, const std::string& line) {
  const auto colon = line.find(": ");
  if (colon == std::string::npos) return;
  const auto name = plain(line.substr(0, colon)), value = plain(line.substr(colon + 2));
  if (!name) return;
  if (name->starts_with(of_counters))
    notes.counter(part, *name, value);
  else
    notes.fact(part, *name, value);
}

void note_gpu(const Files& files, Notes& notes, const std::string& number, const Answer& lines) {
  const std::string part = "gpu/" + number;
  for (const auto& line : split(lines.value_or(""), '\n')) note_line(notes, part, line);
  const auto address = notes.facts.find({part, "pci"});
  if (address == notes.facts.end() || !is_component(address->second)) return;
  const std::string folder = "sys/bus/pci/devices/" + address->second;
  read_pci_path(files, notes, part, folder);
  read_device(files, notes, part, folder);
}

// "3/state: active"
void note_links(Notes& notes, const std::string& number, const Answer& lines) {
  for (const auto& line : split(lines.value_or(""), '\n'))
    if (const auto slash = line.find('/'); slash != std::string::npos && count_in(line.substr(0, slash)))
      note_line(notes, fmt::format("nvlink/{}/{}", number, line.substr(0, slash)), line.substr(slash + 1));
}

bool has_gpu(const Files& files) {
  const std::string all = "sys/bus/pci/devices", nvidia = "0x10de", display_controller = "0x03";
  for (const auto& address : files.names(all)) {
    const std::string folder = all + "/" + address;
    if (files.text(folder + "/vendor") == nvidia &&
        files.text(folder + "/class").value_or("").starts_with(display_controller))
      return true;
  }
  return false;
}

std::string fact_of(const Notes& notes, const std::string& part, const std::string& name) {
  const auto found = notes.facts.find({part, name});
  return found == notes.facts.end() ? "" : found->second;
}

// Where a GPU or an adapter is.
struct Place {
  std::string part, pci, node;
  std::vector<std::string> way;

  std::string_view to(const Place& other) const {
    return name_of_way(way, other.way, !node.empty() && node == other.node);
  }
};

std::vector<Place> places_of(const Files& files, const Notes& notes, std::string_view kind) {
  std::vector<Place> places;
  for (const auto& [key, pci] : notes.facts) {
    const auto& [part, name] = key;
    if (name != "pci" || !part.starts_with(kind)) continue;
    const auto folder = notes.folders.find("pci/" + pci);
    const bool is_known = folder != notes.folders.end();
    places.push_back(
        {part, pci, fact_of(notes, "pci/" + pci, "numa_node"),
         is_known ? pci_way(files.real(folder->second).value_or("")) : std::vector<std::string>()});
  }
  return places;
}

// The NVLinks of a GPU that are up, by the PCI address at their other end; "": no GPU of this host, so a
// switch.
std::map<std::string, int> links_of(const Notes& notes, const Place& gpu, const std::vector<Place>& gpus) {
  std::map<std::string, int> links;
  const std::string number = gpu.part.substr(gpu.part.find('/') + 1), all = "nvlink/" + number + "/";
  for (auto fact = notes.facts.lower_bound({all, ""}); fact != notes.facts.end(); ++fact) {
    const auto& [part, name] = fact->first;
    if (!part.starts_with(all)) break;
    if (name != "state" || fact->second != "active" || fact_of(notes, part, "remote") == "cpu") continue;
    const auto end = fact_of(notes, part, "remote_pci");
    const bool is_gpu =
        std::any_of(gpus.begin(), gpus.end(), [&](const auto& one) { return one.pci == end; });
    ++links[is_gpu ? end : ""];
  }
  return links;
}

// What lies between each GPU and the other GPUs and the adapters of the host, as nvidia-smi names it.
void note_ways(const Files& files, Notes& notes) {
  const auto gpus = places_of(files, notes, "gpu/");
  std::vector<Place> adapters;
  std::set<std::string> named;  // an interface and its RDMA device are one function
  for (const char* kind : {"ib/", "cxi/", "net/"})
    for (auto& one : places_of(files, notes, kind))
      if (named.insert(one.pci).second) adapters.push_back(std::move(one));
  std::vector<std::map<std::string, int>> links;
  for (const auto& gpu : gpus) links.push_back(links_of(notes, gpu, gpus));
  for (std::size_t i = 0; i < gpus.size(); ++i) {
    std::vector<std::string> to_gpus, to_adapters;
    for (std::size_t j = 0; j < gpus.size(); ++j) {
      if (i == j) continue;
      const int count = links[i][gpus[j].pci] + std::min(links[i][""], links[j][""]);
      const auto way = count > 0 ? fmt::format("NV{}", count) : std::string(gpus[i].to(gpus[j]));
      if (!way.empty()) to_gpus.push_back(fmt::format("{} {}", gpus[j].part, way));
    }
    for (const auto& adapter : adapters)
      if (const auto way = gpus[i].to(adapter); !way.empty())
        to_adapters.push_back(fmt::format("{} {}", adapter.part, way));
    notes.list(gpus[i].part, "to_gpus", to_gpus);
    notes.list(gpus[i].part, "to_adapters", to_adapters);
  }
}

// In a recorded tree, files of ours hold what NVML was asked for.
void read_recorded_gpus(const Files& files, Notes& notes) {
  const std::string all = "everylink/gpu";
  unsigned left = most_gpus;
  for (const auto& number : files.names(all)) {
    if (left-- == 0) break;
    note_gpu(files, notes, number, files.bytes(all + "/" + number + "/gpu"));
    note_links(notes, number, files.bytes(all + "/" + number + "/nvlink"));
  }
  note_ways(files, notes);
}

}  // namespace

// All answers are of one folder, so that nothing more is asked of a driver that hangs. Where there is a GPU,
// but no driver, the library would load it.
void ask_nvml(const Files& files, Notes& notes) {
  const bool has_driver = !files.names("proc/driver/nvidia").empty();
  if (!has_driver && has_gpu(files)) return notes.fact("host", "nvml", "no kernel driver");
  const auto begun = files.ask("nvml/begin", []() -> Answer {
    const auto said = nvml::begin();
    if (const auto* wrong = std::get_if<std::string>(&said)) return *wrong;
    return std::to_string(std::get<unsigned>(said));
  });
  const auto count = count_in(begun.value_or(""));
  bool has_hung = !begun;
  for (unsigned i = 0; count && i < std::min<std::uint64_t>(*count, most_gpus); ++i) {
    const auto number = std::to_string(i);
    const auto gpu = files.ask("nvml/gpu " + number, [i]() -> Answer { return nvml::gpu(i); });
    const auto links = files.ask("nvml/links " + number, [i]() -> Answer { return nvml::links(i); });
    note_gpu(files, notes, number, gpu);
    note_links(notes, number, links);
    has_hung |= !gpu || !links;
  }
  note_ways(files, notes);
  if (count) files.ask("nvml/end", []() -> Answer { return nvml::end(), ""; });
  if (has_driver && (has_hung || !count)) notes.fact("host", "nvml", has_hung ? "no answer in time" : begun);
}

void read_gpus(const Files& files, Notes& notes, bool carry) {
  const auto others = notes.folders;
  if (files.is_system())
    ask_nvml(files, notes);
  else
    read_recorded_gpus(files, notes);
  if (!carry)
    for (const auto& [part, folder] : notes.folders)
      if (!others.contains(part)) notes.facts.erase({part, "current_link_speed"});
}

}  // namespace everylink::inventory

// GPUs of NVIDIA and the NVLinks between them.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <variant>

#include "base/units.hpp"
#include "host/inventory/nvml.hpp"
#include "host/inventory/parts.hpp"

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

// In a recorded tree, files of ours hold what NVML was asked for.
void read_recorded_gpus(const Files& files, Notes& notes) {
  const std::string all = "everylink/gpu";
  unsigned left = most_gpus;
  for (const auto& number : files.names(all)) {
    if (left-- == 0) return;
    note_gpu(files, notes, number, files.bytes(all + "/" + number + "/gpu"));
    note_links(notes, number, files.bytes(all + "/" + number + "/nvlink"));
  }
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
  if (count) files.ask("nvml/end", []() -> Answer { return nvml::end(), ""; });
  if (has_driver && (has_hung || !count)) notes.fact("host", "nvml", has_hung ? "no answer in time" : begun);
}

// The present speed of their PCIe links is not read: a GPU that does nothing lowers it, and messages between
// hosts do not wake it.
void read_gpus(const Files& files, Notes& notes) {
  const auto others = notes.folders;
  if (files.is_system())
    ask_nvml(files, notes);
  else
    read_recorded_gpus(files, notes);
  for (const auto& [part, folder] : notes.folders)
    if (!others.contains(part)) notes.facts.erase({part, "current_link_speed"});
}

}  // namespace everylink::inventory

// Puts a reading together from the parts of the host.
#include "host/host_reader.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <map>
#include <new>
#include <thread>
#include <utility>

#include "base/clock.hpp"
#include "base/environment.hpp"
#include "base/units.hpp"
#include "host/inventory/files.hpp"
#include "host/inventory/parts.hpp"

namespace everylink {

using namespace inventory;

namespace {

void read_all(const Files& files, Notes& notes, bool gpus_carry) {
  read_identity(files, notes);
  read_cores(files, notes);
  read_interfaces(files, notes);
  read_rdma(files, notes);
  read_cxi(files, notes);
  read_gpus(files, notes, gpus_carry);
  read_host_counters(files, notes);
}

// "UCX 1.13.1": files of this library do not carry its version.
void note_libraries(Notes& notes, const std::string& libraries) {
  const std::string name = "UCX ";
  for (const auto& one : split(libraries, ','))
    if (one.starts_with(name)) notes.fact("host", "library/ucx", plain(one.substr(name.size())));
}

}  // namespace

struct HostReader::Watch {
  std::shared_ptr<std::atomic<bool>> over = std::make_shared<std::atomic<bool>>(false);
  Seconds began = steady_now();
  std::set<std::string> hung;  // beside ranks that measure, a thread may only have waited for a core
  std::optional<Reading> reading = {};
};

std::optional<std::string> root_of_host(const std::string& host) {
  std::string root = variable("EVERYLINK_SYSFS");
  if (root == "none") return {};
  if (root.empty()) return "/";
  const std::string place = "%h";
  const bool is_name = host.empty() || is_component(host);
  for (auto at = root.find(place); at != std::string::npos; at = root.find(place, at)) {
    if (!is_name) return {};
    root.replace(at, place.size(), host);
    at += host.size();
  }
  return root;
}

HostReader::HostReader(std::string root, std::string libraries, bool gpus_carry)
    : root_(std::move(root)), libraries_(std::move(libraries)), gpus_carry_(gpus_carry) {}
HostReader::~HostReader() = default;

std::optional<HostReading> HostReader::read(std::uint32_t number, Moment moment) {
  const Seconds began = steady_now();
  wait_for_counters();
  const auto work = [libraries = libraries_, gpus_carry = gpus_carry_](const Files& files, Notes& notes) {
    read_all(files, notes, gpus_carry);
    note_libraries(notes, libraries);
  };
  Reading reading(root_, work, hung_);
  auto notes = reading.finish();
  if (!notes) return {};
  return changed(number, moment, began, std::move(*notes), reading.unread());
}

void HostReader::forget() { last_ = {}; }

std::optional<HostReading> HostReader::changed(std::uint32_t number, Moment moment, Seconds began,
                                               Notes notes, unsigned unread) {
  HostReading reading = changes(last_, notes);
  reading.number = number;
  reading.moment = moment;
  reading.took = steady_now() - began;
  reading.unread = unread;
  last_ = std::move(notes);
  return reading.is_sound() ? std::optional(std::move(reading)) : std::nullopt;
}

// An adapter may tell its counters from a copy of up to this age, in milliseconds.
void HostReader::wait_for_counters() const {
  constexpr std::uint64_t most = 50;
  std::uint64_t longest = 0;
  for (const auto& [key, value] : last_.facts)
    if (key.second == "hw_counters/lifespan")
      longest = std::max(longest, std::min(count_in(value).value_or(0), most));
  std::this_thread::sleep_for(std::chrono::milliseconds(longest));
}

void HostReader::begin_watching() {
  std::map<std::string, std::string> links;
  for (const auto& [part, folder] : last_.folders)
    if (last_.facts.contains({part, "current_link_speed"})) links[part] = folder;
  if (links.empty()) return;
  watch_ = std::make_unique<Watch>();
  const auto work = [over = watch_->over, links](const Files& files, Notes& notes) {
    constexpr auto between = std::chrono::milliseconds(1);
    notes.folders = links;
    for (watch_links(files, notes); !*over; watch_links(files, notes)) std::this_thread::sleep_for(between);
  };
  watch_->hung = hung_;
  watch_->reading.emplace(root_, work, watch_->hung);
}

std::optional<HostReading> HostReader::end_watching(std::uint32_t number) {
  const auto watch = std::exchange(watch_, nullptr);
  if (!watch) return {};
  *watch->over = true;
  const auto seen = watch->reading->finish();
  if (!seen) return {};
  Notes notes = last_;
  for (const auto& [key, value] : seen->facts) notes.facts[key] = value;
  return changed(number, Moment::under_load, watch->began, std::move(notes), watch->reading->unread());
}

}  // namespace everylink

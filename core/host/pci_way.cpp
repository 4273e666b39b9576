// PCI functions are nested as folders of /sys.
#include "host/pci_way.hpp"

#include <algorithm>
#include <array>

#include "base/units.hpp"

namespace everylink {
namespace {

constexpr std::array<std::string_view, 5> names_of_ways{"PIX", "PXB", "PHB", "NODE", "SYS"};

}  // namespace

std::vector<std::string> pci_way(std::string_view path) {
  std::vector<std::string> way;
  for (const auto& name : split(std::string(path), '/')) {
    const auto colons = std::count(name.begin(), name.end(), ':');
    const bool is_root = name.starts_with("pci") && colons > 0;
    if (is_root) way.clear();
    if (is_root || (!way.empty() && colons == 2))
      way.push_back(name);
    else if (!way.empty())
      break;
  }
  return way;
}

std::string_view name_of_way(const std::vector<std::string>& one, const std::vector<std::string>& other,
                             bool one_node) {
  if (one.empty() || other.empty()) return "";
  const auto [a, b] = std::mismatch(one.begin(), one.end(), other.begin(), other.end());
  const auto shared = a - one.begin();
  if (shared == 0) return one_node ? "NODE" : "SYS";
  if (shared == 1) return "PHB";
  constexpr auto through_a_switch = 2;  // its port, and the function
  return one.end() - a <= through_a_switch && other.end() - b <= through_a_switch ? "PIX" : "PXB";
}

int distance_of_way(std::string_view name) {
  return static_cast<int>(std::find(names_of_ways.begin(), names_of_ways.end(), name) -
                          names_of_ways.begin());
}

}  // namespace everylink

// What is read of a host: single values, neighbours of switches, places of PCI functions.
#include "base/units.hpp"
#include "fuzz.hpp"
#include "host/inventory/files.hpp"
#include "host/inventory/lldp.hpp"
#include "host/inventory/parts.hpp"
#include "host/pci_way.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(inventory) {
  fuzz::Pieces in(bytes);
  const int what = in.byte() % 4;
  const std::string text = fuzz::text_of(in.rest());
  switch (what) {
    case 0: inventory::neighbour_in(text); break;
    case 1: inventory::count_in(inventory::plain(text).value_or("")); break;
    case 2: inventory::is_of_one_queue(text); break;
    case 3: {
      const auto lines = split(text, '\n');
      distance_of_way(name_of_way(pci_way(lines.front()), pci_way(lines.back()), lines.size() > 1));
    }
  }
}

// The platform that SimGrid loads: every cable and route from the file that fabric.py writes, with faults.
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace sg = simgrid::s4u;

namespace {

[[noreturn]] void give_up(const std::string& what) {
  std::cerr << "platform: " << what << '\n';
  std::exit(1);
}

// host NAME | way NAME BANDWIDTH LATENCY | route FROM TO WAY...; hosts and ways are numbered from 0 in their
// order, and routes refer to the numbers.
class Reader {
 public:
  explicit Reader(sg::NetZone& zone) : zone_(zone) {}

  void take(const std::string& line) {
    std::istringstream words(line);
    std::string kind, name;
    words >> kind;
    if (kind == "host") {
      words >> name;
      hosts_.push_back(zone_.create_host(name, 1e9)->seal());
    } else if (kind == "way") {
      double bandwidth = 0, latency = 0;
      words >> name >> bandwidth >> latency;
      ways_.push_back(zone_.create_link(name, bandwidth)->set_latency(latency)->seal());
    } else if (kind == "route") {
      std::size_t from = 0, to = 0;
      words >> from >> to;
      std::vector<sg::LinkInRoute> route;
      for (std::size_t way = 0; words >> way;) route.emplace_back(ways_.at(way));
      zone_.add_route(hosts_.at(from)->get_netpoint(), hosts_.at(to)->get_netpoint(), nullptr, nullptr, route,
                      false);
    } else {
      give_up("invalid line '" + line + "'");
    }
  }

 private:
  sg::NetZone& zone_;
  std::vector<sg::Host*> hosts_;
  std::vector<sg::Link*> ways_;
};

}  // namespace

extern "C" void load_platform(const sg::Engine&) {
  const char* path = std::getenv("EVERYLINK_SMPI_FABRIC");
  std::ifstream file(path ? path : "");
  if (!file) give_up("EVERYLINK_SMPI_FABRIC does not name a readable file; testbed/smpi/smpi writes one");
  sg::NetZone* zone = sg::create_full_zone("fabric");
  Reader reader(*zone);
  for (std::string line; std::getline(file, line);) reader.take(line);
  zone->seal();
}

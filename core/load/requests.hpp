// The two ends of a connection over which a client asks its server for bulk data
// (docs/decisions/0006-patterns.md).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "load/flow_driver.hpp"

namespace everylink {

class Client;
class Server;

// What the connections of a rank share.
struct Desk {
  // Of a client: requests go round its servers, and no more than so many are under way.
  int most_in_flight = 0;
  std::deque<Client*> turns;      // who has requests left, the next one first
  std::deque<Client*> in_flight;  // whom each request under way belongs to, the oldest first
  // Of a server: each request that came takes a place, the oldest first.
  std::vector<int> places;  // that are free
  std::deque<Server*> waiting;
  Seconds moved = 0;    // when any of its connections did
  Seconds longest = 0;  // that a reply, or serving, took
};

struct AskedContext {
  const Asking& asking;
  FlowKind kind;
  Patience patience;
  bool check;
  Desk& desk;
  OneSided& (*one_sided)(Link&);
};

std::unique_ptr<FlowDriver> make_asked_driver(const FlowDriver::Context&, const AskedContext&,
                                              std::unique_ptr<Link>, bool asks);

}  // namespace everylink

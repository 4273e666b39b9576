// The client's and the server's end of a connection over which the client requests bulk data
// (docs/decisions/0057-requests-are-flows.md).
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/seconds.hpp"
#include "load/flow_driver.hpp"

namespace everylink {

class Client;
class Server;

// The requests of a rank, shared by all its connections.
struct RequestQueues {
  // On a client: it sends to its servers in rotation, with at most `most_in_flight` requests in flight.
  int most_in_flight = 0;
  std::deque<Client*> to_send;    // connections with requests to send, the next one first
  std::deque<Client*> in_flight;  // the connection of each request in flight, the oldest first
  // On a server: each request takes a free place, the oldest first.
  std::vector<int> free_places;
  std::vector<int> spare_places;  // beyond those, for messages that are verified at the end
  bool has_contents = false;      // the free places are written
  std::deque<Server*> waiting;    // the connection of each request without a place, the oldest first
  Seconds last_progress = 0;      // of any connection
  Seconds longest = 0;            // time of a reply or a service
};

struct RequestContext {
  const RequestLoad& request_load;
  FlowKind kind;
  ReplyTimeout reply_timeout;
  bool check;
  RequestQueues& queues;
  OneSided& (*one_sided)(Link&);
};

std::unique_ptr<FlowDriver> make_request_driver(const FlowDriver::Context&, const RequestContext&,
                                                std::unique_ptr<Link>, bool is_client);

}  // namespace everylink

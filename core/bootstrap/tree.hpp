// The place of each rank in the tree: rank 0's decision as the ranks arrive.
#pragma once

#include <cstddef>
#include <map>
#include <vector>

#include "bootstrap/admission.hpp"
#include "bootstrap/place.hpp"
#include "net/cipher.hpp"

namespace everylink {

// Up to `above` ranks: a star. Above: the first rank of a host to arrive leads the others of its host, and
// leader i is below leader (i - 1) / 32 in the order of arrival. That one arrived before it and is reached at
// the addresses that it gave. Rank 0 is number 0 and leads its own host.
class Tree {
 public:
  Tree(int size, const Mac& own_host, int above);
  Reply place(const Hello&);  // welcome or redirected
  // Up to four ranks on different hosts that keep listening for ranks that cannot reach rank 0.
  const std::vector<Relay>& relays() const { return relays_; }
  // How many ranks send an answer on, one after the other, before the last rank has it.
  int levels() const;

 private:
  Reply welcome(const Hello&, bool leads);
  Reply redirect_to(const Relay&, bool leads) const;

  bool is_star_;
  Mac own_host_;
  std::vector<Relay> leaders_;            // in the order of arrival
  std::map<Mac, std::size_t> leader_of_;  // by host
  std::vector<Relay> relays_;
};

}  // namespace everylink

// How the ranks of a run were started: each way only yields a Place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/types.hpp"
#include "bootstrap/hmac.hpp"
#include "bootstrap/launcher.hpp"
#include "net/socket.hpp"

namespace everylink {

// A rank that listens for others, so that who cannot reach rank 0 reaches it through this one.
struct Relay {
  int rank;
  std::vector<Address> addresses;
};

struct Place {
  int rank, size;
  std::string bootstrap;               // local, stdin, tcp, slurm, pmix, pmi, mpi
  std::vector<Address> rendezvous;     // where rank 0 listens; the first that answers
  Socket listener;                     // of rank 0, and of those who are relays from the start
  std::unique_ptr<Launcher> launcher;  // where it can still do something for us
  Key key = {};                        // of the run: who has it belongs to it
  std::vector<Relay> relays = {};      // known from the start
  Address own = {};                    // of the chosen interface; of length 0: none was chosen
  std::string host = {};               // told from all others; "": this machine and its network namespace
  bool ends_together = false;          // what started the ranks ends all when one ends early, or in error
  struct {
    int index = 0, of = 0;
  } core = {};  // of so many ranks that are to have a core of their own, where there are enough; 0: none is
};

// Where the others may call this listener: every address of this machine if it listens on all, loopback only
// if there is no other.
std::vector<Address> addresses_of(const Socket& listener);

// --np N: starts N processes on this machine. The body runs in each child, and its result is the child's exit
// code; the parent stays behind as their supervisor, and gets rank 0's exit code.
int run_here(int ranks, const std::function<int(Place)>& body);

// --bootstrap stdin: `everylink run --hosts` says on the standard input which ranks run on this host, and
// where they meet (host_ranks.cpp). As above; `may_start` is called before rank 0 is started.
int run_on_host(const std::string& interface, const std::function<void()>& may_start,
                const std::function<int(Place)>& body);

// Of EVERYLINK_KEY or EVERYLINK_KEY_FILE; empty where neither is set. Throws UsageError.
Key key_from_variables();
void must_share_a_key(const Key&, const std::string& where);  // throws UsageError for an empty one

// Where we listen: the address of the chosen interface; of length 0: none is chosen.
Address address_of(const std::string& interface);

// Where rank 0 waits for the others, one after the other of however many call at once.
Socket listener_at(const Address&);
// At `own`, or at every address of this machine where none was chosen; port 0: any.
Socket listener_of_rank_0(const Address& own, int port = 0);

// EVERYLINK_RANK, EVERYLINK_SIZE, EVERYLINK_RENDEZVOUS=host:port[,host:port...] (rank k listens at the k-th),
// EVERYLINK_KEY or EVERYLINK_KEY_FILE. `interface`: name or address of the one to listen on; "": as the
// rendezvous says. Throws UsageError.
bool variables_are_set();
Place place_from_variables(const std::string& interface);

// The tasks of an srun without PMI: SLURM_PROCID, SLURM_STEP_NUM_TASKS, a key, and EVERYLINK_RENDEZVOUS; that
// one not set: the first host of SLURM_STEP_NODELIST, at the first of SLURM_STEP_RESV_PORTS or a port made
// from job and step.
bool slurm_is_here();
Place place_from_slurm(const std::string& interface);

// Started by `launcher` ("pmix", "pmi", "mpi"), which tells everybody rank 0's addresses and the key that it
// drew.
Place place_from_launcher(const std::string& launcher, const std::string& interface);
}  // namespace everylink

// How the ranks of a run were started. Each way yields a Place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ranks.hpp"
#include "bootstrap/attendance.hpp"
#include "bootstrap/key.hpp"
#include "bootstrap/launcher.hpp"
#include "net/cipher.hpp"
#include "net/network.hpp"
#include "net/socket.hpp"

namespace everylink {

// A rank that listens for others, so that ranks that cannot reach rank 0 reach it through this one.
struct Relay {
  int rank = no_rank;
  std::vector<Address> addresses = {};
};

struct Place {
  int rank = 0, size = 0;
  std::string bootstrap = {};               // local, stdin, tcp, slurm, pmix, pmi, mpi
  std::vector<Address> rendezvous = {};     // where rank 0 listens; the first that answers
  std::unique_ptr<Listener> listener = {};  // of rank 0, and of ranks that are relays from the start
  std::unique_ptr<Launcher> launcher = {};  // where it can still do something for us
  Key key = {};                             // of the run: processes that have it belong to it
  std::vector<Relay> relays = {};           // known from the start
  Address own = {};                         // of the chosen interface; of length 0: none was chosen
  std::string host = {};                // differs for every host; "": this machine and its network namespace
  std::vector<std::string> hosts = {};  // by rank, as the user named them; empty: not known
  std::shared_ptr<Attendance> attendance = {};  // where a supervisor has started this rank
  bool ends_together = false;                   // the launcher ends all ranks when one ends early or in error
  struct {
    int index = 0, of = 0;
  } core = {};  // this rank among the `of` ranks that get a core each, if there are enough; of = 0: none does
};

// Where others can call this rank. Null: nobody ever needs to, all ranks are on this machine.
std::unique_ptr<Listener> listener_for(const Place&, Network&);
Mac host_hash(const Place&);  // hosts are told apart by it

// --np N: starts N processes on this machine. The body runs in each child, and its result is the child's exit
// code. The parent stays behind as their supervisor and gets rank 0's exit code.
int run_here(int ranks, const std::function<int(Place)>& body);

// --bootstrap stdin: `everylink run --hosts` tells on standard input which ranks run on this host, and where
// they meet (local_ranks.cpp). As above; `may_start` is called before rank 0 is started.
int run_on_host(const std::string& interface, const std::function<void()>& may_start,
                const std::function<int(Place)>& body);

// The address of the chosen interface, to listen on; of length 0: none is chosen.
Address address_of(const std::string& interface);

// With room for however many ranks call at once. At all of these addresses of one name, if they are of both
// families; else at the first that this machine has.
std::unique_ptr<Listener> listener_at(const std::vector<Address>&);
// At `own`, or at every address of this machine when none was chosen; port 0: any.
std::unique_ptr<Listener> listener_of_rank_0(const Address& own, int port = 0);

// EVERYLINK_RANK, EVERYLINK_SIZE, EVERYLINK_RENDEZVOUS=host:port[,host:port...] (rank k listens at the k-th),
// EVERYLINK_KEY or EVERYLINK_KEY_FILE. `interface`: name or address of the one to listen on; "": as the
// rendezvous says. Waits up to `patience` for a name that nobody knows yet. Throws UsageError; RunLost when a
// signal ends that wait.
bool variables_are_set();
Place place_from_variables(const std::string& interface, Seconds patience = 0);

// --bootstrap tcp --np N: this process is one of EVERYLINK_SIZE, each of which starts N ranks; the first of
// them listens where the process would. As run_here.
int run_at_place(Place, int ranks, const std::function<int(Place)>& body);

// The tasks of an srun without PMI: SLURM_PROCID, SLURM_STEP_NUM_TASKS, a key, and EVERYLINK_RENDEZVOUS. If
// that is not set, rank 0 listens on the first host of SLURM_STEP_NODELIST, at the first of
// SLURM_STEP_RESV_PORTS or at a port derived from job and step.
bool slurm_is_here();
Place place_from_slurm(const std::string& interface);

// Started by `launcher` ("pmix", "pmi", "mpi"), which tells every rank rank 0's addresses and the key that it
// drew.
Place place_from_launcher(const std::string& launcher, const std::string& interface);

}  // namespace everylink

// How the ranks of a run were started: each way only yields a Place.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bootstrap/hmac.hpp"
#include "net/socket.hpp"
#include "words.hpp"

namespace everylink {

// What a library that started this process can do for us; it is asked at the beginning and at the end.
class Launcher {
 public:
  virtual ~Launcher() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  // Rank 0's bytes to everybody: the one collective call of a run.
  virtual Blob tell_all(View from_rank_0) = 0;
  // The last call. Not clean: the library may hold requests that never end; then it does not return.
  virtual void leave(int exit_code, bool clean) = 0;
};

// The one symbol, `launcher`, of a launcher's module.
struct LauncherEntry {
  int abi;
  std::string_view name;
  std::unique_ptr<Launcher> (*join)();  // throws UsageError when this process was not started that way
};
inline constexpr int launcher_abi = 1;

// A rank that listens for others, so that who cannot reach rank 0 reaches it through this one.
struct Relay {
  int rank;
  std::vector<Address> addresses;
};

struct Place {
  int rank, size;
  std::string bootstrap;               // local, tcp, mpi
  std::vector<Address> rendezvous;     // where rank 0 listens; the first that answers
  Socket listener;                     // of rank 0, and of those who are relays from the start
  std::unique_ptr<Launcher> launcher;  // where a library started us
  Key key = {};                        // of the run: who has it belongs to it
  std::vector<Relay> relays = {};      // known from the start
  Address own = {};                    // of the chosen interface; of length 0: none was chosen
  std::string host = {};               // told from all others; "": this machine and its network namespace
};

// Where the others may call this listener: every address of this machine if it listens on all, loopback only
// if there is no other.
std::vector<Address> addresses_of(const Socket& listener);

// --np N: starts N processes on this machine. The body runs in each child, and its result is the child's exit
// code; the parent stays behind as their supervisor, and gets rank 0's exit code.
int run_here(int ranks, const std::function<int(Place)>& body);

// EVERYLINK_RANK, EVERYLINK_SIZE, EVERYLINK_RENDEZVOUS=host:port[,host:port...] (rank k listens at the k-th),
// EVERYLINK_KEY or EVERYLINK_KEY_FILE. `interface`: name or address of the one to listen on; "": as the
// rendezvous says. Throws UsageError.
bool variables_are_set();
Place place_from_variables(const std::string& interface);

// Started by mpirun or srun: MPI tells rank, size, rank 0's addresses and the key that it drew.
Place place_from_mpi(const std::string& interface);
// What mpirun or srun said in this process's environment; "" or -1 where they did not.
struct LauncherHint {
  std::string name;
  int rank = no_rank, size = -1;
};
LauncherHint launcher_hint();

}  // namespace everylink

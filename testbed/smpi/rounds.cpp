// Joining without TCP: the simulator's ranks share one process, in which they may sleep only in calls of the
// simulator. So rounds use a board in shared memory, and take no virtual time. No rank is ever late or gone
// here. If all ranks wait, the simulator reports it and ends the run.
#include <mpi.h>

#include <simgrid/s4u.hpp>

#include "base/errors.hpp"
#include "bootstrap/bootstrap.hpp"

namespace everylink {
namespace {

struct Message {
  Blob to_rank_0;
  std::vector<Offer> offers;
};

// After a barrier, a rank sees everything that was written before it.
struct Board {
  explicit Board(int ranks)
      : messages(static_cast<std::size_t>(ranks)),
        all_submitted(simgrid::s4u::Barrier::create(static_cast<unsigned>(ranks))),
        answered(simgrid::s4u::Barrier::create(static_cast<unsigned>(ranks))) {}

  std::vector<Message> messages;
  Blob decision;
  simgrid::s4u::BarrierPtr all_submitted, answered;
};

class Rounds final : public Bootstrap {
 public:
  explicit Rounds(const Place& place) : rank_(place.rank), size_(place.size) {
    if (rank_ == 0) board_ = new Board(size_);  // never freed: any rank may be its last reader
    if (MPI_Bcast(&board_, sizeof board_, MPI_BYTE, 0, MPI_COMM_WORLD) != MPI_SUCCESS)
      throw MachineError("MPI_Bcast failed");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::optional<Round> round(View to_rank_0, const std::vector<Offer>& offers, Seconds,
                             const Decide& decide) override {
    message(rank_) = {{to_rank_0.begin(), to_rank_0.end()}, offers};
    board_->all_submitted->wait();
    std::vector<Blob> from_peers(offers.size());
    for (std::size_t i = 0; i < offers.size(); ++i) {
      if (offers[i].peer == no_rank) continue;
      const auto& theirs = message(offers[i].peer).offers;
      if (i < theirs.size() && theirs[i].peer == rank_) from_peers[i] = theirs[i].bytes;
    }
    if (rank_ == 0) {
      std::vector<Submitted> submitted;
      for (int rank = 0; rank < size_; ++rank) submitted.push_back({rank, message(rank).to_rank_0});
      board_->decision = decide(submitted, {}).text;
    }
    board_->answered->wait();
    return Round{.number = number_++, .decision = board_->decision, .from_peers = std::move(from_peers)};
  }

 private:
  Message& message(int rank) { return board_->messages[static_cast<std::size_t>(rank)]; }

  const int rank_, size_;
  Board* board_ = nullptr;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> join(Place& place, Seconds) { return std::make_unique<Rounds>(place); }

}  // namespace everylink

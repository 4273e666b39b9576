// Joining by MPI's own messages instead of TCP: the simulator's ranks share one process, in which nobody may sleep
// but in a call of MPI. Nobody is ever late or gone here, and where all wait the simulator ends the run and says so.
#include <mpi.h>

#include "bootstrap/bootstrap.hpp"
#include "errors.hpp"
#include "pack.hpp"

namespace everylink {
namespace {

constexpr std::size_t first_part = 4096;  // of a letter: most are one message

class Rounds final : public Bootstrap {
 public:
  explicit Rounds(const Place& place) : rank_(place.rank), size_(place.size) {
    if (MPI_Comm_dup(MPI_COMM_WORLD, &ours_) != MPI_SUCCESS) throw MachineError("MPI_Comm_dup failed");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  std::optional<Round> round(View to_rank_0, int peer, View to_peer, Seconds, const Decide& decide) override {
    const Letter mine{peer, {to_rank_0.begin(), to_rank_0.end()}, {to_peer.begin(), to_peer.end()}};
    return rank_ == 0 ? lead(mine, decide) : follow(mine);
  }

 private:
  struct Letter {
    int peer;
    Blob to_rank_0, to_peer;
  };

  Round lead(const Letter& mine, const Decide& decide) {
    std::vector<Letter> letters{mine};
    std::vector<Handed> handed{{0, mine.to_rank_0}};
    for (int rank = 1; rank < size_; ++rank) {
      const Blob bytes = receive(rank);
      Unpacker in(bytes);
      letters.push_back({in.get<int>(), in.list<std::byte>(), in.list<std::byte>()});
      handed.push_back({rank, letters.back().to_rank_0});
    }
    const Blob word = decide(handed, {});
    const auto for_rank = [&](int rank) {
      const int peer = letters[static_cast<std::size_t>(rank)].peer;
      if (peer == no_rank) return Blob();
      const Letter& theirs = letters[static_cast<std::size_t>(peer)];
      return theirs.peer == rank ? theirs.to_peer : Blob();
    };
    for (int rank = 1; rank < size_; ++rank) send(rank, Packer().add(word).add(for_rank(rank)).take());
    return {number_++, word, {}, for_rank(0)};
  }

  Round follow(const Letter& mine) {
    send(0, Packer().add(mine.peer).add(mine.to_rank_0).add(mine.to_peer).take());
    const Blob answer = receive(0);
    Unpacker in(answer);
    Blob word = in.list<std::byte>();
    return {number_++, std::move(word), {}, in.list<std::byte>()};
  }

  // A letter's length and its first part, and the rest of it, if there is any.
  void send(int to, const Blob& letter) const {
    const std::size_t first = std::min(letter.size(), first_part);
    Blob bytes = Packer().add(std::uint64_t{letter.size()}).take();
    bytes.insert(bytes.end(), letter.begin(), letter.begin() + static_cast<std::ptrdiff_t>(first));
    MPI_Send(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, 0, ours_);
    if (first < letter.size())
      MPI_Send(letter.data() + first, static_cast<int>(letter.size() - first), MPI_BYTE, to, 0, ours_);
  }

  Blob receive(int from) const {
    Blob bytes(sizeof(std::uint64_t) + first_part);
    MPI_Recv(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, from, 0, ours_, MPI_STATUS_IGNORE);
    Unpacker in(bytes);
    const std::size_t whole = in.get<std::uint64_t>(), first = std::min(whole, first_part);
    bytes.erase(bytes.begin(), bytes.begin() + sizeof(std::uint64_t));
    bytes.resize(whole);
    if (first < whole)
      MPI_Recv(bytes.data() + first, static_cast<int>(whole - first), MPI_BYTE, from, 0, ours_, MPI_STATUS_IGNORE);
    return bytes;
  }

  const int rank_, size_;
  MPI_Comm ours_ = MPI_COMM_NULL;
  std::uint64_t number_ = 0;
};

}  // namespace

std::unique_ptr<Bootstrap> join(Place& place, Seconds, int) { return std::make_unique<Rounds>(place); }

}  // namespace everylink

// Runs the ranks of the contract tests over one transport.
#include "contract.hpp"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "memory/cuda/driver.hpp"
#include "net/tcp_network.hpp"

namespace everylink::contract {

std::string mode_name, mode_options;

namespace {

Place mpi_place;
std::unique_ptr<Bootstrap> mpi_world;  // one for all tests: MPI starts once
bool mpi_is_clean = true;              // no test left a message in flight

// Shares failures and messages in flight among all ranks: rank 0 may have to end all ranks.
void gather(int& failed, bool& clean) {
  const Blob ours{std::byte(failed != 0), std::byte(!clean)};
  const auto round = mpi_world->round(ours, {}, patience(), [](auto submitted, auto gone) {
    Blob all{std::byte(!gone.empty()), std::byte{0}};
    for (const auto& one : submitted)
      for (std::size_t i = 0; i < all.size(); ++i) all[i] |= one.to_rank_0.at(i);
    return all;
  });
  if (!round) throw MachineError("a rank of the test is lost");
  failed = std::to_integer<int>(round->decision.at(0));
  clean = round->decision.at(1) == std::byte{0};
}

}  // namespace

std::string memory_name() {
  const char* name = std::getenv("EVERYLINK_TEST_MEMORY");
  return name ? name : "host";
}

Seconds patience() {
  const char* factor = std::getenv("EVERYLINK_TEST_PATIENCE");
  return 20 * (factor ? std::atof(factor) : 1);
}

Seconds limit() { return patience() / 20; }

Rank::Rank(Bootstrap& world, std::size_t bytes) : world_(world), bytes_(bytes) {
  make_memories();
  make_transport(parse_settings(mode_options, "mode"));
}

// Of a GPU, each rank takes the next one.
void Rank::make_memories() {
  const auto& memory = memory_named(memory_name());
  const auto gpus = memory.needs_gpu ? cuda::gpus().size() : 0;
  const int gpu = gpus > 0 ? world_.rank() % static_cast<int>(gpus) : 0;
  const bool for_hosts = transport_named(mode_name).opens_memory;
  out = memory.make(bytes_, gpu, for_hosts);
  in = memory.make(bytes_, gpu, for_hosts);
}

void Rank::make_transport(const Settings& options) {
  transport = transport_named(mode_name).make({.rank = world_.rank(),
                                               .size = world_.size(),
                                               .out = *out,
                                               .in = *in,
                                               .options = options,
                                               .crowded = true,
                                               .contents_matter = true,
                                               .one_machine = true,
                                               .one_sided = one_sided});
}

Round Rank::round(int peer, const Blob& offer, bool last, Seconds limit) {
  auto round = world_.round({}, {{peer, offer}}, limit, [&](auto, auto) { return Blob(1, std::byte{last}); });
  if (!round) throw MachineError("a rank of the test is lost");
  ended_ = round->decision.front() != std::byte{0};
  return std::move(*round);
}

Blob Rank::exchange(int peer, std::uint64_t number) {
  return tell(peer, peer == no_rank ? Blob() : transport->offer(peer, epoch(number)));
}

Blob Rank::exchange_beside_a_stopped_one(int peer, std::uint64_t number) {
  const Blob offer = transport->offer(peer, epoch(number));
  for (;;) {
    const auto theirs = round(peer, offer, false, patience() / 20).from_peers;
    if (!theirs.empty() && !theirs.front().empty()) return theirs.front();
  }
}

void Rank::idle() {
  while (!ended_) round(no_rank, {}, false, 10 * patience());
}

void Rank::end() {
  if (!ended_) round(no_rank, {}, true, 10 * patience());
}

std::unique_ptr<Link> Rank::link(int peer, std::uint64_t number) {
  const Blob theirs = exchange(peer, number);
  return peer == no_rank ? nullptr : connect(peer, number, theirs, soon());
}

std::unique_ptr<Link> Rank::connect(int peer, std::uint64_t number, View theirs, Seconds until) {
  return transport->connect(peer, epoch(number), theirs, until).link;
}

void Rank::close_or_abandon(std::unique_ptr<Link> link) {
  if (link->close(transport->now() + limit()) != Outcome::ok) abandon(std::move(link));
}

void Rank::abandon(std::unique_ptr<Link> link) {
  mpi_is_clean = false;
  static_cast<void>(link.release());
  static_cast<void>(transport.release());
  static_cast<void>(out.release());
  static_cast<void>(in.release());
  make_memories();
  make_transport(parse_settings(mode_options, "mode"));
}

void on_ranks(int ranks, std::size_t bytes, const std::function<void(Rank&)>& body) {
  if (mpi_world) {
    Rank rank(*mpi_world, bytes);
    rank.begin_test();
    if (rank.rank() >= ranks) return rank.idle();
    body(rank);
    return rank.end();
  }
  auto listener = tcp_network().listen(loopback(0), ranks);
  const auto rendezvous = listener->addresses();
  std::vector<pid_t> children;
  for (int r = 0; r < ranks; ++r) {
    const pid_t child = ::fork();
    if (child == 0) {
      try {
        Place place{.rank = r, .size = ranks, .bootstrap = "local", .rendezvous = rendezvous};
        if (r == 0) place.listener = std::move(listener);
        listener.reset();
        const auto world = join(place, patience());
        Rank rank(*world, bytes);
        body(rank);
        rank.end();
      } catch (const std::exception& error) {
        ADD_FAILURE() << "rank " << r << ": " << error.what();
      }
      std::fflush(stdout);
      ::_exit(::testing::Test::HasFailure());
    }
    children.push_back(child);
  }
  listener.reset();
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0) << "a rank of this test failed";
  }
}

}  // namespace everylink::contract

int main(int argc, char** argv) {
  using namespace everylink;
  using namespace everylink::contract;
  ::testing::InitGoogleTest(&argc, argv);
  if (argc < 2) return fmt::print(stderr, "usage: transport_contract_test MODE[:options]\n"), 2;
  const std::string mode = argv[1];
  mode_name = mode.substr(0, mode.find(':'));
  mode_options = mode.find(':') == std::string::npos ? "" : mode.substr(mode.find(':') + 1);
  try {
    transport_named(mode_name);
  } catch (const UsageError& error) {
    constexpr int skipped = 77;  // known to CTest as SKIP_RETURN_CODE
    return fmt::print("{}: the contract cannot run over it: {}\n", mode, error.what()), skipped;
  }
  if (mode_name == "mpi") {
    mpi_place = place_from_launcher("mpi", "");
    mpi_world = join(mpi_place, patience());
  }
  int failed = RUN_ALL_TESTS();
  if (mpi_world) gather(failed, mpi_is_clean);
  const auto& tests = *::testing::UnitTest::GetInstance();
  if (!mpi_world || mpi_world->rank() == 0)
    fmt::print("{}: {} tests of the contract run, {} passed; {} cannot run over it and say why\n", mode,
               tests.test_to_run_count() - tests.skipped_test_count(), tests.successful_test_count(),
               tests.skipped_test_count());
  std::fflush(stdout);
  if (mpi_place.launcher) mpi_place.launcher->leave(failed, mpi_is_clean);
  return failed;
}

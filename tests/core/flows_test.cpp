// Flows whose messages lie in memory that the processor cannot touch: the two ends, over a link within this
// process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "load/flow_driver.hpp"
#include "load/requests.hpp"
#include "memory/memory.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

// Memory of a GPU, as load patterns may use it, and how often they did.
class Hidden final : public Memory {
 public:
  explicit Hidden(std::size_t bytes) : memory_(memory_named("host").make(bytes, 0, false)) {}
  Region region() const override {
    return {.at = nullptr, .bytes = memory_->region().bytes, .kind = MemoryKind::cuda, .gpu = 0};
  }
  void fill(Slice slice, std::uint64_t seed) override { memory_->fill(slice, seed); }
  bool holds(Slice slice, std::uint64_t seed) const override { return memory_->holds(slice, seed); }
  std::byte* host_copy() override {
    ADD_FAILURE() << "the processor touches memory of a GPU";
    return memory_->host_copy();
  }
  std::uint64_t word_at(std::size_t offset) override {
    ++words_read;
    return memory_->word_at(offset);
  }
  void set_word_at(std::size_t offset, std::uint64_t word) override {
    ++words_written;
    memory_->set_word_at(offset, word);
  }

  // What adapters may do.
  void take(Slice to, const Hidden& from, std::size_t at) {
    std::copy_n(from.memory_->region().at + at, to.bytes, memory_->region().at + to.offset);
  }
  void damage(Slice part) { memory_->region().at[part.offset + part.bytes / 2] ^= std::byte{1}; }

  int words_read = 0, words_written = 0;

 private:
  std::unique_ptr<Memory> memory_;
};

// One end of a link. A message is complete once its receive is posted, and a put or get at once. `damages`
// says of each that arrives here whether it is damaged.
class End final : public Link, public OneSided {
 public:
  End(Hidden& out, Hidden& in) : out_(out), in_(in) {}
  void join(End& peer) { peer_ = &peer, peer.peer_ = this; }
  std::function<bool(int number, Slice)> damages = [](int, Slice) { return false; };

  int start_send(Slice slice) override {
    sends_.push_back({slice, open()});
    match(*this, *peer_);
    return sends_.empty() ? last_ : sends_.back().ticket;
  }
  int start_recv(Slice slice) override {
    const int ticket = open();
    receives_.push_back({slice, ticket});
    match(*peer_, *this);
    return ticket;
  }
  int start_put(Slice slice, std::size_t at) override {
    peer_->arrive({at, slice.bytes}, out_, slice.offset);
    return done();
  }
  int start_get(Slice slice, std::size_t at) override {
    arrive(slice, peer_->out_, at);
    return done();
  }
  Outcome flush(Seconds) override { return Outcome::ok; }
  Outcome wait(int ticket, Seconds) override {
    return done_[static_cast<std::size_t>(ticket)] ? Outcome::ok : Outcome::timeout;
  }
  Outcome meet(Seconds) override { return Outcome::ok; }
  Outcome close(Seconds) override { return Outcome::ok; }

 private:
  struct Open {
    Slice slice;
    int ticket;
  };
  int open() {
    done_.push_back(false);
    return last_ = static_cast<int>(done_.size()) - 1;
  }
  int done() {
    const int ticket = open();
    done_.back() = true;
    return ticket;
  }
  static void match(End& from, End& to) {
    while (!from.sends_.empty() && !to.receives_.empty()) {
      const auto [sent, send] = from.sends_.front();
      const auto [slot, receive] = to.receives_.front();
      EXPECT_EQ(sent.bytes, slot.bytes);
      to.arrive(slot, from.out_, sent.offset);
      from.done_[static_cast<std::size_t>(send)] = to.done_[static_cast<std::size_t>(receive)] = true;
      from.sends_.pop_front(), to.receives_.pop_front();
    }
  }
  void arrive(Slice slot, const Hidden& from, std::size_t at) {
    in_.take(slot, from, at);
    if (damages(arrived_++, slot)) in_.damage(slot);
  }

  Hidden &out_, &in_;
  End* peer_ = nullptr;
  std::deque<Open> sends_, receives_;
  std::vector<bool> done_;
  int last_ = 0, arrived_ = 0;
};

struct Clock final : Transport {
  mutable Seconds time = 0;
  Seconds now() const override { return time += 1e-6; }
  Carrier carrier() const override { return {}; }
  Blob offer(int, std::uint64_t) override { return {}; }
  Connection connect(int, std::uint64_t, View, Seconds) override { return {}; }
};

// A flow of 0 to 1: the memories and the link of both ends, in which 0 sends and 1 receives.
struct Ends {
  explicit Ends(FlowLayout of) : layout(of) {
    for (int i = 0; i < 2; ++i) {
      out.push_back(std::make_unique<Hidden>(layout.memory_bytes()));
      in.push_back(std::make_unique<Hidden>(layout.memory_bytes()));
      links.push_back(std::make_unique<End>(*out.back(), *in.back()));
    }
    links[0]->join(*links[1]);
    receiver = links[1].get();
    sender = links[0].get();
  }

  FlowDriver::Context context(std::size_t end) {
    return {.flow = 0,
            .sends = end == 0,
            .lane = 0,
            .turn = 0,
            .layout = layout,
            .duration = 1e-3,
            .messages = messages,
            .transport = clock,
            .virtual_time = nullptr,
            .waits_in_turn = false,
            .out = *out[end],
            .in = *in[end],
            .contents = 7};
  }
  // Outcomes of both ends.
  std::pair<Outcome, Outcome> run(FlowKind kind) {
    std::vector<std::unique_ptr<FlowDriver>> drivers;
    for (const std::size_t end : {0u, 1u}) {
      RequestContext requests{.request_load = load,
                              .kind = kind,
                              .reply_timeout = {1, 1},
                              .check = false,
                              .queues = queues[end],
                              .one_sided = [](Link& link) -> OneSided& { return static_cast<End&>(link); }};
      const bool is_client = (kind == FlowKind::get) == (end == 0);
      drivers.push_back(load.requests
                            ? make_request_driver(context(end), requests, std::move(links[end]), is_client)
                            : make_driver(context(end), std::move(links[end]), kind));
    }
    for (const auto& driver : drivers) driver->write_ends();
    for (const auto& driver : drivers) driver->prepare();
    for (const auto& driver : drivers) driver->begin(1);
    constexpr int enough = 100'000;
    for (int i = 0; i < enough && (drivers[0]->is_open() || drivers[1]->is_open()); ++i)
      for (const auto& driver : drivers)
        if (driver->is_open()) driver->step();
    for (const auto& driver : drivers)
      if (driver->is_whole() && !driver->is_open()) driver->verify_ends();
    return {drivers[0]->result().outcome, drivers[1]->result().outcome};
  }

  const FlowLayout layout;
  std::uint64_t messages = 0;
  RequestLoad load{};
  RequestQueues queues[2];
  Clock clock;
  std::vector<std::unique_ptr<Hidden>> out, in;
  std::vector<std::unique_ptr<End>> links;
  End *sender = nullptr, *receiver = nullptr;
};

constexpr std::size_t bytes = 1000;
constexpr int window = 4;
constexpr std::pair both_ok(Outcome::ok, Outcome::ok);
constexpr std::pair corrupt_there(Outcome::ok, Outcome::corrupt);

Ends bulk(std::uint64_t messages) {
  Ends ends(FlowLayout::of(bytes, note_bytes, window, 1));
  ends.messages = messages;
  return ends;
}

TEST(Flows, copy_a_note_to_a_gpu_only_when_it_changes_and_from_it_once_per_block) {
  constexpr std::uint64_t blocks = 25;
  auto ends = bulk(blocks * window);
  EXPECT_EQ(ends.run(FlowKind::bulk), both_ok);
  EXPECT_EQ(ends.out[0]->words_written, 2 + 2) << "two before the flow; the last two blocks say otherwise";
  EXPECT_EQ(ends.in[1]->words_read, blocks);
}

TEST(Flows, find_wrong_contents_of_the_first_place_and_of_the_last_message) {
  for (const std::uint64_t blocks : {5, 6}) {
    const int all = static_cast<int>(blocks) * (window + 1);
    const int last_of_first_place = (static_cast<int>(blocks) - 1) / 2 * 2 * (window + 1) + 1;
    for (const int damaged : {last_of_first_place, all - 1}) {
      auto ends = bulk(blocks * window);
      ends.receiver->damages = [=](int number, Slice) { return number == damaged; };
      EXPECT_EQ(ends.run(FlowKind::bulk), corrupt_there) << damaged << " of " << all;
    }
  }
}

TEST(Flows, end_when_a_note_says_nothing) {
  auto ends = bulk(100);
  ends.receiver->damages = [](int number, Slice) { return number == window + 1; };
  EXPECT_EQ(ends.run(FlowKind::bulk), corrupt_there);
}

TEST(Flows, verify_pings_at_both_ends) {
  for (const std::size_t size : {note_bytes, std::size_t{100}})
    for (const bool there : {false, true})
      for (const bool damaged : {false, true}) {
        Ends ends(FlowLayout::of(bytes, size, window, 1));
        (there ? ends.receiver : ends.sender)->damages = [=](int, Slice) { return damaged; };
        const auto [leader, follower] = ends.run(FlowKind::ping);
        EXPECT_EQ(there ? follower : leader, damaged ? Outcome::corrupt : Outcome::ok) << size << there;
        if (!damaged) {
          EXPECT_EQ(there ? leader : follower, Outcome::ok);
          EXPECT_EQ(ends.out[0]->words_written, 2 + 2);
        }
      }
}

class PutsAndGets : public testing::TestWithParam<FlowKind> {};
INSTANTIATE_TEST_SUITE_P(, PutsAndGets, testing::Values(FlowKind::put, FlowKind::get));

TEST_P(PutsAndGets, are_verified_at_their_ends) {
  constexpr int requests = 40, slots = 3;
  const auto run = [](int damaged) {
    auto layout = FlowLayout::of(bytes, note_bytes, window, 1);
    if (GetParam() == FlowKind::get) layout.add_spare(2);
    Ends ends(layout);
    ends.load = {.servers = 1, .clients = 1, .requests = requests, .most_in_flight = 5, .slots = slots};
    for (auto& queues : ends.queues) {
      queues.most_in_flight = 5;
      for (int place = 0; place < slots; ++place) queues.free_places.push_back(place);
      for (int i = 0; i < layout.spare; ++i) queues.spare_places.push_back(layout.places() + i);
    }
    int transfers = 0;
    ends.receiver->damages = [&](int, Slice slot) { return slot.bytes == bytes && transfers++ == damaged; };
    return ends.run(GetParam());
  };
  constexpr int none = -1, amid = 20;
  EXPECT_EQ(run(none), both_ok);
  EXPECT_EQ(run(requests - 1), corrupt_there);
  EXPECT_EQ(run(amid), both_ok) << "only the ends are verified";
  if (GetParam() == FlowKind::get) EXPECT_EQ(run(0), corrupt_there) << "its place is not used again";
}

TEST(FlowLayout, has_no_more_spare_places_than_fit_into_256_mib) {
  auto layout = FlowLayout::of(std::size_t{4} << 20, note_bytes, 1, 1);
  const auto without = layout.memory_bytes();
  layout.add_spare(1000);
  EXPECT_EQ(layout.spare, 64);
  EXPECT_EQ(layout.memory_bytes(), without + (std::size_t{256} << 20));
}

}  // namespace
}  // namespace everylink

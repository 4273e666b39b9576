// Both ends of one pair, each alone over a network that always answers, on a clock that the test sets.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "coordinator/pair_campaign.hpp"
#include "kernel/kernel.hpp"
#include "memory/memory.hpp"
#include "protocol/order.hpp"
#include "rank/pair.hpp"
#include "schedule/schedule.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

using Cost = std::function<Seconds(Seconds now)>;  // of one message
constexpr Seconds message = 1e-6;

// Both ends of a link that always works, but for one meeting.
struct Network {
  Cost cost;
  std::optional<int> fails_at = {};  // this meeting
  Seconds now = 0;
  int meetings = 0;
};

class AlwaysAnswers final : public Link {
 public:
  explicit AlwaysAnswers(Network& network) : network_(network) {}
  int start_send(Slice) override { return 0; }
  int start_recv(Slice) override { return 1; }
  Outcome wait(int ticket, Seconds) override {
    if (ticket == 1) network_.now += network_.cost(network_.now);
    return Outcome::ok;
  }
  Outcome meet(Seconds) override {
    return network_.fails_at == network_.meetings++ ? Outcome::timeout : Outcome::ok;
  }
  Outcome close(Seconds) override { return Outcome::ok; }

 private:
  Network& network_;
};

class OneLink final : public Transport {
 public:
  explicit OneLink(Network& network) : network_(network) {}
  Seconds now() const override { return network_.now; }
  Carrier carrier() const override { return {}; }
  Blob offer(int, std::uint64_t) override { return {}; }
  Connection connect(int, std::uint64_t, View, Seconds) override {
    return {.link = std::make_unique<AlwaysAnswers>(network_)};
  }

 private:
  Network& network_;
};

constexpr TransportEntry entry{.abi = transport_abi,
                               .name = "always-answers",
                               .summary = "",
                               .why_unusable = always_usable,
                               .make = nullptr};

struct Meeting {
  int rank = 0, peer = 1;
  std::uint32_t iteration = 0;
  int messages = 100;
  std::int64_t step = 0;
  std::string lacks = {};  // of its host, when the link fails
};

// What one end reports of a step in which it meets the other end.
Report measured(const Meeting& meeting, Network& network) {
  Options options;
  options.sizes = {8};
  options.messages = {meeting.messages};
  options.keep_laps = true;
  OneLink transport(network);
  const auto memory = memory_named("host").make(64, 0, false),
             other = memory_named("host").make(64, 0, false);
  Measure order;
  order.iteration = meeting.iteration;
  order.steps = {{.schedule_step = meeting.step}};
  order.tunings = {{}};
  const std::byte offer[1] = {};
  Carried carried;
  return measure_pair({.options = options,
                       .kernel = kernel_named("semidirectional"),
                       .entry = entry,
                       .rank = meeting.rank,
                       .peer = meeting.peer,
                       .epoch = 1,
                       .order = order,
                       .step = order.step(),
                       .leads_in = true,
                       .budget = 1e9,
                       .messages = 0,
                       .keep = [](const Sample&) {},
                       .lacks =
                           [&](Seconds limit, double enough) {
                             EXPECT_EQ(limit, options.limit(8)) << "however soon it has failed";
                             EXPECT_GT(enough, 4 * meeting.messages) << "each may take a turn at either end";
                             return meeting.lacks;
                           },
                       .carried = carried},
                      transport, *memory, *other, offer);
}

const Sample& link_of(const Report& report) { return report.led.samples.front(); }

TEST(Pair, a_load_that_lessens_during_a_step_favours_neither_direction) {
  const auto lessens = [](Seconds now) { return message * (2 - now / (400 * message)); };
  for (std::uint32_t iteration = 0; iteration < 2; ++iteration) {
    Network here{lessens}, there{lessens};
    const auto mine = measured({.iteration = iteration}, here),
               theirs = measured({.rank = 1, .peer = 0, .iteration = iteration}, there);
    EXPECT_NEAR(link_of(mine).one_way.median / link_of(theirs).one_way.median, 1, 0.05) << iteration;
  }
}

TEST(Pair, a_connection_that_is_slow_at_first_favours_neither_direction) {
  const auto cold = [](Seconds now) { return now < 3 * message ? 2 * message : message; };
  Network here{cold}, there{cold};
  EXPECT_FLOAT_EQ(link_of(measured({}, here)).one_way.median,
                  link_of(measured({.rank = 1, .peer = 0}, there)).one_way.median);
}

// Only the rank that begins measures this early.
bool begins(const Meeting& meeting) {
  Network network{[](Seconds now) { return now < 30 * message ? message : 10 * message; }};
  return link_of(measured(meeting, network)).one_way.min < message;
}

TEST(Pair, one_of_both_ranks_begins_and_the_other_one_in_the_next_iteration) {
  for (int peer = 1; peer < 9; ++peer)
    for (std::uint32_t iteration = 0; iteration < 3; ++iteration) {
      const bool first = begins({.peer = peer, .iteration = iteration});
      EXPECT_NE(first, begins({.rank = peer, .peer = 0, .iteration = iteration}));
      EXPECT_NE(first, begins({.peer = peer, .iteration = iteration + 1}));
    }
}

TEST(Pair, the_messages_of_all_pairs_of_a_step_go_from_lower_to_higher_rank_or_all_back) {
  for (std::int64_t step = 0; step < 6; ++step)
    for (const auto& [low, high] : {std::pair{0, 1}, {0, 6}, {3, 4}, {2, 9}}) {
      EXPECT_EQ(begins({.rank = low, .peer = high, .step = step}), step % 2 == 0) << low << " " << high;
      EXPECT_EQ(begins({.rank = high, .peer = low, .step = step}), step % 2 == 1) << low << " " << high;
    }
}

TEST(Pair, a_rank_begins_with_about_half_of_its_peers) {
  constexpr int ranks = 16;
  const Plan plan = schedule_named("all").make(
      {.size = ranks, .seed = 1, .order = 0, .host_of = std::vector(ranks, 0), .option = {}, .asked_by = {}});
  for (int rank = 0; rank < ranks; ++rank) {
    int with = 0;
    for (std::int64_t step = 0; step < plan.steps; ++step)
      with += begins({.rank = rank, .peer = plan.partner(step, rank), .step = step}) ? 1 : 0;
    EXPECT_NEAR(with, (ranks - 1) / 2.0, 3) << rank;
  }
}

TEST(Pair, all_messages_are_measured_in_both_directions) {
  for (const int messages : {1, 2, 3, 99, 100})
    for (const int rank : {0, 1}) {
      Network network{[](Seconds) { return message; }};
      const auto report = measured({.rank = rank, .peer = 1 - rank, .messages = messages}, network);
      EXPECT_EQ(link_of(report).one_way.n, static_cast<std::uint32_t>(messages));
      EXPECT_EQ(report.led.laps.front().size(), static_cast<std::size_t>(messages));
    }
}

TEST(Pair, a_link_that_was_measured_before_the_other_one_failed_keeps_its_outcome) {
  int kept = 0;
  for (const int rank : {0, 1}) {
    Network network{[](Seconds) { return message; }, 2};  // when the third turn begins
    const auto report = measured({.rank = rank, .peer = 1 - rank}, network);
    kept += link_of(report).outcome == Outcome::ok ? 1 : 0;
    EXPECT_EQ(link_of(report).outcome == Outcome::ok, link_of(report).one_way.n > 0);
  }
  EXPECT_EQ(kept, 1);
}

TEST(Pair, what_fails_because_its_host_lacks_something_is_local_and_what_was_measured_before_stays) {
  std::multiset<Outcome> outcomes;
  for (const int rank : {0, 1}) {
    Network network{[](Seconds) { return message; }, 2};
    const auto report = measured({.rank = rank, .peer = 1 - rank, .lacks = "a processor"}, network);
    outcomes.insert(link_of(report).outcome);
    EXPECT_TRUE(report.fault_is_local) << "also where only the link that the peer leads has failed";
    EXPECT_EQ(report.fault_of_link, "a processor");
  }
  EXPECT_EQ(outcomes, (std::multiset<Outcome>{Outcome::ok, Outcome::local}));
}

TEST(LeadIn, it_lasts_until_all_ranks_have_their_orders_in_a_pair_of_median_speed) {
  std::vector<Report> reports;
  for (const double microseconds : {0.2, 10.0, 10.0, 12.0})
    reports.push_back({.warmup = microseconds * 1e-6});
  EXPECT_EQ(lead_in(reports), 0u);
  reports[0].orders_took = 95e-6;
  EXPECT_EQ(lead_in(reports), 10u);
  EXPECT_EQ(lead_in({{.orders_took = 1.0}}), 0u);  // in virtual time, no rank knows the time of a round
}

}  // namespace
}  // namespace everylink

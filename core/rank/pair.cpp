// Measures one pair in one step.
#include "rank/pair.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds close_limit = 1;
constexpr int probe_messages = 4, probe_window = 16, probe_warmups = 2;
constexpr int warmups_both_ways = 2, most_turns = 4;

Seconds clock_cost(const Transport& clock) {
  constexpr int calls = 200;
  const Seconds begin = clock.now();
  for (int i = 1; i < calls; ++i) clock.now();
  return (clock.now() - begin) / calls;
}

// Of a pair of which nothing is known yet.
Report report_of(const PairWork& work) {
  Report report;
  report.step = work.step.row;
  report.rank = work.rank;
  report.peer = work.peer;
  return report;
}

// Of the link that this rank leads.
Sample sample_of(const PairWork& work, std::size_t size) {
  Sample sample;
  sample.from = static_cast<std::uint32_t>(work.rank);
  sample.to = static_cast<std::uint32_t>(work.peer);
  sample.step = work.step.row;
  sample.size = static_cast<std::uint32_t>(size);
  sample.attempt = work.order.attempt;
  return sample;
}

// A message may cost either end a turn on a processor, and a long one a turn for each piece of it that the
// buffers of a socket hold. Twice that, and some for what precedes the messages, is enough.
double enough_turns(const Turn& all) {
  constexpr double before = 50, piece = 65536;
  const double messages = 2.0 * (all.messages + all.warmups);
  return before + 2 * messages * (1 + static_cast<double>(all.bytes) / piece);
}

class Pair {
 public:
  Pair(const PairWork& work, Transport& transport, Memory& out, Memory& in)
      : work_(work), transport_(transport), out_(out), in_(in), report_(report_of(work)) {}

  Report run(View peer_offer) {
    const auto& sizes = work_.options.sizes;
    Seconds begin = peer_offer.empty() ? transport_.now() : begin_link(work_.entry, transport_, peer_offer);
    last_call_ = begin + work_.budget;
    Seconds until = until_for(begin, sizes.front());
    if (peer_offer.empty())
      state_ = Outcome::absent;
    else if (const Seconds began = connect(peer_offer, until); began > begin) {
      begin = began;
      last_call_ = begin + work_.budget;
      until = until_for(begin, sizes.front());
    }
    const Seconds connected = transport_.now();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (i > 0) until = until_for(transport_.now(), sizes[i]);
      measure(i, until, link_ ? static_cast<float>(connected - begin) : not_known);
      if (report_.interrupted) break;
    }
    if (link_ && state_ == Outcome::ok) state_ = link_->meet(until);
    report_.busy = transport_.now() - connected;
    report_.took = transport_.now() - begin;
    note_traffic();
    if (link_ && link_->close(transport_.now() + close_limit) != Outcome::ok) {
      report_.abandoned = true;
      static_cast<void>(link_.release());  // a library may still hold it
    }
    if (probing() || report_.interrupted) report_.led = {};
    return std::move(report_);
  }

 private:
  bool probing() const { return work_.order.calibrates; }

  // Returns when both ends have begun, in virtual time.
  Seconds connect(View peer_offer, Seconds until) {
    Connection made = connect_or_explain(transport_, work_.peer, work_.epoch, peer_offer, until);
    link_ = std::move(made.link);
    if (link_ && work_.kernel.one_sided) sides_.one_sided = &work_.entry.one_sided(*link_);
    if (link_ && work_.entry.chained) sides_.chained = &work_.entry.chained(*link_);
    if (link_) return made.began;
    state_ = made.is_local ? Outcome::local : transport_.now() < until ? Outcome::broken : Outcome::timeout;
    report_.fault_of_link = std::move(made.fault);
    report_.fault_is_local = made.is_local;
    if (is_doubtful(state_)) blame_this_side(turn_of(0, until));
    return made.began;
  }

  Seconds until_for(Seconds now, std::size_t bytes) const {
    return std::min(now + work_.options.limit(bytes), last_call_);
  }

  Turn turn_of(std::size_t i, Seconds until) const {
    const Options& o = work_.options;
    Turn turn{.bytes = o.sizes[i],
              .messages = o.messages_of(o.sizes[i]),
              .warmups = o.warmups,
              .window = window_used(o),
              .rounds_per_reading = 1,
              .buffers = buffers_used(o),
              .stride = o.stride(),
              .until = until};
    if (probing()) {
      turn.window = std::min(turn.window, probe_window);
      turn.messages = std::max(probe_messages, turn.window);
      turn.warmups = probe_warmups;
      return turn;
    }
    if (work_.messages > 0) {  // fewer, for a slow rank
      const int most = static_cast<int>(work_.messages);
      turn.messages = std::min(turn.messages, most);
      turn.warmups = std::min(turn.warmups, most);
      turn.window = std::min(turn.window, turn.messages);
      return turn;
    }
    const Tuning& tuning = work_.order.tunings[i];
    turn.rounds_per_reading = static_cast<int>(tuning.rounds_per_reading);
    return turn;
  }

  // One link's part of a size: what its turns have given.
  struct Half {
    Laps laps;
    Outcome outcome = Outcome::ok;
    bool is_measured = false;
    bool wrong = false;  // contents
  };

  // The turns of a size. The rank that begins leads again after the other one, so that neither is favoured by
  // what goes on beside this pair, which lessens towards the end of a step. A kernel in which both ranks lead
  // has one turn.
  void measure(std::size_t i, Seconds until, float setup) {
    const Turn all = turn_of(i, until);
    Half led, followed;
    turns_ = 0;
    if (work_.kernel.both_lead) {
      take_turn(i, all, true, led);
      followed = led;
    } else {
      const bool begins = begins_here(i);
      const auto take = [&](const Turn& turn, bool leads) {
        take_turn(i, turn, leads, leads ? led : followed);
      };
      // The warm-up messages of a direction are divided among its turns.
      Turn part = all, other = all, rest = all;
      if (const int warmups = i == 0 ? warmups_before_all() : 0; warmups > 0) {
        Turn warm = all;
        warm.warmups = warmups;
        warm.messages = 0;
        other.warmups = std::max(all.warmups - warmups, 0);
        take(warm, !begins);
      }
      part.messages = part_at_first(all);
      rest.messages -= part.messages;
      rest.warmups = rest.messages > 0 ? std::min(all.warmups, 1) : 0;
      part.warmups -= rest.warmups;
      take(part, begins);
      take(other, !begins);
      if (rest.messages > 0) take(rest, begins);
    }
    keep(i, led, followed, setup);
  }

  void keep(std::size_t i, Half& led, const Half& followed, float setup) {
    report_.interrupted = state_ != Outcome::ok && end_is_wanted();
    if (report_.interrupted) return;  // not the link's fault; a link's sizes are kept together
    const bool fetched_wrong = work_.kernel.fetches && led.wrong;
    Sample sample = sample_of(work_, i);
    sample.setup = setup;
    sample.outcome = fetched_wrong ? Outcome::corrupt : led.outcome;
    if (probing()) report_.needs.push_back(need(i, led.laps));
    report_.notes.push_back({.arrived = state_ == Outcome::absent ? -1 : followed.laps.arrived,
                             .corrupt = followed.wrong || (led.wrong && !fetched_wrong)});
    if (work_.options.keep_laps) report_.led.laps.push_back(led.laps.one_way);
    sample.one_way = statistics_of(led.laps.one_way);
    report_.led.samples.push_back(sample);
    if (!probing()) work_.keep(sample);
  }

  // In every second step the lower rank of each pair, in the others the higher one: where the pairs of a step
  // share a link of the network, their messages go one way together. The other one in the next iteration and
  // at the next size.
  bool begins_here(std::size_t i) const {
    const auto step = static_cast<std::uint64_t>(work_.step.schedule_step);
    const bool low_begins = (step + work_.order.iteration + i) % 2 == 0;
    return low_begins == (work_.rank < work_.peer);
  }

  // Half of the messages, in whole readings of the clock.
  int part_at_first(const Turn& turn) const {
    if (probing()) return turn.messages;
    const int reading = std::max(turn.window * turn.rounds_per_reading, 1);
    const int readings = (turn.messages + reading - 1) / reading;
    return std::min((readings + 1) / 2 * reading, turn.messages);
  }

  // Warm the connection in both directions and last until all other ranks measure too.
  int warmups_before_all() const {
    if (probing()) return 0;
    const int lead_in =
        work_.messages > 0 || !work_.leads_in ? 0 : static_cast<int>(work_.order.tunings.front().lead_in);
    return std::max(lead_in, std::min(work_.options.warmups, warmups_both_ways));
  }

  // Nothing is done after a turn that failed. A link that was measured before that keeps what it has.
  void take_turn(std::size_t i, const Turn& turn, bool leads, Half& half) {
    const bool begins = state_ == Outcome::ok;
    Laps laps;
    if (begins) state_ = run_turn(i, turn, leads, laps, half.wrong);
    if (state_ == Outcome::ok) moved_ = transport_.now();
    if (begins) count(turn, leads, laps);
    add(laps, half.laps);
    const bool was_slow = was_only_slow(half.laps);
    if (begins && is_doubtful(state_)) blame_this_side(turn_of(i, turn.until));
    if (begins || !half.is_measured) half.outcome = was_slow ? Outcome::ok : state_;
    half.is_measured |= begins && turn.messages > 0 && half.outcome == Outcome::ok;
  }

  // A link that failed because this process or its host lacks something is not measured.
  void blame_this_side(const Turn& all) {
    if (end_is_wanted()) return;
    auto cause = work_.lacks(std::min(work_.options.limit(all.bytes), work_.budget), enough_turns(all));
    if (cause.empty()) return;
    state_ = Outcome::local;
    report_.fault_of_link = std::move(cause);
    report_.fault_is_local = true;
  }

  void note_traffic() {
    work_.carried += carried_;
    if (!link_ || !work_.entry.retransmits) return;
    if (const auto segments = work_.entry.retransmits(*link_); segments > 0)
      report_.retransmits.push_back({.to = work_.peer, .segments = segments, .bytes = carried_.sent});
  }

  // Of a turn that failed, what is known to have arrived.
  void count(const Turn& turn, bool leads, const Laps& laps) {
    const auto messages = state_ == Outcome::ok ? turn.warmups + turn.messages : std::max(laps.arrived, 0);
    const auto bytes = static_cast<std::uint64_t>(messages) * turn.bytes;
    const bool sends = leads != work_.kernel.fetches;
    if (sends || work_.kernel.replies) carried_.sent += bytes;
    if (!sends || work_.kernel.replies) carried_.received += bytes;
  }

  static void add(const Laps& turn, Laps& all) {
    all.one_way.insert(all.one_way.end(), turn.one_way.begin(), turn.one_way.end());
    all.arrived =
        turn.arrived < 0 && all.arrived <= 0 ? -1 : std::max(all.arrived, 0) + std::max(turn.arrived, 0);
    all.longest = std::max(all.longest, turn.longest);
    all.last = std::max(all.last, turn.last);
  }

  // The step's time limit ended the turn while messages still arrived, so its laps are valid.
  bool was_only_slow(const Laps& laps) const {
    const Seconds now = transport_.now();
    return state_ == Outcome::timeout && now >= last_call_ && !laps.one_way.empty() &&
           now - std::max(laps.last, moved_) < 3 * laps.longest;
  }

  Outcome run_turn(std::size_t i, const Turn& turn, bool leads, Laps& laps, bool& wrong) {
    if (!work_.options.check && !work_.verifies_ends)
      return work_.kernel.run(*link_, sides_, transport_, leads, turn, laps);
    const auto number = static_cast<std::uint64_t>(i) * most_turns + static_cast<std::uint64_t>(turns_++);
    const auto key = [&](int from) {
      return mix(mix(work_.epoch, static_cast<std::uint64_t>(from)), number);
    };
    Checking checking{out_, in_, key(work_.rank), key(work_.peer)};
    const auto outcome = (work_.options.check ? run_checked : run_with_verified_ends)(
        work_.kernel, *link_, sides_, transport_, leads, turn, laps, checking);
    wrong |= checking.wrong > 0;
    return outcome;
  }

  // Enough rounds that reading the clock takes less than 1 % of their time. Does not matter in virtual time.
  Tuning need(std::size_t i, const Laps& led) {
    Tuning tuning;
    const Options& o = work_.options;
    if (led.one_way.empty()) return tuning;
    const double one_way = *std::min_element(led.one_way.begin(), led.one_way.end());
    const double lap = one_way * (work_.kernel.windowed ? window_used(o) : 2);
    const int messages = o.messages_of(o.sizes[i]);
    const int laps = work_.kernel.windowed ? (messages + window_used(o) - 1) / window_used(o) : messages;
    const Seconds reading = clock_cost(transport_);
    if (reading <= 0 || lap <= 0) return tuning;
    if (i == 0) report_.warmup = work_.kernel.windowed ? one_way : lap;
    if (!o.check)
      tuning.rounds_per_reading =
          static_cast<std::uint32_t>(std::clamp(std::ceil(100 * reading / lap), 1.0, std::ceil(laps / 2.0)));
    return tuning;
  }

  const PairWork& work_;
  Transport& transport_;
  Memory &out_, &in_;
  std::unique_ptr<Link> link_;
  Sides sides_;  // of the same link
  Outcome state_ = Outcome::ok;
  Seconds last_call_ = 0;  // the limit for all sizes together
  Seconds moved_ = 0;      // when the last turn was complete
  int turns_ = 0;          // of this size
  Carried carried_;
  Report report_;
};

}  // namespace

Report pair_not_measured(const PairWork& work, const std::string& cause) {
  Report report = report_of(work);
  report.fault_of_link = cause;
  report.fault_is_local = true;
  if (work.order.calibrates) return report;
  for (std::size_t i = 0; i < work.options.sizes.size(); ++i) {
    Sample sample = sample_of(work, i);
    sample.outcome = Outcome::local;
    report.notes.emplace_back();
    report.led.samples.push_back(sample);
    work.keep(sample);
  }
  return report;
}

Report measure_pair(const PairWork& work, Transport& transport, Memory& out, Memory& in, View peer_offer) {
  return Pair(work, transport, out, in).run(peer_offer);
}

}  // namespace everylink

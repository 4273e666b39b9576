// Measures one pair in one step.
#include "rank/pair.hpp"

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "host/signals.hpp"

namespace everylink {
namespace {

constexpr Seconds close_limit = 1;
// Real time per rank between sending the order to the first rank and the start of the step on the last one.
constexpr Seconds answers_leave_in = 4e-6;
constexpr int probe_messages = 4, probe_window = 16, probe_warmups = 2;

Seconds clock_cost(const Transport& clock) {
  constexpr int calls = 200;
  const Seconds begin = clock.now();
  for (int i = 1; i < calls; ++i) clock.now();
  return (clock.now() - begin) / calls;
}

class Pair {
 public:
  Pair(const PairWork& work, Transport& transport, Memory& out, Memory& in)
      : work_(work), transport_(transport), out_(out), in_(in) {
    report_.step = work.order.step().row;
    report_.rank = work.rank;
    report_.peer = work.peer;
  }

  Report run(View peer_offer) {
    const auto& sizes = work_.options.sizes;
    const Seconds begin =
        peer_offer.empty() ? transport_.now() : begin_link(work_.entry, transport_, peer_offer);
    last_call_ = begin + work_.budget;
    Seconds until = until_for(begin, sizes.front());
    if (peer_offer.empty())
      state_ = Outcome::absent;
    else
      connect(peer_offer, until);
    const Seconds connected = transport_.now();
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (i > 0) until = until_for(transport_.now(), sizes[i]);
      measure(i, until, link_ ? static_cast<float>(connected - begin) : not_known);
      if (report_.interrupted) break;
    }
    report_.busy = transport_.now() - connected;
    report_.took = transport_.now() - begin;
    if (link_ && link_->close(transport_.now() + close_limit) != Outcome::ok) {
      report_.abandoned = true;
      static_cast<void>(link_.release());  // a library may still hold it
    }
    if (probing() || report_.interrupted) report_.led = {};
    return std::move(report_);
  }

 private:
  bool probing() const { return work_.order.calibrates; }

  void connect(View peer_offer, Seconds until) {
    Connection made = transport_.connect(work_.peer, work_.epoch, peer_offer, until);
    link_ = std::move(made.link);
    if (link_ && work_.kernel.one_sided) one_sided_ = &work_.entry.one_sided(*link_);
    if (link_) return;
    state_ = transport_.now() < until ? Outcome::broken : Outcome::timeout;
    report_.fault_of_link = std::move(made.fault);
  }

  Seconds until_for(Seconds now, std::size_t bytes) const {
    return std::min(now + work_.options.limit(bytes), last_call_);
  }

  Turn turn_of(std::size_t i, Seconds until, bool first_turn) const {
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
    if (first_turn && i == 0) turn.warmups += static_cast<int>(tuning.lead_in);
    return turn;
  }

  // Both turns of a size, the lower rank leads first. A kernel in which both ranks lead has one turn.
  void measure(std::size_t i, Seconds until, float setup) {
    Sample sample;
    sample.setup = setup;
    sample.from = static_cast<std::uint32_t>(work_.rank);
    sample.to = static_cast<std::uint32_t>(work_.peer);
    sample.step = work_.order.step().row;
    sample.size = static_cast<std::uint32_t>(i);
    sample.attempt = work_.order.attempt;
    Note note;
    Laps led;
    const int turns = work_.kernel.both_lead ? 1 : 2;
    for (int number = 0; number < turns; ++number) {
      const bool leads = work_.kernel.both_lead || (number == 0) == (work_.rank < work_.peer);
      Laps laps;
      bool corrupt = false;
      if (state_ == Outcome::ok)
        state_ = take_turn(i, turn_of(i, until, number == 0), leads, number, laps, corrupt);
      if (leads) sample.outcome = was_only_slow(laps) ? Outcome::ok : state_;
      if (corrupt && leads && work_.kernel.fetches)
        sample.outcome = Outcome::corrupt;
      else
        note.corrupt |= corrupt;
      if (!leads || work_.kernel.both_lead) note.arrived = state_ == Outcome::absent ? -1 : laps.arrived;
      if (leads) led = std::move(laps);
    }
    report_.interrupted = state_ != Outcome::ok && end_is_wanted();
    if (report_.interrupted) return;  // not the link's fault; a link's sizes are kept together
    if (probing()) report_.needs.push_back(need(i, led));
    report_.notes.push_back(note);
    if (work_.options.keep_laps) report_.led.laps.push_back(led.one_way);
    sample.one_way = statistics_of(led.one_way);
    report_.led.samples.push_back(sample);
    if (!probing()) work_.keep(sample);
  }

  // The step's time limit ended the turn while messages still arrived, so its laps are valid.
  bool was_only_slow(const Laps& laps) const {
    const Seconds now = transport_.now();
    return state_ == Outcome::timeout && now >= last_call_ && !laps.one_way.empty() &&
           now - laps.last < 3 * laps.longest;
  }

  Outcome take_turn(std::size_t i, const Turn& turn, bool leads, int number, Laps& laps, bool& corrupt) {
    if (!work_.options.check) return work_.kernel.run(*link_, one_sided_, transport_, leads, turn, laps);
    const auto key = [&](int from) {
      return mix(mix(work_.epoch, static_cast<std::uint64_t>(from)),
                 (static_cast<std::uint64_t>(i) << 1) | static_cast<std::uint64_t>(number));
    };
    Checking checking{out_, in_, key(work_.rank), key(work_.peer)};
    const auto outcome =
        run_checked(work_.kernel, *link_, one_sided_, transport_, leads, turn, laps, checking);
    corrupt = checking.wrong > 0;
    return outcome;
  }

  // Enough rounds that reading the clock takes less than 1 % of their time, and enough warm-ups to last until
  // all other ranks have their orders. Neither matters in virtual time.
  Tuning need(std::size_t i, const Laps& led) const {
    Tuning tuning;
    const Options& o = work_.options;
    if (led.one_way.empty()) return tuning;
    const double one_way = *std::min_element(led.one_way.begin(), led.one_way.end());
    const double lap = one_way * (work_.kernel.windowed ? window_used(o) : 2);
    const int messages = o.messages_of(o.sizes[i]);
    const int laps = work_.kernel.windowed ? (messages + window_used(o) - 1) / window_used(o) : messages;
    const Seconds reading = clock_cost(transport_);
    if (reading <= 0 || lap <= 0) return tuning;
    if (!o.check)
      tuning.rounds_per_reading =
          static_cast<std::uint32_t>(std::clamp(std::ceil(100 * reading / lap), 1.0, double(laps)));
    const double wait = answers_leave_in * work_.size;
    const double warmups = wait / (work_.kernel.windowed ? one_way : lap);
    if (i == 0 && !o.serial)
      tuning.lead_in = static_cast<std::uint32_t>(std::clamp(std::ceil(warmups) - o.warmups, 0.0, 1e5));
    return tuning;
  }

  const PairWork& work_;
  Transport& transport_;
  Memory &out_, &in_;
  std::unique_ptr<Link> link_;
  OneSided* one_sided_ = nullptr;  // the same link, if the kernel puts or gets
  Outcome state_ = Outcome::ok;
  Seconds last_call_ = 0;  // the limit for all sizes together
  Report report_;
};

}  // namespace

Report measure_pair(const PairWork& work, Transport& transport, Memory& out, Memory& in, View peer_offer) {
  return Pair(work, transport, out, in).run(peer_offer);
}

}  // namespace everylink

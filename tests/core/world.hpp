// Control traffic of a run within one process: each rank is a thread that joins, does its part and leaves.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/errors.hpp"
#include "base/ranks.hpp"
#include "base/seconds.hpp"
#include "bootstrap/bootstrap.hpp"
#include "host/signals.hpp"
#include "net/tcp_network.hpp"

namespace everylink {

inline Seconds patience() {
  const char* factor = std::getenv("EVERYLINK_TEST_PATIENCE");
  return factor ? std::atof(factor) : 1;
}
inline Seconds long_limit() { return 30 * patience(); }    // for what must happen
inline Seconds short_limit() { return 0.2 * patience(); }  // for a rank that does not come

inline System this_system() { return {steady_clock(), tcp_network(), end_is_wanted}; }

inline Blob blob(const std::string& text) {
  const View bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}
inline std::string text(View bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }
using Ranks = std::vector<int>;

// Rank 0's order in these tests: the reports of all ranks, as "1:b 2:c", in the order of arrival.
inline Blob echo(std::span<const Submitted> submitted, std::span<const int>) {
  std::string said;
  for (const auto& one : submitted) said += std::to_string(one.rank) + ":" + text(one.to_rank_0) + " ";
  return blob(said);
}
inline const Decide never = [](auto, auto) -> Blob { throw std::logic_error("only rank 0 decides"); };

// Must outlive the star with ranks that wait for it.
class Event {
 public:
  void happens() { promise_.set_value(); }
  void wait() {
    if (future_.wait_for(std::chrono::duration<double>(long_limit())) != std::future_status::ready)
      throw std::runtime_error("it never happened");
  }

 private:
  std::promise<void> promise_;
  std::shared_future<void> future_ = promise_.get_future().share();
};

class Star {
 public:
  using Part = std::function<void(Bootstrap&)>;
  explicit Star(int size, int tree_above = 512)
      : size_(size),
        tree_above_(tree_above),
        listener_(tcp_network().listen(loopback(0), 64)),
        address_(listener_->addresses()[0]) {}
  ~Star() { wait(); }

  Place place(int rank, int size) {
    return {.rank = rank,
            .size = size,
            .bootstrap = "local",
            .rendezvous = {address_},
            .listener = rank == 0 ? std::move(listener_) : nullptr,
            .key = key_};
  }
  // On a host of this name, as if it were another machine.
  Place place_on(const std::string& host, int rank) {
    Place place = this->place(rank, size_);
    place.bootstrap = "tcp";
    place.host = host;
    return place;
  }
  void start(Place place, Part part) {
    ranks_.push_back(std::async(
        std::launch::async, [place = std::make_shared<Place>(std::move(place)), part, above = tree_above_] {
          part(*join(*place, long_limit(), above, this_system()));
        }));
  }
  void start(int rank, Part part) { start(place(rank, size_), std::move(part)); }
  void wait() {
    for (auto& rank : ranks_) try {
        rank.get();
      } catch (const std::exception& error) {
        ADD_FAILURE() << error.what();
      }
    ranks_.clear();
  }
  const Address& address() const { return address_; }

 private:
  int size_, tree_above_;
  const Key key_ = random_key();
  std::unique_ptr<Listener> listener_;
  Address address_;
  std::vector<std::future<void>> ranks_;
};

inline Round must(std::optional<Round> round) {
  if (!round) throw std::runtime_error("rank 0 is lost");
  return std::move(*round);
}
inline Round submit(Bootstrap& world, const std::string& mine, int peer = no_rank,
                    const std::string& to_peer = "") {
  return must(world.round(blob(mine), {{peer, blob(to_peer)}}, long_limit(),
                          world.rank() == 0 ? Decide(echo) : never));
}

}  // namespace everylink

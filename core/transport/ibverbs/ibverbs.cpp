// ibverbs: reliable queue pairs, created for each step; their numbers travel in the offer.
//
// A link has one queue pair for the handshake with which its ends find each other, one for the tokens of
// `meet`, and one or more for messages. Messages are sends, or writes with immediate data if the kernel sends
// one way. A link does not know its kernel: Setup has this fact, and `verb=` overrides it.
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/seconds.hpp"
#include "transport/ibverbs/ibverbs_link.hpp"

namespace everylink {
namespace {

class IbVerbs final : public Transport {
 public:
  // Creates queue pairs once in advance, so that a refusal by the adapter is reported before measuring.
  explicit IbVerbs(const Setup& setup) : card_(setup) { QueuePairs trial(card_); }

  Carrier carrier() const override {
    Carrier carrier = card_.port.carrier;
    if (card_.setup.out.region().is_of_gpu())
      carrier.gpu.path = "direct";  // it is registered with the adapter
    return carrier;
  }

  Blob offer(int peer, std::uint64_t epoch) override {
    waiting_.erase(waiting_.begin(), waiting_.lower_bound({epoch, 0}));
    auto& pairs = waiting_[{epoch, peer}];
    pairs = std::make_unique<QueuePairs>(card_);
    return pairs->offer().packed();
  }

  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds until) override {
    const VerbsOffer theirs = VerbsOffer::unpacked(peer_offer);
    auto ours = waiting_.extract({epoch, peer});
    std::string fault = why_not(theirs);
    if (ours.empty() || !fault.empty()) return {nullptr, fault};
    auto link = std::make_unique<VerbsLink>(card_, std::move(ours.mapped()), theirs);
    fault = link->shake_hands(card_.setup.rank > peer, until);
    if (!fault.empty()) return {nullptr, fault};
    return {std::move(link)};
  }

 private:
  std::string why_not(const VerbsOffer& theirs) const {
    if (!card_.port.is_active()) return card_.port.state();
    if (!theirs.active) return "the peer's port is not active";
    if (theirs.has_gid != (card_.port.gid_index >= 0))
      return "one of the two ports has a GID, the other only a LID";
    if (theirs.ways.size() != static_cast<std::size_t>(messages + card_.options.queue_pairs))
      return "the peer has a different number of queue pairs (qps=)";
    return {};
  }

  const VerbsCard card_;
  std::map<std::pair<std::uint64_t, int>, std::unique_ptr<QueuePairs>> waiting_;
};

}  // namespace

extern "C" const TransportEntry entry{
    .abi = transport_abi,
    .name = "ibverbs",
    .summary =
        "queue pairs (RC) of InfiniBand and RoCE; device=, port=, gid=, sl=, mtu=, qps=, inline=, "
        "verb=send|write, completion=poll|event",
    .why_unusable = why_no_verbs,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<IbVerbs>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<VerbsLink&>(link); },
    .one_sided_by = "the card",
    .gpu_memory = true};

}  // namespace everylink

// cuda: messages, puts and gets between GPUs, by their own copies. NVLink carries them where GPUs have one,
// PCIe otherwise. GPUs of two hosts can be in one NVLink domain: docs/decisions/0104-fabric-handles.md.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/errors.hpp"
#include "base/settings.hpp"
#include "host/inventory/nvml.hpp"
#include "memory/cuda/driver.hpp"
#include "memory/cuda/sharing.hpp"
#include "net/socket.hpp"
#include "transport/cuda/cuda_link.hpp"
#include "transport/transport.hpp"

namespace everylink {
namespace {

using namespace cuda;

CopyBy copy_in(const Settings& options) {
  const auto copy = setting(options, "copy");
  if (copy.empty() || copy == "engine") return CopyBy::engine;
  if (copy == "sm") return CopyBy::sm;
  throw UsageError("--mode cuda:copy must be engine or sm");
}

// Handles of CUDA IPC are valid among processes with the same value.
std::string host_of_handles() {
  std::error_code none;
  return boot_id() + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

std::string domain_of(const Device& device) {
  for (const auto& gpu : gpus())
    if (gpu.ordinal == device.ordinal()) return inventory::nvml::domain_of(gpu.pci);
  return "";
}

// The allocation of a memory, which mode cuda takes only of kind cuda.
const Allocation& allocation_of(const Memory& memory) {
  if (const auto* allocation = memory.region().allocation) return *allocation;
  throw UsageError("--mode cuda moves messages between memories of GPUs; use --memory cuda");
}

constexpr const char* what_works = " (mode mpi or ucp with --memory cuda would work)";

class Cuda final : public Transport {
 public:
  explicit Cuda(const Setup& setup)
      : setup_(setup),
        device_(device_of(setup.out.region().gpu)),
        links_(std::make_shared<CudaShared>(device_, copy_in(setup.options),
                                            allocation_of(setup.out).is_fabric())) {
    refuse_unknown_options(setup.options, "cuda", {"copy"});
    offer_ = {.host = host_of_handles(),
              .domain = allocation_of(setup.out).is_fabric() ? domain_of(device_) : "",
              .out_bytes = setup.out.region().bytes,
              .in_bytes = setup.in.region().bytes,
              .out = allocation_of(setup.out).share(),
              .in = allocation_of(setup.in).share(),
              .flags = links_->flags.share(),
              .place = 0};
  }

  Carrier carrier() const override {
    std::vector<std::string> lanes;
    if (setup_.options.contains("copy")) lanes.push_back("copy=" + setting(setup_.options, "copy"));
    if (offer_.out.is_fabric()) lanes.emplace_back("fabric handles");
    Carrier carrier{.device = fmt::format("GPU {}", device_.ordinal()),
                    .lanes = fmt::format("{}", fmt::join(lanes, ", ")),
                    .libraries = fmt::format("CUDA {}", version_of_cuda())};
    carrier.gpu.path = "direct";
    return carrier;
  }

  Blob offer(int peer, std::uint64_t epoch) override {
    // A peer may have taken up an offer that came to nothing here, so its place is not used again.
    places_.erase(places_.begin(), places_.lower_bound({epoch, 0}));
    CudaOffer mine = offer_;
    mine.place = places_[{epoch, peer}] = links_->flags.take();
    return mine.packed();
  }

  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds) override {
    const auto theirs = CudaOffer::unpacked(peer_offer);
    const auto ours = places_.extract({epoch, peer});
    if (ours.empty()) return {nullptr, "no offer was made to this peer"};
    if (auto refused = why_apart(theirs); !refused.fault.empty()) {
      links_->flags.give_back(ours.mapped());  // nor can the peer have opened it
      return refused;
    }
    OpenedPeers::Memories memories;
    if (const auto fault = local_fault_of([&] { memories = links_->peers.open(peer, theirs); }))
      return {nullptr, theirs.host == offer_.host ? fault->cause : fault->cause + what_works, true};
    return {std::make_unique<CudaLink>(links_, setup_, ours.mapped(), theirs, memories)};
  }

 private:
  // Why no link to this peer is possible; no fault: it may be. Both ends come to the same.
  Connection why_apart(const CudaOffer& theirs) const {
    if (theirs.host == offer_.host) return {};
    const std::string joins =
        "mode cuda joins GPUs of two hosts, or of containers that do not share process ids, ";
    if (!offer_.out.is_fabric()) {
      const auto& why = why_no_fabric(device_);
      return {
          nullptr,
          fmt::format("{}by fabric handles only: {}{}", joins,
                      why.empty()
                          ? "it asks for them only if the containers have names of their own (--node-name)"
                          : why,
                      what_works),
          true};
    }
    if (!theirs.out.is_fabric())
      return {nullptr, joins + "by fabric handles only, and memory of the peer's GPU has none"};
    const bool is_known = !theirs.domain.empty() && !offer_.domain.empty();
    if (!is_known || (theirs.domain == offer_.domain && theirs.domain != inventory::nvml::no_domain))
      return {};
    return {nullptr,
            fmt::format("{}in one NVLink domain only; these are in {} and {}{}", joins,
                        std::min(offer_.domain, theirs.domain), std::max(offer_.domain, theirs.domain),
                        what_works),
            true};
  }

  const Setup setup_;
  const Device& device_;
  const std::shared_ptr<CudaShared> links_;
  CudaOffer offer_;
  std::map<std::pair<std::uint64_t, int>, std::uint32_t> places_;  // by epoch and peer, until they connect
};

}  // namespace

extern const TransportEntry cuda_transport{
    .abi = transport_abi,
    .name = "cuda",
    .summary = "copies between GPUs of a host or of an NVLink domain; copy=engine|sm",
    .why_unusable = why_unusable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Cuda>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<CudaLink&>(link); },
    .one_sided_by = "the GPU",
    .chained = [](Link& link) -> Chained& { return static_cast<CudaLink&>(link); },
    .gpu_memory = true,
    .opens_memory = true};

}  // namespace everylink

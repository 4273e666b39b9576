// cuda: messages, puts and gets between GPUs, by their own copies. NVLink carries them where GPUs have one,
// PCIe otherwise.
#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/errors.hpp"
#include "base/settings.hpp"
#include "memory/cuda/driver.hpp"
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

// Handles of memory are valid among processes with the same value.
std::string host_of_handles() {
  std::error_code none;
  return boot_id() + std::filesystem::read_symlink("/proc/self/ns/pid", none).string();
}

SharedHandle shared(const Device& device, const Memory& memory) {
  SharedHandle handle{};
  device.check(device.driver().share(&handle, reinterpret_cast<Pointer>(memory.region().at)),
               "cuIpcGetMemHandle");
  return handle;
}

class Cuda final : public Transport {
 public:
  explicit Cuda(const Setup& setup)
      : setup_(setup),
        device_(device_of(setup.out.region().gpu)),
        links_(std::make_shared<CudaShared>(device_, copy_in(setup.options))) {
    refuse_unknown_options(setup.options, "cuda", {"copy"});
    if (setup.out.region().kind != MemoryKind::cuda)
      throw UsageError("--mode cuda moves messages between memories of GPUs; use --memory cuda");
    offer_ = {.host = host_of_handles(),
              .out_bytes = setup.out.region().bytes,
              .in_bytes = setup.in.region().bytes,
              .out = shared(device_, setup.out),
              .in = shared(device_, setup.in),
              .flags = links_->flags.handle(),
              .place = 0};
  }

  Carrier carrier() const override {
    Carrier carrier{.device = fmt::format("GPU {}", device_.ordinal()),
                    .lanes = setup_.options.contains("copy") ? "copy=" + setting(setup_.options, "copy") : "",
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
    if (theirs.host != offer_.host) {
      links_->flags.give_back(ours.mapped());  // nor can the peer have opened it
      return {nullptr,
              "the GPUs are on two hosts, or in two containers that do not share process ids; mode cuda "
              "joins GPUs of "
              "one host",
              true};
    }
    const auto memories = links_->peers.open(peer, theirs);
    return {std::make_unique<CudaLink>(links_, setup_, ours.mapped(), theirs, memories)};
  }

 private:
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
    .summary = "copies between GPUs of a host, over NVLink or PCIe; copy=engine|sm",
    .why_unusable = why_unusable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Cuda>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<CudaLink&>(link); },
    .one_sided_by = "the GPU",
    .chained = [](Link& link) -> Chained& { return static_cast<CudaLink&>(link); },
    .gpu_memory = true};

}  // namespace everylink

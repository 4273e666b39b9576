// ucp: tagged messages of UCX, over any transport of UCX; one worker per rank, one endpoint per link.
#include <fmt/format.h>
#include <ucp/api/ucp.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "memory/memory.hpp"
#include "net/interfaces.hpp"
#include "net/socket.hpp"
#include "transport/transport.hpp"
#include "transport/ucp/ucp_link.hpp"
#include "transport/ucp/ucx_text.hpp"

namespace everylink {
namespace {

using namespace ucx;

// Memory that peers may put into or get out of, and its key.
class Shown {
 public:
  Shown(ucp_context_h context, const Region& region) : context_(context), region_(region) {
    ucp_mem_map_params_t p{};
    p.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
    p.address = region.at;
    p.length = region.bytes;
    if (region.is_of_gpu()) {
      p.field_mask |= UCP_MEM_MAP_PARAM_FIELD_MEMORY_TYPE;
      p.memory_type = memory_type_of(region);
    }
    check(ucp_mem_map(context, &p, &memory_), "ucp_mem_map");
  }
  ~Shown() { ucp_mem_unmap(context_, memory_); }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  void pack(Packer& offer) const {
    void* key = nullptr;
    std::size_t length = 0;
    check(ucp_rkey_pack(context_, memory_, &key, &length), "ucp_rkey_pack");
    const auto* bytes = static_cast<const std::byte*>(key);
    offer.add(reinterpret_cast<std::uintptr_t>(region_.at)).add(std::uint64_t{region_.bytes});
    offer.add(Blob(bytes, bytes + length));
    ucp_rkey_buffer_release(key);
  }

 private:
  const ucp_context_h context_;
  const Region region_;
  ucp_mem_h memory_ = nullptr;
};

// Whether nothing but copies through memory of the host can carry messages in memory of a GPU: sockets and
// shared memory. What an adapter does, UCX does not say.
bool is_staged(const std::set<std::string>& lanes) {
  return std::none_of(lanes.begin(), lanes.end(), [](const std::string& all) {
    for (const char* direct : {"cuda_ipc", "rc_", "dc_", "ud_", "gdr_copy", "gga_"})
      if (all.find(direct) != std::string::npos) return true;
    return false;
  });
}

class Ucp final : public Transport {
 public:
  explicit Ucp(const Setup& setup) : setup_(setup) {
    refuse_unknown_options(setup.options, "ucp", {"tls", "net_devices", "errors"});
    errors_ = setting(setup.options, "errors");
    if (errors_.empty()) errors_ = "auto";
    if (errors_ != "auto" && errors_ != "peer" && errors_ != "none")
      throw UsageError("--mode ucp:errors must be auto, peer or none");
    keep_log();
    open_context();
    refuse_memory();
    resources_ = ways_in(printed([&](std::FILE* to) { ucp_context_print_info(context_, to); }), " resource ");
    carrier_ = own_carrier();
    ucp_worker_params_t p{};
    p.field_mask = UCP_WORKER_PARAM_FIELD_THREAD_MODE | UCP_WORKER_PARAM_FIELD_FLAGS;
    p.thread_mode = UCS_THREAD_MODE_SINGLE;
    p.flags = UCP_WORKER_FLAG_IGNORE_REQUEST_LEAK;
    check(ucp_worker_create(context_, &p, &worker_), "ucp_worker_create");
    ucp_address_t* address = nullptr;
    std::size_t length = 0;
    check(ucp_worker_get_address(worker_, &address, &length), "ucp_worker_get_address");
    const auto* bytes = reinterpret_cast<const std::byte*>(address);
    Packer offer;
    offer.add(shared_memory()).add(Blob(bytes, bytes + length));
    ucp_worker_release_address(worker_, address);
    if (setup.one_sided) {
      out_.emplace(context_, setup.out.region()).pack(offer);
      in_.emplace(context_, setup.in.region()).pack(offer);
    }
    offer_ = offer.take();
  }
  ~Ucp() override {
    out_.reset(), in_.reset();
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  Carrier carrier() const override {
    Carrier carrier = carrier_;
    carrier.lanes = fmt::format("{}", fmt::join(lanes_, ", "));
    if (setup_.out.region().is_of_gpu() && !lanes_.empty() && is_staged(lanes_)) carrier.gpu.path = "staged";
    return carrier;
  }

  Blob offer(int, std::uint64_t) override { return offer_; }

  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds) override {
    Unpacker in(peer_offer);
    const std::string their_memory = in.text();
    const Blob address = in.list<std::byte>();
    Unpacker::must(!address.empty());
    take_log();
    ucs_status_t status = UCS_OK;
    const auto endpoint =
        endpoint_to(peer, address, !their_memory.empty() && their_memory == shared_memory(), status);
    if (!endpoint) return {nullptr, fmt::format("UCX: {}", text_of(status))};
    note_lanes(peer, endpoint->handle);
    auto link = std::make_unique<UcpLink>(worker_, endpoint, epoch, peer, setup_);
    if (setup_.one_sided) status = link->reach(in);
    in.end();
    if (status != UCS_OK)
      return {nullptr, fmt::format("UCX: cannot access the peer's memory: {}", text_of(status))};
    return {std::move(link)};
  }

 private:
  void open_context() {
    // Without it, connecting to a dark host blocks for minutes. ucp_config_modify does not set it in
    // UCX 1.13.
    ::setenv("UCX_TCP_CONN_NB", "y", 0);
    ucp_config_t* config = nullptr;
    check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    choose(config, "TLS", "tls");
    choose(config, "NET_DEVICES", "net_devices");
    ucp_params_t p{};
    p.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    p.features = UCP_FEATURE_TAG | (setup_.one_sided ? UCP_FEATURE_RMA : 0);
    p.estimated_num_eps =
        static_cast<std::size_t>(setup_.size);  // as applications do: UCX's choices depend on it
    const auto status = ucp_init(&p, config, &context_);
    ucp_config_release(config);
    if (status == UCS_OK && setup_.options.empty()) return;
    const std::string words = take_log();
    if (status == UCS_OK && words.empty()) return;
    if (status == UCS_OK) ucp_cleanup(context_);
    throw UsageError(fmt::format("--mode ucp: UCX: {}", words.empty() ? ucs_status_string(status) : words));
  }

  void refuse_memory() const {
    const Region region = setup_.out.region();
    if (!region.is_of_gpu()) return;
    ucp_context_attr_t a{};
    a.field_mask = UCP_ATTR_FIELD_MEMORY_TYPES;
    check(ucp_context_query(context_, &a), "ucp_context_query");
    if (a.memory_types & UCS_BIT(memory_type_of(region))) return;
    throw UsageError(fmt::format(
        "--mode ucp: UCX {} cannot send memory of a GPU here: it was built without CUDA, finds no module for "
        "it, or tls= and UCX_TLS leave cuda_copy out (ucx_info -d shows cuda_copy where it can)",
        ucp_get_version_string()));
  }

  Carrier own_carrier() const {
    Carrier carrier{.libraries = fmt::format("UCX {}", ucp_get_version_string())};
    std::set<std::string> devices;
    for (const auto& resource : resources_)
      if (const auto device = resource.substr(resource.find('/') + 1); !device.starts_with("memory"))
        devices.insert(device);
    carrier.device = fmt::format("{}", fmt::join(devices, ", "));
    for (const auto& interface : interfaces())
      if (carrier.address.empty() && interface.is_loopback == setup_.one_machine &&
          devices.contains(interface.name))
        carrier.address = interface.address.host_text();
    return carrier;
  }

  void choose(ucp_config_t* config, const char* key, const std::string& option) {
    std::string value = setting(setup_.options, option);
    if (value.empty()) return;
    std::replace_if(
        value.begin(), value.end(), [](char c) { return c == '+' || c == ';'; }, ',');
    if (const auto status = ucp_config_modify(config, key, value.c_str()); status != UCS_OK)
      throw UsageError(fmt::format("--mode ucp:{}={}: {}", option, value, text_of(status)));
  }

  // With error handling UCX uses TCP on one machine, because shared memory cannot report the end of a peer.
  // Null: `status` has the reason.
  std::shared_ptr<Endpoint> endpoint_to(int peer, const Blob& address, bool near, ucs_status_t& status) {
    auto& kept = kept_[peer];
    if (kept && !kept->broken && kept->address == address) return kept;
    auto endpoint = std::make_shared<Endpoint>();
    status = UCS_ERR_UNREACHABLE;
    if (errors_ == "peer" || (errors_ == "auto" && !near))
      status = endpoint->open(worker_, address, UCP_ERR_HANDLING_MODE_PEER);
    if (status == UCS_ERR_UNREACHABLE && errors_ != "peer")
      status = endpoint->open(worker_, address, UCP_ERR_HANDLING_MODE_NONE);
    if (status != UCS_OK) return nullptr;
    if (endpoint->tears) return endpoint;
    if (kept) outlived_.push_back(kept);  // UCX may still call its error handler
    return kept = endpoint;
  }

  // Ranks with the same value can share memory: machine and namespace, as UCX compares them; "": none.
  std::string shared_memory() const {
    const auto shares = [](const std::string& resource) {
      return resource.starts_with("posix/") || resource.starts_with("sysv/") ||
             resource.starts_with("xpmem/");
    };
    if (std::none_of(resources_.begin(), resources_.end(), shares)) return "";
    std::error_code none;
    return boot_id() + std::filesystem::read_symlink("/proc/self/ns/ipc", none).string();
  }

  // Notes UCX's choice, once per peer because printing takes time.
  void note_lanes(int peer, ucp_ep_h endpoint) {
    if (!known_.insert(peer).second) return;
    const auto text = printed([&](std::FILE* to) { ucp_ep_print_info(endpoint, to); });
    lanes_.insert(fmt::format("{}", fmt::join(ways_in(text, " lane["), "+")));
  }

  const Setup setup_;
  std::string errors_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::vector<std::string> resources_;  // transport/device
  Carrier carrier_;
  std::optional<Shown> out_, in_;  // for puts and gets of peers
  Blob offer_;
  std::map<int, std::shared_ptr<Endpoint>> kept_;  // by peer
  std::vector<std::shared_ptr<Endpoint>> outlived_;
  std::set<int> known_;          // peers whose lanes are known
  std::set<std::string> lanes_;  // of one endpoint each
};

}  // namespace

extern "C" const TransportEntry entry{
    .abi = transport_abi,
    .name = "ucp",
    .summary = "tagged messages, puts and gets of UCX; tls=posix+cma, net_devices=, errors=auto|peer|none",
    .why_unusable = always_usable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Ucp>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<UcpLink&>(link); },
    .one_sided_by = "UCX",
    .gpu_memory = true};

}  // namespace everylink

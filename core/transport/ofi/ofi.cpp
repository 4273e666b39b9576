// ofi: tagged messages of libfabric over reliable datagram endpoints, of any provider.
#include <arpa/inet.h>
#include <fmt/format.h>
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_endpoint.h>
#include <sys/uio.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "base/carrier.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "base/seconds.hpp"
#include "base/settings.hpp"
#include "host/signals.hpp"
#include "memory/memory.hpp"
#include "transport/ofi/ofi_link.hpp"

namespace everylink {
namespace {

using namespace ofi;

struct FreesInfo {
  void operator()(fi_info* info) const { fi_freeinfo(info); }
};
using Info = std::unique_ptr<fi_info, FreesInfo>;

// What messages require.
struct Needs {
  bool one_sided = false, gpu_memory = false;
};

// What supports tagged messages here, and what else they require. `provider` "": of all providers. Null:
// none, and `rc` has the reason.
Info offered(const std::string& provider, Needs needs, int& rc) {
  const Info hints(fi_allocinfo());
  if (!hints) throw MachineError("fi_allocinfo: no memory");
  hints->ep_attr->type = FI_EP_RDM;
  hints->caps = FI_TAGGED | (needs.one_sided ? FI_RMA : 0) | (needs.gpu_memory ? FI_HMEM : 0);
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_ALLOCATED | FI_MR_VIRT_ADDR | FI_MR_PROV_KEY | (needs.gpu_memory ? FI_MR_HMEM : 0);
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  if (!provider.empty()) hints->fabric_attr->prov_name = ::strdup(provider.c_str());
  fi_info* found = nullptr;
  rc = fi_getinfo(FI_VERSION(1, 9), nullptr, nullptr, 0, hints.get(), &found);
  return Info(rc == 0 ? found : nullptr);
}

std::string provider_of(const fi_info& info) { return info.fabric_attr->prov_name; }
std::string domain_of(const fi_info& info) { return info.domain_attr->name; }

std::string address_of(const fi_info& info) {
  if (info.addr_format != FI_SOCKADDR_IN || !info.src_addr) return "";
  char text[INET_ADDRSTRLEN] = "";
  const auto* address = static_cast<const sockaddr_in*>(info.src_addr);
  return ::inet_ntop(AF_INET, &address->sin_addr, text, sizeof text);
}

class Ofi final : public Transport {
 public:
  explicit Ofi(const Setup& setup) : setup_(setup) {
    refuse_unknown_options(setup.options, "ofi", {"provider", "domain"});
    const KeptSignals kept;  // the shm provider installs handlers
    int rc = 0;
    all_ = offered(setting(setup.options, "provider"), needs(), rc);
    if (!all_) refuse(rc);
    info_ = chosen();
    open();
    const auto usable_bits = static_cast<int>(std::bit_width(info_->ep_attr->mem_tag_format));
    tags_ = usable_bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << usable_bits) - 1;
  }

  Carrier carrier() const override {
    const auto version = info_->fabric_attr->prov_version, library = fi_version();
    Carrier carrier{
        .device = domain_of(*info_),
        .address = address_of(*info_),
        .lanes = fmt::format("{}/{}", provider_of(*info_), domain_of(*info_)),
        .libraries = fmt::format("libfabric {}.{}, {} {}.{}", FI_MAJOR(library), FI_MINOR(library),
                                 provider_of(*info_), FI_MAJOR(version), FI_MINOR(version))};
    if (is_direct_) carrier.gpu.path = "direct";
    return carrier;
  }

  Blob offer(int, std::uint64_t) override {
    Blob name(512);
    std::size_t length = name.size();
    check(fi_getname(&endpoint_.ep->fid, name.data(), &length), "fi_getname");
    name.resize(length);
    return Packer()
        .add(provider_of(*info_))
        .add(name)
        .add(shown(setup_.out, endpoint_.out_memory.get()))
        .add(shown(setup_.in, endpoint_.in_memory.get()))
        .take();
  }

  // libfabric connects with the first message. Addresses and their connections are kept for later links.
  Connection connect(int peer, std::uint64_t epoch, View peer_offer, Seconds) override {
    Unpacker in(peer_offer);
    const std::string provider = in.text();
    Blob name = in.list<std::byte>();
    const auto out_memory = in.get<Far>(), in_memory = in.get<Far>();
    in.end();
    if (provider != provider_of(*info_))
      return {nullptr, fmt::format("the peer's provider is {}, ours is {}", provider, provider_of(*info_))};
    Unpacker::must(!name.empty() && (name.size() >= info_->src_addrlen || info_->addr_format == FI_ADDR_STR));
    name.push_back({});  // some names are strings
    auto& known = known_[peer];
    if (known.name != name) {
      if (fi_av_insert(endpoint_.addresses.get(), name.data(), 1, &known.address, 0, nullptr) != 1)
        return {nullptr, "libfabric rejects the peer's address"};
      known.name = name;
    }
    return {std::make_unique<OfiLink>(endpoint_, known.address, out_memory, in_memory,
                                      tag(epoch, setup_.rank), tag(epoch, peer), setup_)};
  }

 private:
  struct Known {
    Blob name;
    fi_addr_t address = FI_ADDR_UNSPEC;
  };

  // The epoch, the sender, and whether it is the token of `meet`, in as many bits as the provider supports.
  std::uint64_t tag(std::uint64_t epoch, int sender) const {
    const int of_sender = std::bit_width(static_cast<unsigned>(setup_.size - 1));
    return (epoch << (of_sender + 1) | static_cast<std::uint64_t>(sender) << 1) & tags_;
  }

  Needs needs() const { return {setup_.one_sided, setup_.out.region().is_of_gpu()}; }

  [[noreturn]] void refuse(int rc) const {
    const auto wanted = setting(setup_.options, "provider");
    const std::string reason =
        fmt::format("libfabric: {}{}{}", fi_strerror(-rc), setup_.one_sided ? " with puts and gets" : "",
                    needs().gpu_memory ? " with memory of a GPU (FI_HMEM)" : "");
    if (wanted.empty()) throw UsageError(fmt::format("--mode ofi: {}", reason));
    int any = 0;
    const Info others = offered("", needs(), any);
    throw UsageError(fmt::format(
        "--mode ofi:provider={}: {}; available: {}", wanted, reason,
        others ? joined(*others, [](const fi_info& info) { return provider_of(info); }) : "none"));
  }

  template <class Name>
  static std::string joined(const fi_info& first, Name name) {
    std::vector<std::string> names;
    for (const auto* info = &first; info; info = info->next)
      if (std::find(names.begin(), names.end(), name(*info)) == names.end()) names.push_back(name(*info));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  // The first in libfabric's order, but among IP addresses one that reaches the other ranks: loopback if all
  // are on this machine, and never link-local.
  const fi_info* chosen() const {
    const auto domain = setting(setup_.options, "domain");
    const fi_info* fallback = nullptr;
    for (const auto* info = all_.get(); info; info = info->next) {
      if (!domain.empty() && domain_of(*info) != domain) continue;
      if (!fallback) fallback = info;
      if (info->addr_format == FI_SOCKADDR_IN6) continue;
      const bool is_loopback = address_of(*info).starts_with("127.");
      if (info->addr_format == FI_SOCKADDR_IN && domain.empty() && is_loopback != setup_.one_machine)
        continue;
      return info;
    }
    if (fallback) return fallback;
    throw UsageError(fmt::format("--mode ofi:domain={}: no such domain; available: {}", domain,
                                 joined(*all_, [](const fi_info& info) { return domain_of(info); })));
  }

  template <class Fid, class Open>
  static Owned<Fid> opened(const char* call, Open open) {
    Fid* fid = nullptr;
    check(open(&fid), call);
    return Owned<Fid>(fid);
  }

  void open() {
    // libfabric's functions take a non-const pointer, but only read.
    auto* info = const_cast<fi_info*>(info_);
    Endpoint& e = endpoint_;
    e.fabric =
        opened<fid_fabric>("fi_fabric", [&](auto at) { return fi_fabric(info->fabric_attr, at, nullptr); });
    e.domain = opened<fid_domain>("fi_domain",
                                  [&](auto at) { return fi_domain(e.fabric.get(), info, at, nullptr); });
    fi_av_attr addresses{};
    addresses.type = info->domain_attr->av_type;
    e.addresses = opened<fid_av>(
        "fi_av_open", [&](auto at) { return fi_av_open(e.domain.get(), &addresses, at, nullptr); });
    fi_cq_attr completions{};
    completions.format = FI_CQ_FORMAT_TAGGED;
    completions.size = 1024;
    e.completions = opened<fid_cq>(
        "fi_cq_open", [&](auto at) { return fi_cq_open(e.domain.get(), &completions, at, nullptr); });
    e.ep = opened<fid_ep>("fi_endpoint",
                          [&](auto at) { return fi_endpoint(e.domain.get(), info, at, nullptr); });
    check(fi_ep_bind(e.ep.get(), &e.addresses->fid, 0), "fi_ep_bind");
    check(fi_ep_bind(e.ep.get(), &e.completions->fid, FI_TRANSMIT | FI_RECV), "fi_ep_bind");
    // A provider that then cannot be enabled or refuses the option may copy.
    if (needs().gpu_memory) {
      int never_copied = FI_HMEM_P2P_REQUIRED;
      is_direct_ =
          fi_setopt(&e.ep->fid, FI_OPT_ENDPOINT, FI_OPT_FI_HMEM_P2P, &never_copied, sizeof never_copied) == 0;
    }
    // shm names its memory by process id. If a killed process with our id left memory, the first call fails
    // as busy and removes the old name.
    int rc = fi_enable(e.ep.get());
    if (rc == -FI_EBUSY) rc = fi_enable(e.ep.get());
    check(rc, "fi_enable");
    const bool one_sided = setup_.one_sided;
    if (!(info->domain_attr->mr_mode & (FI_MR_LOCAL | FI_MR_HMEM)) && !one_sided && !needs().gpu_memory)
      return;
    e.out_memory = registered(setup_.out.region(), FI_SEND | (one_sided ? FI_WRITE | FI_REMOTE_READ : 0), 1);
    e.in_memory = registered(setup_.in.region(), FI_RECV | (one_sided ? FI_READ | FI_REMOTE_WRITE : 0), 2);
  }

  Owned<fid_mr> registered(const Region& region, std::uint64_t access, std::uint64_t key) const {
    if (region.is_of_gpu()) return registered_of_gpu(region, access, key);
    return opened<fid_mr>("fi_mr_reg", [&](auto at) {
      return fi_mr_reg(endpoint_.domain.get(), region.at, region.bytes, access, 0, key, 0, at, nullptr);
    });
  }
  Owned<fid_mr> registered_of_gpu(const Region& region, std::uint64_t access, std::uint64_t key) const {
    const iovec whole{region.at, region.bytes};
    fi_mr_attr wanted{};
    wanted.mr_iov = &whole;
    wanted.iov_count = 1;
    wanted.access = access;
    wanted.requested_key = key;
    wanted.iface = FI_HMEM_CUDA;
    wanted.device.cuda = region.gpu;
    fid_mr* made = nullptr;
    if (const int rc = fi_mr_regattr(endpoint_.domain.get(), &wanted, 0, &made); rc != 0)
      throw UsageError(fmt::format(
          "--mode ofi: libfabric's provider {} cannot register memory of a GPU here (fi_mr_regattr: {}); was "
          "libfabric built with CUDA?",
          provider_of(*info_), fi_strerror(-rc)));
    return Owned<fid_mr>(made);
  }

  // The values that peers need to access this memory.
  Far shown(const Memory& memory, fid_mr* registration) const {
    if (!setup_.one_sided) return {};
    const Region region = memory.region();
    const bool by_address = info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR;
    return {by_address ? reinterpret_cast<std::uintptr_t>(region.at) : 0, region.bytes,
            fi_mr_key(registration)};
  }

  const Setup setup_;
  Info all_;
  const fi_info* info_ = nullptr;  // the one in use
  std::uint64_t tags_ = 0;
  bool is_direct_ = false;  // libfabric has promised to copy nothing through memory of the host
  Endpoint endpoint_;
  std::map<int, Known> known_;  // by peer
};

std::string why_unusable() {
  int rc = 0;
  if (offered("", {}, rc)) return "";
  return fmt::format("libfabric has no provider for tagged messages here: {}", fi_strerror(-rc));
}

}  // namespace

extern "C" const TransportEntry entry{
    .abi = transport_abi,
    .name = "ofi",
    .summary = "tagged messages, puts and gets of libfabric; provider=tcp;ofi_rxm, domain=",
    .why_unusable = why_unusable,
    .make = [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Ofi>(setup); },
    .one_sided = [](Link& link) -> OneSided& { return static_cast<OfiLink&>(link); },
    .one_sided_by = "libfabric",
    .gpu_memory = true,
    .steps_ahead = true};

}  // namespace everylink

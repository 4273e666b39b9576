// ucp: tagged messages of UCX, over whatever UCX has; one worker a rank, one endpoint a link.
#include <fmt/format.h>
#include <ucp/api/ucp.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <map>
#include <set>

#include "errors.hpp"
#include "net/interfaces.hpp"
#include "pack.hpp"
#include "transport/transport.hpp"
#include "transport/ucx_said.hpp"
#include "transport/waiter.hpp"

namespace everylink {
namespace {

using namespace ucx;

// UCX's end of a connection. With error handling (`tears`) it lives as long as a link: it can be torn, and
// with it all that is under way. Without, it is kept for later links: where both ends close one and open the
// next, UCX 1.13 loses messages.
struct Endpoint {
  ucp_ep_h handle = nullptr;
  bool tears = false, broken = false;
  Blob address;

  ucs_status_t open(ucp_worker_h worker, const Blob& to, ucp_err_handling_mode_t errors) {
    address = to;
    tears = errors == UCP_ERR_HANDLING_MODE_PEER;
    ucp_ep_params_t p{};
    p.field_mask = UCP_EP_PARAM_FIELD_REMOTE_ADDRESS | UCP_EP_PARAM_FIELD_ERR_HANDLING_MODE |
                   UCP_EP_PARAM_FIELD_ERR_HANDLER;
    p.address = reinterpret_cast<const ucp_address_t*>(address.data());
    p.err_mode = errors;
    p.err_handler.arg = this;
    p.err_handler.cb = [](void* self, ucp_ep_h, ucs_status_t) {
      static_cast<Endpoint*>(self)->broken = true;
    };
    return ucp_ep_create(worker, &p, &handle);
  }
};

class UcpLink final : public Link {
 public:
  UcpLink(ucp_worker_h worker, std::shared_ptr<Endpoint> endpoint, std::uint64_t epoch, int peer,
          const Setup& setup)
      : worker_(worker),
        endpoint_(std::move(endpoint)),
        out_(setup.out.region().at),
        in_(setup.in.region().at),
        ours_(tag(epoch, setup.rank)),
        theirs_(tag(epoch, peer)),
        waiter_(setup.crowded) {}
  ~UcpLink() override { close(0); }

  int start_send(Slice slice) override { return send(out_ + slice.offset, slice.bytes, ours_); }
  int start_recv(Slice slice) override { return receive(in_ + slice.offset, slice.bytes, theirs_); }

  Outcome wait(int ticket, Seconds until) override {
    if (ticket < base_) return Outcome::ok;
    const auto outcome = drive(op(ticket), until, [] {});
    for (; !ops_.empty() && ops_.front().status == UCS_OK; ++base_) ops_.pop_front();
    return outcome;
  }

  // Flushed before, because what we sent may wait for the peer's answers; and after, because our token may
  // still lie in UCX's buffers when nobody calls UCX for us any more. The peer may have closed by then, which
  // lets UCX 1.13 wait for ever; while it has not, the token needs no longer than this.
  Outcome meet(Seconds until) override {
    constexpr Seconds of_a_token = 0.2;
    const int in = receive(nullptr, 0, theirs_ | token);
    if (const auto outcome = flush(until); outcome != Outcome::ok) return outcome;
    const int out = send(nullptr, 0, ours_ | token);
    for (const int ticket : {in, out})
      if (const auto outcome = wait(ticket, until); outcome != Outcome::ok) return outcome;
    flush(std::min(until, steady_now() + of_a_token));
    return Outcome::ok;
  }

  // What is under way without error handling, a peer that was stopped may still write into our buffers
  // (measured): then it is not ok. `meet` has flushed what the peer still needs, and a polite end would never
  // come where the peer was first (UCX 1.13).
  Outcome close(Seconds until) override {
    for (auto& op : ops_)
      if (op.status == UCS_INPROGRESS) ucp_request_cancel(worker_, op.request);
    if (endpoint_->tears && endpoint_->handle) {
      ucp_request_param_t p{};
      p.op_attr_mask = UCP_OP_ATTR_FIELD_FLAGS;
      p.flags = UCP_EP_CLOSE_FLAG_FORCE;
      void* closing = ucp_ep_close_nbx(std::exchange(endpoint_->handle, nullptr), &p);
      if (UCS_PTR_IS_PTR(closing)) ucp_request_free(closing);  // it goes on by itself
    }
    for (auto wait = waiter_.until(until); is_under_way() && endpoint_->tears;) {
      if (ucp_worker_progress(worker_) == 0) wait.nothing_moved();
      if (wait.is_over(steady_now)) break;
    }
    return is_under_way() ? Outcome::timeout : Outcome::ok;
  }

 private:
  struct Op {
    void* request = nullptr;
    ucs_status_t status = UCS_INPROGRESS;
    std::size_t bytes = 0;  // of a receive
  };
  // Epoch, sender, and whether it is the token of `meet`.
  static constexpr ucp_tag_t token = 1;
  static ucp_tag_t tag(std::uint64_t epoch, int sender) {
    return epoch << 32 | static_cast<ucp_tag_t>(sender) << 1;
  }

  Op& op(int ticket) { return ops_[static_cast<std::size_t>(ticket - base_)]; }
  bool is_under_way() const {
    return std::any_of(ops_.begin(), ops_.end(), [](const Op& op) { return op.status == UCS_INPROGRESS; });
  }

  Outcome flush(Seconds until) {
    const ucp_request_param_t p{};
    void* request = ucp_ep_flush_nbx(endpoint_->handle, &p);
    if (!UCS_PTR_IS_PTR(request)) return request ? Outcome::broken : Outcome::ok;
    Op op;
    const auto outcome = drive(op, until, [&] { op.status = ucp_request_check_status(request); });
    ucp_request_free(request);
    return outcome;
  }

  int send(const std::byte* at, std::size_t bytes, ucp_tag_t tag) {
    return start(bytes, [&](ucp_request_param_t& p) {
      p.cb.send = done;
      return ucp_tag_send_nbx(endpoint_->handle, at, bytes, tag, &p);
    });
  }

  int receive(std::byte* at, std::size_t bytes, ucp_tag_t tag) {
    return start(bytes, [&](ucp_request_param_t& p) {
      ucp_tag_recv_info_t info{};
      p.op_attr_mask |= UCP_OP_ATTR_FIELD_RECV_INFO;
      p.recv_info.tag_info = &info;
      p.cb.recv = received;
      void* request = ucp_tag_recv_nbx(worker_, at, bytes, tag, ~ucp_tag_t{0}, &p);
      if (request || info.length == bytes) return request;
      return UCS_STATUS_PTR(UCS_ERR_MESSAGE_TRUNCATED);
    });
  }

  template <class Call>
  int start(std::size_t bytes, Call call) {
    Op& op = ops_.emplace_back();
    op.bytes = bytes;
    ucp_request_param_t p{};
    p.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
    p.user_data = &op;
    p.cb.send = done;
    void* request = call(p);
    if (UCS_PTR_IS_PTR(request))
      op.request = request;
    else
      op.status = UCS_PTR_STATUS(request);
    return base_ + static_cast<int>(ops_.size()) - 1;
  }
  static void done(void* request, ucs_status_t status, void* op) {
    static_cast<Op*>(op)->status = status;
    ucp_request_free(request);
  }
  static void received(void* request, ucs_status_t status, const ucp_tag_recv_info_t* info, void* op) {
    const bool whole = status != UCS_OK || info->length == static_cast<Op*>(op)->bytes;
    done(request, whole ? status : UCS_ERR_MESSAGE_TRUNCATED, op);
  }

  // `look` finds out how it stands with an operation that no callback ends.
  template <class Look>
  Outcome drive(const Op& op, Seconds until, Look look) {
    auto wait = waiter_.until(until);
    for (look(); op.status == UCS_INPROGRESS; look()) {
      const bool moved = ucp_worker_progress(worker_) != 0;
      if (op.status != UCS_INPROGRESS) break;
      if (!moved && endpoint_->broken) return Outcome::broken;
      if (wait.is_over(steady_now)) return Outcome::timeout;
      moved ? wait.moved() : wait.nothing_moved();
    }
    return op.status == UCS_OK ? Outcome::ok : Outcome::broken;
  }

  ucp_worker_h worker_;
  const std::shared_ptr<Endpoint> endpoint_;
  std::byte *const out_, *const in_;
  const ucp_tag_t ours_, theirs_;
  Waiter waiter_;
  std::deque<Op> ops_;
  int base_ = 0;
};

class Ucp final : public Transport {
 public:
  explicit Ucp(const Setup& setup) : setup_(setup) {
    refuse_unknown_options(setup.options, "ucp", {"tls", "net_devices", "errors"});
    errors_ = setting(setup.options, "errors");
    if (errors_.empty()) errors_ = "auto";
    if (errors_ != "auto" && errors_ != "peer" && errors_ != "none")
      throw UsageError("--mode ucp:errors is auto, peer or none");
    Words::listen();
    open_context();
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
    offer_ = Packer().add(shared_memory()).add(Blob(bytes, bytes + length)).take();
    ucp_worker_release_address(worker_, address);
  }
  ~Ucp() override {
    ucp_worker_destroy(worker_);
    ucp_cleanup(context_);
  }

  Carrier carrier() const override {
    Carrier carrier = carrier_;
    carrier.lanes = fmt::format("{}", fmt::join(lanes_, ", "));
    return carrier;
  }

  Blob offer(int, std::uint64_t) override { return offer_; }

  std::unique_ptr<Link> connect(int peer, std::uint64_t epoch, View peer_offer, Seconds) override {
    Unpacker in(peer_offer);
    const std::string their_memory = in.text();
    const Blob address = in.list<std::byte>();
    Unpacker::must(!address.empty());
    Words::take();
    const auto endpoint =
        endpoint_to(peer, address, !their_memory.empty() && their_memory == shared_memory());
    if (!endpoint) return nullptr;
    note_lanes(peer, endpoint->handle);
    return std::make_unique<UcpLink>(worker_, endpoint, epoch, peer, setup_);
  }

  std::string last_fault() const override { return last_fault_; }

 private:
  void open_context() {
    // Else connecting to a dark host blocks for minutes; ucp_config_modify does not reach it in UCX 1.13.
    ::setenv("UCX_TCP_CONN_NB", "y", 0);
    ucp_config_t* config = nullptr;
    check(ucp_config_read(nullptr, nullptr, &config), "ucp_config_read");
    choose(config, "TLS", "tls");
    choose(config, "NET_DEVICES", "net_devices");
    ucp_params_t p{};
    p.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
    p.features = UCP_FEATURE_TAG;
    p.estimated_num_eps = static_cast<std::size_t>(setup_.size);  // as applications say it: UCX chooses by it
    const auto status = ucp_init(&p, config, &context_);
    ucp_config_release(config);
    if (status == UCS_OK && setup_.options.empty()) return;
    const std::string words = Words::take();
    if (status == UCS_OK && words.empty()) return;
    if (status == UCS_OK) ucp_cleanup(context_);
    throw UsageError(fmt::format("--mode ucp: UCX: {}", words.empty() ? ucs_status_string(status) : words));
  }

  Carrier own_carrier() const {
    Carrier carrier{"", "", "", fmt::format("UCX {}", ucp_get_version_string())};
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
      throw UsageError(fmt::format("--mode ucp:{}={}: {}", option, value, said(status)));
  }

  // With error handling UCX takes TCP on one machine, because shared memory cannot tell of a peer's end.
  std::shared_ptr<Endpoint> endpoint_to(int peer, const Blob& address, bool near) {
    auto& kept = kept_[peer];
    if (kept && !kept->broken && kept->address == address) return kept;
    auto endpoint = std::make_shared<Endpoint>();
    auto status = UCS_ERR_UNREACHABLE;
    if (errors_ == "peer" || (errors_ == "auto" && !near))
      status = endpoint->open(worker_, address, UCP_ERR_HANDLING_MODE_PEER);
    if (status == UCS_ERR_UNREACHABLE && errors_ != "peer")
      status = endpoint->open(worker_, address, UCP_ERR_HANDLING_MODE_NONE);
    if (status != UCS_OK) {
      last_fault_ = fmt::format("UCX: {}", said(status));
      return nullptr;
    }
    if (endpoint->tears) return endpoint;
    if (kept) outlived_.push_back(kept);  // UCX may still tell it that it broke
    return kept = endpoint;
  }

  // Whom we can share memory with: machine and namespace, as UCX compares them; "": nobody.
  std::string shared_memory() const {
    const auto shares = [](const std::string& resource) {
      return resource.starts_with("posix/") || resource.starts_with("sysv/") ||
             resource.starts_with("xpmem/");
    };
    if (std::none_of(resources_.begin(), resources_.end(), shares)) return "";
    std::error_code none;
    return boot_id() + std::filesystem::read_symlink("/proc/self/ns/ipc", none).string();
  }

  // What UCX chose, which may not be what was hoped for; once a peer, because printing takes its time.
  void note_lanes(int peer, ucp_ep_h endpoint) {
    if (!known_.insert(peer).second) return;
    const auto text = printed([&](std::FILE* to) { ucp_ep_print_info(endpoint, to); });
    lanes_.insert(fmt::format("{}", fmt::join(ways_in(text, " lane["), "+")));
  }

  const Setup setup_;
  std::string errors_, last_fault_;
  ucp_context_h context_ = nullptr;
  ucp_worker_h worker_ = nullptr;
  std::vector<std::string> resources_;  // transport/device
  Carrier carrier_;
  Blob offer_;
  std::map<int, std::shared_ptr<Endpoint>> kept_;  // by peer
  std::vector<std::shared_ptr<Endpoint>> outlived_;
  std::set<int> known_;          // peers whose lanes are known
  std::set<std::string> lanes_;  // of an endpoint each
};

}  // namespace

extern "C" const TransportEntry entry{
    transport_abi,
    "ucp",
    "tagged messages of UCX; tls=posix+cma, net_devices=, errors=auto|peer|none",
    always_usable,
    [](const Setup& setup) -> std::unique_ptr<Transport> { return std::make_unique<Ucp>(setup); },
    nullptr,
    nullptr};

}  // namespace everylink

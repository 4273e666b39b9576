// Registers memory, creates queue pairs and connects them.
#include "transport/ibverbs/ibverbs_pairs.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include "base/descriptor.hpp"
#include "base/errors.hpp"
#include "base/pack.hpp"
#include "memory/cuda/driver.hpp"
#include "memory/memory.hpp"
#include "net/socket.hpp"

namespace everylink {
namespace {

constexpr int most_reads = 16;
constexpr std::size_t most_posted = 256;  // per queue of a queue pair; the rest waits in our queue

// By a dma-buf if kernel, driver and adapter know it. Otherwise a module of the kernel (nvidia-peermem) must
// see that the address is one of a GPU.
Verbs<ibv_mr> registered(ibv_pd* domain, Memory& memory, int access) {
  const Region region = memory.region();
  if (region.kind == MemoryKind::cuda)
    if (const Descriptor buffer(cuda::dma_buf_of(region)); buffer.is_open())
      if (auto* made = ibv_reg_dmabuf_mr(domain, 0, region.bytes, reinterpret_cast<std::uint64_t>(region.at),
                                         buffer.fd(), access))
        return Verbs<ibv_mr>(made);
  const std::size_t bytes = std::max<std::size_t>(region.bytes, 1);
  if (auto* made = ibv_reg_mr(domain, region.at, bytes, access)) return Verbs<ibv_mr>(made);
  const int error = errno;
  if (region.is_of_gpu())
    throw UsageError(fmt::format(
        "--mode ibverbs: the adapter cannot reach memory of the GPU: ibv_reg_mr: {}; load the kernel module "
        "nvidia-peermem, or use a kernel and a driver with dma-buf",
        std::strerror(error)));
  const auto what =
      fmt::format("ibv_reg_mr of {} bytes: {}; is the limit of locked memory (ulimit -l) large enough?",
                  bytes, std::strerror(error));
  if (error == ENOMEM) throw LocalFault(what, "not enough locked memory (ulimit -l)");
  throw MachineError(what);
}

}  // namespace

Blob VerbsOffer::packed() const {
  Packer said;
  said.add(nonce).add(active).add(has_gid).add(lid).add(gid).add(mtu).add(longest);
  return said.add(out).add(in).add(reads).add(ways).take();
}

VerbsOffer VerbsOffer::unpacked(View bytes) {
  Unpacker said(bytes);
  VerbsOffer offer;
  offer.nonce = said.get<VerbsNonce>();
  offer.active = said.get<bool>();
  offer.has_gid = said.get<bool>();
  offer.lid = said.get<std::uint16_t>();
  offer.gid = said.get<ibv_gid>();
  offer.mtu = said.get<std::uint8_t>();
  offer.longest = said.get<std::uint64_t>();
  offer.out = said.get<Memory>();
  offer.in = said.get<Memory>();
  offer.reads = said.get<std::uint8_t>();
  offer.ways = said.list<VerbsWay>();
  said.end();
  Unpacker::must(offer.mtu >= IBV_MTU_256 && offer.mtu <= IBV_MTU_4096 && offer.longest >= 4096);
  return offer;
}

VerbsCard::VerbsCard(const Setup& s)
    : setup(s),
      options(VerbsOptions::parsed(s.options, s.one_way)),
      port(options, s.rank),
      domain(check_verbs(ibv_alloc_pd(port.context.get()), "ibv_alloc_pd")),
      out(registered(domain.get(), s.out,
                     IBV_ACCESS_LOCAL_WRITE | (s.one_sided ? IBV_ACCESS_REMOTE_READ : 0))),
      in(registered(domain.get(), s.in,
                    IBV_ACCESS_LOCAL_WRITE | (options.write || s.one_sided ? IBV_ACCESS_REMOTE_WRITE : 0))),
      reads(s.one_sided ? std::clamp(std::min(port.device.max_qp_rd_atom, port.device.max_qp_init_rd_atom), 1,
                                     most_reads)
                        : 1),
      depth(std::min(most_posted, static_cast<std::size_t>(port.device.max_qp_wr))),
      longest(std::clamp<std::size_t>(port.attributes.max_msg_sz, 4096, 1 << 30)) {}

QueuePairs::QueuePairs(const VerbsCard& card)
    : card_(card), ways_(static_cast<std::size_t>(messages + card.options.queue_pairs)) {
  draw(nonce_);
  draw(std::as_writable_bytes(std::span(ways_)));
  handshake_key_.reset(check_verbs(
      ibv_reg_mr(card.domain.get(), &handshake_buffers_, sizeof handshake_buffers_, IBV_ACCESS_LOCAL_WRITE),
      "ibv_reg_mr"));
  auto* context = card.port.context.get();
  if (card.options.events) {
    events_.reset(check_verbs(ibv_create_comp_channel(context), "ibv_create_comp_channel"));
    check_errno(::fcntl(events_->fd, F_SETFL, O_NONBLOCK), "fcntl");
  }
  const auto room = std::min<std::size_t>(2 * card.depth * ways_.size(),
                                          static_cast<std::size_t>(card.port.device.max_cqe));
  done_.reset(check_verbs(ibv_create_cq(context, static_cast<int>(room), nullptr, events_.get(), 0),
                          "ibv_create_cq"));
  for (auto& way : ways_) {
    pairs_.push_back(create());
    way.number = pairs_.back()->qp_num;
    way.first_packet &= 0xffffff;
    make_ready(static_cast<int>(pairs_.size()) - 1);
  }
}

VerbsOffer QueuePairs::offer() const {
  const auto& port = card_.port;
  const auto shown = [](const Memory& memory, const Verbs<ibv_mr>& registration) {
    const Region region = memory.region();
    return VerbsOffer::Memory{reinterpret_cast<std::uintptr_t>(region.at), region.bytes, registration->rkey,
                              0};
  };
  return {.nonce = nonce_,
          .active = port.is_active(),
          .has_gid = port.gid_index >= 0,
          .lid = port.attributes.lid,
          .gid = port.gid,
          .mtu = static_cast<std::uint8_t>(port.mtu),
          .longest = card_.longest,
          .out = shown(card_.setup.out, card_.out),
          .in = shown(card_.setup.in, card_.in),
          .reads = static_cast<std::uint8_t>(card_.reads),
          .ways = ways_};
}

int QueuePairs::connect(int i, const VerbsOffer& theirs, std::uint8_t timeout) {
  const auto& port = card_.port;
  const auto& way = theirs.ways[static_cast<std::size_t>(i)];
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RTR;
  to.path_mtu = static_cast<ibv_mtu>(std::min<int>(theirs.mtu, port.mtu));
  to.dest_qp_num = way.number & 0xffffff;
  to.rq_psn = way.first_packet & 0xffffff;
  to.max_dest_rd_atomic = static_cast<std::uint8_t>(card_.reads);
  to.min_rnr_timer = 1;  // 10 us
  to.ah_attr.dlid = theirs.lid;
  to.ah_attr.sl = static_cast<std::uint8_t>(card_.options.service_level);
  to.ah_attr.port_num = port.number;
  if (port.gid_index >= 0) {
    to.ah_attr.is_global = 1;
    to.ah_attr.grh.dgid = theirs.gid;
    to.ah_attr.grh.sgid_index = static_cast<std::uint8_t>(port.gid_index);
    to.ah_attr.grh.hop_limit = 64;
  }
  const int receive = IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                      IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER;
  if (const int why = ibv_modify_qp((*this)[i], &to, receive)) return why;
  to.qp_state = IBV_QPS_RTS;
  to.sq_psn = ways_[static_cast<std::size_t>(i)].first_packet;
  to.timeout = timeout;
  to.retry_cnt = 6;  // rdma_rxe takes 7 as unlimited
  to.rnr_retry = 7;  // unlimited
  to.max_rd_atomic = std::min(theirs.reads, static_cast<std::uint8_t>(card_.reads));
  return ibv_modify_qp((*this)[i], &to,
                       IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
                           IBV_QP_MAX_QP_RD_ATOMIC);
}

void QueuePairs::reset(int i) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_RESET;
  check_verbs(ibv_modify_qp((*this)[i], &to, IBV_QP_STATE), "ibv_modify_qp to reset");
  make_ready(i);
}

// Only a trial shows how much inline data an adapter accepts.
Verbs<ibv_qp> QueuePairs::create() {
  constexpr int usual = 220;
  const bool of_host = !card_.setup.out.region().is_of_gpu();  // the processor copies inline data
  const int wanted = of_host ? card_.options.most_inline : 0;
  for (const int most : {wanted < 0 ? usual : wanted, 0}) {
    ibv_qp_init_attr how{};
    how.send_cq = how.recv_cq = done_.get();
    how.qp_type = IBV_QPT_RC;
    how.cap.max_send_wr = how.cap.max_recv_wr = static_cast<std::uint32_t>(card_.depth);
    how.cap.max_send_sge = how.cap.max_recv_sge = 1;
    how.cap.max_inline_data = static_cast<std::uint32_t>(most);
    if (Verbs<ibv_qp> made{ibv_create_qp(card_.domain.get(), &how)}) {
      most_inline_ = static_cast<std::size_t>(most);
      return made;
    }
    if (wanted > 0)
      throw UsageError(fmt::format("--mode ibverbs:inline={}: exceeds what {} supports", wanted,
                                   card_.port.carrier.device));
  }
  throw_errno("ibv_create_qp");
}

void QueuePairs::make_ready(int i) {
  ibv_qp_attr to{};
  to.qp_state = IBV_QPS_INIT;
  to.port_num = card_.port.number;
  to.qp_access_flags =
      IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | (card_.setup.one_sided ? IBV_ACCESS_REMOTE_READ : 0);
  check_verbs(
      ibv_modify_qp((*this)[i], &to, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
      "ibv_modify_qp to init");
}

}  // namespace everylink

// The options of --mode ibverbs, and the device and port that a rank uses.
#pragma once

#include <infiniband/verbs.h>

#include <cerrno>
#include <cstdint>
#include <memory>
#include <string>

#include "base/carrier.hpp"
#include "base/settings.hpp"

namespace everylink {

// The options; -1: the port's value.
struct VerbsOptions {
  std::string devices;  // separated by ';'; empty: all
  int port, gid, service_level, mtu, queue_pairs, most_inline;
  bool write;   // write with immediate data, not send
  bool events;  // sleep until the adapter reports a completion
  static VerbsOptions parsed(const Settings&, bool one_way);
};

// Throws MachineError, which names the call.
void check_verbs(int rc, const char* call);
template <class T>
T* check_verbs(T* made, const char* call) {
  if (!made) check_verbs(errno, call);
  return made;
}

struct VerbsFree {
  void operator()(ibv_context* it) const { ibv_close_device(it); }
  void operator()(ibv_pd* it) const { ibv_dealloc_pd(it); }
  void operator()(ibv_mr* it) const { ibv_dereg_mr(it); }
  void operator()(ibv_cq* it) const { ibv_destroy_cq(it); }
  void operator()(ibv_qp* it) const { ibv_destroy_qp(it); }
  void operator()(ibv_comp_channel* it) const { ibv_destroy_comp_channel(it); }
};
template <class T>
using Verbs = std::unique_ptr<T, VerbsFree>;

struct VerbsPort {
  Verbs<ibv_context> context;
  ibv_device_attr device{};
  ibv_port_attr attributes{};
  std::uint8_t number = 0;
  ibv_mtu mtu{};       // the port's, or less if the options ask for less
  int gid_index = -1;  // -1: addressed by LID
  ibv_gid gid{};
  Carrier carrier;

  // Chooses among the devices with an active port nearest to this rank's cores; ranks take them in turn.
  VerbsPort(const VerbsOptions&, int rank);
  bool is_active() const { return attributes.state == IBV_PORT_ACTIVE; }
  std::string state() const;  // "mlx5_0 port 1 is PORT_DOWN"
};

std::string why_no_verbs();  // "": there is a device

}  // namespace everylink

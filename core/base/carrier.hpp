// The device and libraries that carry a rank's messages, and the GPU that holds them.
#pragma once

#include <string>
#include <tuple>

namespace everylink {

// The GPU whose memory holds a rank's messages; empty: not known.
struct GpuOfRank {
  int number = -1;  // as nvidia-smi counts the GPUs of a host; -1: no GPU
  int of_host = 0;  // how many GPUs that has
  std::string name = {}, pci = {}, uuid = {};
  std::string to_device = {};  // what lies between it and the device: PIX, PXB, ... (host/gpus.hpp)
  std::string path = {};       // "staged": messages are copied through memory of the host; "direct": never
  static constexpr auto fields =
      std::tuple(&GpuOfRank::number, &GpuOfRank::of_host, &GpuOfRank::name, &GpuOfRank::pci, &GpuOfRank::uuid,
                 &GpuOfRank::to_device, &GpuOfRank::path);
};

// As far as the transport reports it; empty: not known.
struct Carrier {
  std::string device = {}, address = {}, lanes = {}, libraries = {};
  int numa_distance = -1;  // between rank and device (host/numa.hpp); not set by transports
  GpuOfRank gpu = {};      // of it, transports set the path alone
  static constexpr auto fields = std::tuple(&Carrier::device, &Carrier::address, &Carrier::lanes,
                                            &Carrier::libraries, &Carrier::numa_distance, &Carrier::gpu);
};

}  // namespace everylink

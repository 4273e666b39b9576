// What is read of GPUs: from recorded trees, and from a stand-in for NVIDIA's management library.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

#include "host/host_reader.hpp"
#include "host/inventory/nvml.hpp"
#include "host/inventory/parts.hpp"
#include "tree_of_host.hpp"

namespace everylink {
namespace {

using namespace inventory;
using Tree = TreeOfHost;

// The dynamic linker finds a library that is loaded by its name, wherever it lies.
Notes asked(const Tree& tree, const std::string& fault) {
  static void* const stand_in = ::dlopen(NVML_STAND_IN, RTLD_NOW);
  EXPECT_NE(stand_in, nullptr) << ::dlerror();
  ::setenv("NVML_STAND_IN", fault.c_str(), 1);
  return tree.read(ask_nvml);
}

void without_messages(const Files& files, Notes& notes) { read_gpus(files, notes, false); }
void with_messages(const Files& files, Notes& notes) { read_gpus(files, notes, true); }

struct WithDriver : Tree {
  WithDriver() { write("proc/driver/nvidia/version", "NVRM version: 550.54.15\n"); }
};
struct WithFunction : Tree {
  explicit WithFunction(const std::string& kind) {
    write("sys/bus/pci/devices/0000:18:00.0/vendor", "0x10de\n");
    write("sys/bus/pci/devices/0000:18:00.0/class", kind + "\n");
  }
};

TEST(Gpus, are_parts_with_their_links_and_what_these_count) {
  const Tree tree;
  const auto notes = asked(tree, "");
  EXPECT_EQ(fact(notes, "gpu/1", "name"), "NVIDIA H100 80GB HBM3");
  EXPECT_EQ(fact(notes, "gpu/1", "uuid"), "GPU-0000-1");
  EXPECT_EQ(fact(notes, "gpu/1", "pci"), "0000:19:00.0");
  EXPECT_EQ(fact(notes, "gpu/1", "driver_version"), "550.54.15");
  EXPECT_EQ(fact(notes, "gpu/1", "ecc_mode"), "enabled");
  EXPECT_EQ(fact(notes, "gpu/1", "throttle_reasons"), "sw_power_cap, hw_thermal_slowdown");
  EXPECT_EQ(notes.counters.at({"gpu/1", "errors/ecc_aggregate_uncorrected"}), 5u);
  EXPECT_EQ(fact(notes, "nvlink/1/3", "state"), "active");
  EXPECT_EQ(fact(notes, "nvlink/1/3", "version"), "4.0");
  EXPECT_EQ(fact(notes, "nvlink/1/3", "speed"), "26562");
  EXPECT_EQ(fact(notes, "nvlink/1/3", "remote_pci"), "0000:c3:00.0");
  for (const char* name : {"replay", "recovery", "crc_flit", "crc_data", "ecc_data"})
    EXPECT_EQ(notes.counters.at({"nvlink/1/3", std::string("errors/") + name}), 0u) << name;
  EXPECT_EQ(fact(notes, "nvlink/1/4", "state"), "not known");
  EXPECT_EQ(fact(notes, "host", "nvml"), "not known");
}

TEST(Gpus, are_in_nvlink_domains_that_hosts_can_share) {
  asked(Tree(), "");
  EXPECT_EQ(nvml::domain_of("0000:18:00.0"), "") << "the library does not tell";
  ::setenv("NVML_STAND_IN_DOMAIN", "rack", 1);
  EXPECT_EQ(nvml::domain_of("0000:19:00.0"), "7261636b000000000000000000000000/7");
  EXPECT_EQ(nvml::domain_of("0000:1a:00.0"), "") << "there is no such GPU";
  ::setenv("NVML_STAND_IN_DOMAIN", "none", 1);
  EXPECT_EQ(nvml::domain_of("0000:18:00.0"), nvml::no_domain);
  ::unsetenv("NVML_STAND_IN_DOMAIN");
}

TEST(Gpus, have_the_pci_path_that_the_kernel_tells) {
  const Tree tree;
  const std::string root = "sys/devices/pci0000:17/0000:17:01.0", own = root + "/0000:18:00.0";
  tree.write(own + "/current_link_width", "8\n");
  tree.write(root + "/max_link_width", "16\n");
  tree.link("sys/bus/pci/devices/0000:18:00.0", tree.root() + "/" + own);
  const auto notes = asked(tree, "");
  EXPECT_EQ(fact(notes, "pci/0000:18:00.0", "current_link_width"), "8");
  EXPECT_EQ(fact(notes, "pci/0000:18:00.0", "parent"), "0000:17:01.0");
  EXPECT_EQ(fact(notes, "pci/0000:17:01.0", "max_link_width"), "16");
}

TEST(Gpus, a_link_that_is_down_is_inactive_and_has_no_speed) {
  const auto notes = asked(Tree(), "down");
  EXPECT_EQ(fact(notes, "nvlink/1/3", "state"), "inactive");
  EXPECT_EQ(fact(notes, "nvlink/1/3", "speed"), "not known");
  EXPECT_EQ(fact(notes, "nvlink/1/2", "state"), "active");
}

TEST(Gpus, replays_that_grow_are_read_anew_each_time) {
  const Notes::Key counter{"nvlink/0/2", "errors/replay"};
  const auto before = asked(Tree(), "replay"), after = asked(Tree(), "replay");
  EXPECT_GT(after.counters.at(counter), before.counters.at(counter));
}

TEST(Gpus, what_an_older_driver_does_not_know_is_not_known) {
  const auto notes = asked(Tree(), "old");
  EXPECT_EQ(fact(notes, "nvlink/0/0", "state"), "active");
  EXPECT_EQ(fact(notes, "nvlink/0/0", "speed"), "not known");
}

TEST(Gpus, one_that_is_lost_says_so_and_the_others_are_read) {
  const auto notes = asked(Tree(), "lost");
  EXPECT_EQ(fact(notes, "gpu/1", "fault"), "GPU is lost");
  EXPECT_EQ(fact(notes, "gpu/1", "name"), "not known");
  EXPECT_EQ(fact(notes, "gpu/0", "fault"), "not known");
  EXPECT_EQ(fact(notes, "nvlink/0/0", "state"), "active");
}

TEST(Gpus, a_library_that_fails_is_told_where_there_is_a_driver) {
  EXPECT_EQ(fact(asked(WithDriver(), "no-driver"), "host", "nvml"), "Driver Not Loaded");
  EXPECT_TRUE(asked(Tree(), "no-driver").facts.empty());
}

TEST(Gpus, the_library_is_not_asked_where_it_would_load_the_driver) {
  const auto notes = asked(WithFunction("0x030200"), "");
  EXPECT_EQ(notes.facts, (decltype(notes.facts){{{"host", "nvml"}, "no kernel driver"}}));
  const auto of_nvswitch = asked(WithFunction("0x068000"), "");
  EXPECT_EQ(fact(of_nvswitch, "host", "nvml"), "not known");
  EXPECT_EQ(fact(of_nvswitch, "gpu/0", "ecc_mode"), "enabled");
}

TEST(Gpus, a_library_that_hangs_holds_nothing_up_and_is_not_asked_again) {
  const WithDriver tree;
  std::set<std::string> hung;
  EXPECT_EQ(fact(asked(tree, "hang"), "host", "nvml"), "no answer in time");
  ::setenv("NVML_STAND_IN", "hang", 1);
  for (int i = 0; i < 2; ++i) {
    Reading reading(tree.root(), ask_nvml, hung);
    ASSERT_TRUE(reading.finish());
    EXPECT_EQ(reading.unread(), 1u);
    ::setenv("NVML_STAND_IN", "", 1);
  }
  EXPECT_EQ(hung, std::set<std::string>{"nvml"});
}

TEST(Gpus, what_was_known_before_the_library_hung_stays_known) {
  const auto notes = asked(WithDriver(), "hang-late");
  EXPECT_EQ(fact(notes, "gpu/0", "ecc_mode"), "enabled");
  EXPECT_EQ(fact(notes, "nvlink/0/0", "state"), "active");
  EXPECT_EQ(fact(notes, "gpu/1", "name"), "not known");
  EXPECT_EQ(fact(notes, "host", "nvml"), "no answer in time");
}

TEST(Gpus, of_a_recorded_tree_come_from_text_files) {
  const Tree tree;
  tree.write("everylink/gpu/0/gpu", "name: NVIDIA A100\nerrors/ecc_volatile_uncorrected: 2\nno colon\n");
  tree.write("everylink/gpu/0/nvlink", "3/state: active\n3/errors/replay: 12\nx/state: active\n/: \n");
  tree.write("everylink/gpu/1/gpu", "");
  const auto notes = tree.read(without_messages);
  EXPECT_EQ(fact(notes, "gpu/0", "name"), "NVIDIA A100");
  EXPECT_EQ(fact(notes, "nvlink/0/3", "state"), "active");
  EXPECT_EQ(notes.counters, (decltype(notes.counters){{{"gpu/0", "errors/ecc_volatile_uncorrected"}, 2},
                                                      {{"nvlink/0/3", "errors/replay"}, 12}}));
  EXPECT_EQ(notes.facts.size(), 2u);
}

TEST(Gpus, tell_the_speed_of_pcie_only_where_messages_keep_it_awake) {
  const Tree tree;
  tree.write("everylink/gpu/0/gpu", "pci: 0000:18:00.0\n");
  tree.write("sys/devices/pci0000:17/0000:18:00.0/current_link_speed", "2.5 GT/s PCIe\n");
  tree.write("sys/devices/pci0000:17/0000:18:00.0/max_link_speed", "32.0 GT/s PCIe\n");
  tree.link("sys/bus/pci/devices/0000:18:00.0", tree.root() + "/sys/devices/pci0000:17/0000:18:00.0");
  const auto notes = tree.read(without_messages);
  EXPECT_EQ(fact(notes, "pci/0000:18:00.0", "current_link_speed"), "not known");
  EXPECT_EQ(fact(notes, "pci/0000:18:00.0", "max_link_speed"), "32.0 GT/s PCIe");
  EXPECT_EQ(fact(tree.read(with_messages), "pci/0000:18:00.0", "current_link_speed"), "2.5 GT/s PCIe");
}

TEST(Gpus, are_joined_by_nvlinks_through_switches) {
  EXPECT_EQ(fact(asked(Tree(), ""), "gpu/0", "to_gpus"), "gpu/1 NV4");
  const auto notes = asked(Tree(), "down");
  EXPECT_EQ(fact(notes, "gpu/0", "to_gpus"), "gpu/1 NV3");
  EXPECT_EQ(fact(notes, "gpu/1", "to_gpus"), "gpu/0 NV3");
  EXPECT_EQ(fact(notes, "nvlink/0/0", "remote"), "switch");
  EXPECT_EQ(fact(asked(Tree(), "old"), "gpu/0", "to_gpus"), "gpu/1 NV4");
}

TEST(Gpus, tell_what_lies_between_them_and_other_gpus_and_adapters) {
  const Tree tree;
  const auto add = [&](const std::string& address, const std::string& below, const std::string& named) {
    const std::string own = "sys/devices/" + below + "/" + address;
    tree.write(own + "/numa_node", "0\n");
    tree.link("sys/bus/pci/devices/" + address, tree.root() + "/" + own);
    if (!named.empty()) tree.link("sys/class/infiniband/" + named + "/device", tree.root() + "/" + own);
  };
  const std::string of_switch = "pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:0";
  add("0000:18:00.0", of_switch + "0.0", "");
  add("0000:19:00.0", of_switch + "1.0", "mlx5_0");
  add("0000:28:00.0", "pci0000:20/0000:20:01.0", "");
  add("0000:29:00.0", "pci0000:20/0000:20:02.0", "");
  tree.write("everylink/gpu/0/gpu", "pci: 0000:18:00.0\n");
  tree.write("everylink/gpu/1/gpu", "pci: 0000:28:00.0\n");
  tree.write("everylink/gpu/2/gpu", "pci: 0000:29:00.0\n");
  const auto joined = [](const std::string& to) {
    return "0/state: active\n0/remote_pci: " + to + "\n1/state: active\n1/remote_pci: " + to +
           "\n2/state: inactive\n2/remote_pci: " + to + "\n";
  };
  tree.write("everylink/gpu/0/nvlink", joined("0000:28:00.0"));
  tree.write("everylink/gpu/1/nvlink", joined("0000:18:00.0"));
  const auto notes = tree.read([](const Files& files, Notes& found) {
    read_rdma(files, found);
    read_gpus(files, found, false);
  });
  EXPECT_EQ(fact(notes, "gpu/0", "to_gpus"), "gpu/1 NV2, gpu/2 NODE");
  EXPECT_EQ(fact(notes, "gpu/1", "to_gpus"), "gpu/0 NV2, gpu/2 PHB");
  EXPECT_EQ(fact(notes, "gpu/0", "to_adapters"), "ib/mlx5_0 PIX");
  EXPECT_EQ(fact(notes, "gpu/2", "to_adapters"), "ib/mlx5_0 NODE");
}

}  // namespace
}  // namespace everylink

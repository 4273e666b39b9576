// What is read of a host, from small trees of files that the tests make.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/errors.hpp"
#include "base/fields.hpp"
#include "coordinator/host_readings.hpp"
#include "host/host_reader.hpp"
#include "host/inventory/files.hpp"
#include "host/inventory/lldp.hpp"
#include "host/inventory/notes.hpp"
#include "host/inventory/parts.hpp"
#include "protocol/report.hpp"
#include "record/recorder.hpp"
#include "tree_of_host.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;
using namespace inventory;
using Tree = TreeOfHost;

using Known = std::map<std::pair<std::string, std::string>, std::string>;  // part, name: value
Known facts_of(const HostReading& reading) {
  Known facts;
  for (std::size_t i = 0; i < reading.facts.size(); i += 3)
    facts[{reading.texts[reading.facts[i]], reading.texts[reading.facts[i + 1]]}] =
        reading.texts[reading.facts[i + 2]];
  return facts;
}
std::map<std::pair<std::string, std::string>, std::uint64_t> counters_of(const HostReading& reading) {
  std::map<std::pair<std::string, std::string>, std::uint64_t> counters;
  for (std::size_t i = 0; i < reading.counter_values.size(); ++i)
    counters[{reading.texts[reading.counters[2 * i]], reading.texts[reading.counters[2 * i + 1]]}] =
        reading.counter_values[i];
  return counters;
}

TEST(Inventory, a_file_that_never_answers_is_not_known_and_its_folder_is_not_tried_again) {
  const Tree tree;
  tree.write("proc/sys/kernel/hostname", "n1\n");
  tree.write("sys/class/net/eth0/mtu", "1500\n");
  tree.hang("sys/class/net/eth0/statistics/rx_bytes");
  tree.write("sys/class/net/eth0/statistics/tx_bytes", "1\n");
  tree.write("sys/class/net/eth1/statistics/rx_bytes", "7\n");
  HostReader reader(tree.root(), "");
  const auto first = reader.read(0, Moment::before), second = reader.read(2, Moment::after);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(facts_of(*first).at({"host", "name"}), "n1");
  EXPECT_EQ(facts_of(*first).at({"net/eth0", "mtu"}), "1500");
  const auto counters = counters_of(*first);
  EXPECT_EQ(counters.at({"net/eth1", "statistics/rx_bytes"}), 7u);
  EXPECT_FALSE(counters.contains({"net/eth0", "statistics/rx_bytes"}));
  EXPECT_EQ(first->unread, 2u);   // it, and the other file of the folder
  EXPECT_EQ(second->unread, 1u);  // the folder
  EXPECT_TRUE(second->facts.empty());
}

TEST(Inventory, what_hangs_for_ever_and_answers_late_harms_nothing) {
  std::set<std::string> hung;
  const auto released = std::make_shared<std::promise<void>>();
  const auto token = std::make_shared<int>();  // held by the threads that read
  {
    const auto release = released->get_future().share();
    Reading reading(
        "/nowhere",
        [release, token](const Files& files, Notes& notes) {
          notes.fact("host", "first", files.ask("driver/hangs", [&]() -> Answer {
            release.wait();
            return "late";
          }));
          notes.fact("host", "second", files.ask("other/answers", []() -> Answer { return "soon"; }));
        },
        hung);
    const auto notes = reading.finish();
    ASSERT_TRUE(notes);
    EXPECT_EQ(notes->facts, (std::map<Notes::Key, std::string>{{{"host", "second"}, "soon"}}));
    EXPECT_EQ(hung, std::set<std::string>{"driver"});
  }
  released->set_value();
  while (token.use_count() > 1)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));  // it ends by itself
}

TEST(Inventory, many_files_that_hang_cost_a_second_not_one_each) {
  const Tree tree;
  for (int i = 0; i < 30; ++i) {
    tree.hang("sys/class/net/eth" + std::to_string(i) + "/mtu");
    tree.write("sys/class/net/eth" + std::to_string(i) + "/address", "02:00:00:00:00:01\n");
  }
  HostReader reader(tree.root(), "");
  const auto reading = reader.read(0, Moment::before);
  ASSERT_TRUE(reading);
  EXPECT_GT(reading->unread, 30u);
}

TEST(Inventory, a_tree_that_does_not_exist_says_only_what_the_program_is) {
  HostReader reader("/nowhere/at/all", "");
  const auto reading = reader.read(0, Moment::before);
  ASSERT_TRUE(reading);
  EXPECT_EQ(facts_of(*reading).size(), 1u);
  EXPECT_TRUE(reading->counter_values.empty());
}

TEST(Inventory, only_what_is_text_is_a_fact_and_only_decimal_digits_are_a_counter) {
  EXPECT_EQ(plain("  400 Gb/sec\t(4X NDR)\n"), "400 Gb/sec (4X NDR)");
  EXPECT_EQ(plain(std::string(1000, 'x'))->size(), HostReading::longest_text);
  EXPECT_EQ(plain("caf\xc3\xa9"), "caf??");
  EXPECT_EQ(plain(std::string("a\0b", 3)), std::nullopt);
  EXPECT_EQ(plain("\x1b[31m"), std::nullopt);
  EXPECT_EQ(count_in("18446744073709551615"), 18446744073709551615u);
  for (const char* text : {"", "18446744073709551616", "-1", "0x10", "1 2", "N/A (no PMA)", " 1"})
    EXPECT_EQ(count_in(text), std::nullopt) << text;
  Notes notes;
  notes.fact("host", "empty", "");
  notes.fact("host", "missing", {});
  notes.counter("host", "words", "N/A (no PMA)");
  EXPECT_TRUE(notes.facts.empty() && notes.counters.empty());
}

TEST(Inventory, a_long_list_goes_on_in_a_second_fact_and_no_value_is_cut) {
  Notes notes;
  const std::string value(100, 'v');
  notes.list("host", "sets", {value, value, value, value, value}, "; ");
  EXPECT_EQ(fact(notes, "host", "sets"), value + "; " + value);
  EXPECT_EQ(fact(notes, "host", "sets/1"), value + "; " + value);
  EXPECT_EQ(fact(notes, "host", "sets/2"), value);
}

TEST(Inventory, a_later_reading_has_what_changed_and_what_is_gone) {
  Notes before, now;
  before.facts = {{{"p", "same"}, "1"}, {{"p", "other"}, "1"}, {{"p", "gone"}, "1"}};
  now.facts = {{{"p", "same"}, "1"}, {{"p", "other"}, "2"}, {{"p", "new"}, "1"}};
  before.counters = {{{"p", "still"}, 5}, {{"p", "moves"}, 5}};
  now.counters = {{{"p", "still"}, 5}, {{"p", "moves"}, 6}};
  const auto reading = changes(before, now);
  EXPECT_EQ(facts_of(reading), (Known{{{"p", "other"}, "2"}, {{"p", "gone"}, ""}, {{"p", "new"}, "1"}}));
  EXPECT_EQ(counters_of(reading), (decltype(counters_of(reading)){{{"p", "moves"}, 6}}));
  EXPECT_EQ(reading.texts.front(), "");
  EXPECT_TRUE(reading.is_sound());
}

TEST(Inventory, the_path_of_an_adapter_leads_over_its_bridges_to_the_root) {
  const Tree tree;
  const std::string root = "sys/devices/pci0000:15/0000:15:01.0", bridge = root + "/0000:16:00.0",
                    adapter = bridge + "/0000:17:00.0";
  tree.write(root + "/current_link_width", "16\n");
  tree.write(bridge + "/current_link_width", "8\n");
  tree.write(bridge + "/aer_dev_correctable", "RxErr 2\nBadTLP 1\nTOTAL_ERR_COR 3\n");
  tree.write(adapter + "/current_link_width", "16\n");
  tree.write(adapter + "/numa_node", "-1\n");
  tree.link(adapter + "/driver", "../../../../../bus/pci/drivers/mlx5_core");
  tree.write("sys/module/mlx5_core/srcversion", "ABC\n");
  tree.write(adapter + "/infiniband/mlx5_0/fw_ver", "28.1\n");
  tree.link(adapter + "/infiniband/mlx5_0/device", "../../../0000:17:00.0");
  tree.link("sys/class/infiniband/mlx5_0", "../../" + adapter.substr(4) + "/infiniband/mlx5_0");
  const Notes notes = tree.read(read_rdma);
  EXPECT_EQ(fact(notes, "ib/mlx5_0", "fw_ver"), "28.1");
  EXPECT_EQ(fact(notes, "ib/mlx5_0", "pci"), "0000:17:00.0");
  EXPECT_EQ(fact(notes, "pci/0000:17:00.0", "parent"), "0000:16:00.0");
  EXPECT_EQ(fact(notes, "pci/0000:16:00.0", "parent"), "0000:15:01.0");
  EXPECT_EQ(fact(notes, "pci/0000:15:01.0", "parent"), "not known");
  EXPECT_EQ(fact(notes, "pci/0000:16:00.0", "current_link_width"), "8");
  EXPECT_EQ(fact(notes, "pci/0000:17:00.0", "numa_node"), "not known");
  EXPECT_EQ(fact(notes, "host", "driver/mlx5_core"), "ABC");
  EXPECT_EQ(notes.counters.at({"pci/0000:16:00.0", "aer_correctable"}), 3u);
}

TEST(Inventory, a_tree_copied_without_links_still_knows_the_address_of_the_adapter) {
  const Tree tree;
  const std::string device = "sys/class/infiniband/mlx5_0/device";
  tree.write(device + "/uevent", "DRIVER=mlx5_core\nPCI_SLOT_NAME=0000:17:00.0\n");
  tree.write(device + "/max_link_width", "16\n");
  const Notes notes = tree.read(read_rdma);
  EXPECT_EQ(fact(notes, "ib/mlx5_0", "pci"), "0000:17:00.0");
  EXPECT_EQ(fact(notes, "pci/0000:17:00.0", "max_link_width"), "16");
}

TEST(Inventory, a_link_that_leads_out_of_the_tree_or_in_a_circle_is_no_path) {
  const Tree tree;
  tree.write("sys/class/net/eth0/mtu", "1500\n");
  tree.link("sys/class/net/eth0/device", "/sys/devices");
  tree.write("sys/class/net/eth1/mtu", "1501\n");
  tree.link("sys/class/net/eth1/device", "device");
  const Notes notes = tree.read(read_interfaces);
  EXPECT_EQ(fact(notes, "net/eth0", "mtu"), "1500");
  EXPECT_EQ(fact(notes, "net/eth1", "mtu"), "1501");
  EXPECT_TRUE(notes.folders.empty());
}

TEST(Inventory, configuration_space_says_the_largest_read_request_and_what_access_control_is_on) {
  std::string space(4096, '\0');
  space[0x34] = 0x40;
  space[0x40] = 0x01, space[0x41] = 0x60;  // power management, then ...
  space[0x60] = 0x10;                      // ... PCI Express
  space[0x69] = 5 << 4;
  space[0x100] = 0x0d, space[0x102] = 1;
  space[0x106] = 0x1d;
  const auto read = [](const std::string& config) {
    const Tree tree;
    const std::string folder = "sys/devices/pci0000:00/0000:00:01.0";
    tree.write(folder + "/config", config);
    tree.link("sys/class/net/eth0/device", "../../../devices/pci0000:00/0000:00:01.0");
    const Notes notes = tree.read(read_interfaces);
    return fact(notes, "pci/0000:00:01.0", "max_read_request") + ", " +
           fact(notes, "pci/0000:00:01.0", "acs");
  };
  EXPECT_EQ(read(space), "4096, 0x1d");
  EXPECT_EQ(read(space.substr(0, 64)), "not known, not known");  // what a user who is not root sees
  space[0x41] = 0x40;                                            // a list of capabilities that is a circle
  space[0x100] = 0x01, space[0x103] = 0x10;
  EXPECT_EQ(read(space), "not known, not known");
  EXPECT_EQ(read(std::string(4096, '\xff')), "not known, not known");
}

TEST(Inventory, a_port_tells_its_addresses_in_use_and_the_age_of_its_counters) {
  const Tree tree;
  const std::string port = "sys/class/infiniband/mlx5_0/ports/1";
  const std::string zero = "0000:0000:0000:0000:0000:0000:0000:0000\n";
  tree.write(port + "/gids/0", "fe80:0000:0000:0000:0000:0000:0000:0001\n");
  tree.write(port + "/gids/1", zero);
  tree.write(port + "/gids/2", "0000:0000:0000:0000:0000:ffff:0a00:0001\n");
  tree.write(port + "/gids/3", "fe80:0000:0000:0000:0000:0000:0000:0000\n");
  tree.write(port + "/pkeys/0", "0xffff\n");
  tree.write(port + "/pkeys/1", "0x0000\n");
  tree.write(port + "/pkeys/2", "0x8001\n");
  tree.write(port + "/hw_counters/lifespan", "12\n");
  tree.write(port + "/hw_counters/out_of_sequence", "4\n");
  tree.write(port + "/counters/symbol_error", "N/A (no PMA)\n");
  const Notes notes = tree.read(read_rdma);
  EXPECT_EQ(fact(notes, "ib/mlx5_0/1", "gid"),
            "fe80:0000:0000:0000:0000:0000:0000:0001, 0000:0000:0000:0000:0000:ffff:0a00:0001");
  EXPECT_EQ(fact(notes, "ib/mlx5_0/1", "pkey"), "0xffff, 0x8001");
  EXPECT_EQ(fact(notes, "ib/mlx5_0/1", "hw_counters/lifespan"), "12");
  EXPECT_EQ(notes.counters,
            (std::map<Notes::Key, std::uint64_t>{{{"ib/mlx5_0/1", "hw_counters/out_of_sequence"}, 4}}));
}

TEST(Inventory, bonds_and_vlans_name_what_they_lie_on) {
  const Tree tree;
  tree.write("sys/class/net/bond0/mtu", "9000\n");
  tree.link("sys/class/net/bond0/lower_eth0", "../eth0");
  tree.link("sys/class/net/bond0/lower_eth1", "../eth1");
  tree.link("sys/class/net/eth0/master", "../bond0");
  tree.write("sys/class/net/eth0/speed", "-1\n");
  tree.write("proc/net/vlan/bond0.100", "bond0.100  VID: 100\t REORDER_HDR: 1  dev->priv_flags: 1021\n");
  tree.write("sys/class/net/bond0.100/mtu", "9000\n");
  const Notes notes = tree.read(read_interfaces);
  EXPECT_EQ(fact(notes, "net/bond0", "lower"), "eth0, eth1");
  EXPECT_EQ(fact(notes, "net/eth0", "master"), "bond0");
  EXPECT_EQ(fact(notes, "net/eth0", "speed"), "not known");
  EXPECT_EQ(fact(notes, "net/bond0.100", "vlan"), "100");
}

TEST(Inventory, processors_are_told_by_the_sets_that_share_a_cache_a_core_a_package) {
  const Tree tree;
  const std::string cpus = "sys/devices/system/cpu/";
  tree.write(cpus + "online", "0-3\n");
  for (const int cpu : {0, 1, 2, 3}) {
    const std::string folder = cpus + "cpu" + std::to_string(cpu) + "/", core = cpu % 2 ? "1,3" : "0,2";
    tree.write(folder + "topology/thread_siblings_list", core + "\n");
    tree.write(folder + "topology/core_siblings_list", "0-3\n");  // an older kernel
    tree.write(folder + "cache/index0/level", "1\n");
    tree.write(folder + "cache/index0/shared_cpu_list", core + "\n");
    tree.write(folder + "cache/index3/level", "3\n");
    tree.write(folder + "cache/index3/shared_cpu_list", "0-3\n");
  }
  const Notes notes = tree.read(read_cores);
  EXPECT_EQ(fact(notes, "host", "processors"), "4");
  EXPECT_EQ(fact(notes, "host", "packages"), "1");
  EXPECT_EQ(fact(notes, "host", "smt_siblings"), "0,2; 1,3");
  EXPECT_EQ(fact(notes, "host", "last_level_caches"), "0-3");
  EXPECT_EQ(fact(notes, "host", "numa_distances"), "not known");
}

constexpr const char* unlimited = "9223372036854771712\n";  // bytes, as version 1 tells it

void write_limits(const Tree& tree, const std::string& group, const char* bytes, const char* quota) {
  tree.write("sys/fs/cgroup/memory" + group + "/memory.limit_in_bytes", bytes);
  tree.write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_quota_us", quota);
  tree.write("sys/fs/cgroup/cpu,cpuacct" + group + "/cpu.cfs_period_us", "100000\n");
}

TEST(Inventory, the_limits_of_a_job_hold_for_its_tasks_also_in_cgroups_of_version_1) {
  const Tree tree;
  tree.link("sys/fs/cgroup/cpu", "cpu,cpuacct");
  tree.write("proc/self/cgroup",
             "4:memory:/slurm/job_5/task_0\n3:cpuacct,cpu:/slurm/job_5/task_0\n0::/init\n");
  write_limits(tree, "", unlimited, "-1\n");
  write_limits(tree, "/slurm", "274877906944\n", "3200000\n");
  write_limits(tree, "/slurm/job_5", "68719476736\n", "1600000\n");
  write_limits(tree, "/slurm/job_5/task_0", unlimited, "-1\n");
  const auto job = tree.read(read_identity);
  EXPECT_EQ(fact(job, "host", "cgroup_memory"), "68719476736");
  EXPECT_EQ(fact(job, "host", "cgroup_cpus"), "1600000 100000");
  tree.write("proc/self/cgroup", "4:memory:/\n3:cpuacct,cpu:/\n");
  const auto none = tree.read(read_identity);
  EXPECT_EQ(fact(none, "host", "cgroup_memory"), "max");
  EXPECT_EQ(fact(none, "host", "cgroup_cpus"), "max 100000");
}

TEST(Inventory, a_container_sees_its_own_limits_at_the_top_of_the_cgroups_of_version_1) {
  const Tree tree;
  tree.link("sys/fs/cgroup/cpu", "cpu,cpuacct");
  tree.write("proc/self/cgroup", "4:memory:/docker/1f\n3:cpu,cpuacct:/docker/1f\n");
  write_limits(tree, "", "1073741824\n", "150000\n");
  const auto notes = tree.read(read_identity);
  EXPECT_EQ(fact(notes, "host", "cgroup_memory"), "1073741824");
  EXPECT_EQ(fact(notes, "host", "cgroup_cpus"), "150000 100000");
}

TEST(Inventory, of_cgroups_of_version_2_the_tightest_limit_holds) {
  const Tree tree;
  tree.write("proc/self/cgroup", "0::/job/task\n");
  tree.write("sys/fs/cgroup/job/memory.max", "1048576\n");
  tree.write("sys/fs/cgroup/job/task/memory.max", "max\n");
  tree.write("sys/fs/cgroup/job/cpu.max", "max 50000\n");
  tree.write("sys/fs/cgroup/job/task/cpu.max", "200000 100000\n");
  const auto notes = tree.read(read_identity);
  EXPECT_EQ(fact(notes, "host", "cgroup_memory"), "1048576");
  EXPECT_EQ(fact(notes, "host", "cgroup_cpus"), "200000 100000");
  const Tree hidden;
  hidden.write("proc/self/cgroup", "0::/../job\n");
  hidden.write("sys/fs/cgroup/memory.max", "4096\n");
  hidden.write("sys/fs/cgroup/cpu.max", "\n");
  EXPECT_EQ(fact(hidden.read(read_identity), "host", "cgroup_memory"), "4096");
  EXPECT_EQ(fact(hidden.read(read_identity), "host", "cgroup_cpus"), "not known");
}

TEST(Inventory, statistics_of_single_queues_are_left_out) {
  for (const char* one :
       {"rx12_packets", "tx_queue_3_bytes", "queue_0_tx_cnt", "[4]: rx_ucast_packets", "ch5_events",
        "rx-0.packets", "tx0_xdp_xmit", "rx_queue_0_drops", "rx_posted_desc[0]"})
    EXPECT_TRUE(is_of_one_queue(one)) << one;
  for (const char* sum : {"rx_prio3_pause", "rx_1024_to_1518_bytes_phy", "rx_64_bytes_phy", "rx_discards_phy",
                          "tx_pause_storm_error_events", "outbound_pci_stalled_wr", "rx_packets",
                          "tx_timeout", "rx_corrected_bits_phy"})
    EXPECT_FALSE(is_of_one_queue(sum)) << sum;
}

// A frame as networkd keeps it: its length, the Ethernet header, the fields.
std::string frame_of(const std::vector<std::pair<int, std::string>>& fields) {
  std::string frame(12, '\1');
  frame += "\x88\xcc";
  for (const auto& [kind, contents] : fields) {
    const auto head = static_cast<unsigned>(kind) << 9 | static_cast<unsigned>(contents.size());
    frame += static_cast<char>(head >> 8);
    frame += static_cast<char>(head & 255);
    frame += contents;
  }
  std::string length(8, '\0');
  length[0] = static_cast<char>(frame.size() & 255);
  length[1] = static_cast<char>(frame.size() >> 8);
  return length + frame;
}

TEST(Inventory, the_neighbour_is_the_name_of_the_switch_and_its_port) {
  const std::string mac = "\x04\x01\x02\x03\x04\x05\x06";
  EXPECT_EQ(neighbour_in(frame_of({{1, mac}, {2, "\5Ethernet1/7"}, {5, "sw 01"}, {0, ""}})),
            "sw_01 Ethernet1/7");
  EXPECT_EQ(neighbour_in(frame_of({{1, mac}, {2, mac}, {4, "port 7"}})), "01:02:03:04:05:06 port 7");
  EXPECT_EQ(neighbour_in(frame_of({{1, mac}, {2, "\3\x01\x02\x03\x04\x05\x06"}})),
            "01:02:03:04:05:06 01:02:03:04:05:06");
  EXPECT_EQ(neighbour_in(frame_of({{5, "sw01"}})), std::nullopt);
}

TEST(Inventory, a_frame_that_is_cut_short_or_made_up_names_no_neighbour) {
  const std::string whole = frame_of({{2, "\5Ethernet1/7"}, {5, "sw01"}});
  ASSERT_TRUE(neighbour_in(whole));
  for (std::size_t length = 0; length < whole.size(); ++length)
    EXPECT_EQ(neighbour_in(whole.substr(0, length)), std::nullopt) << length;
  EXPECT_EQ(neighbour_in(std::string(100, '\xff')), std::nullopt);
  EXPECT_EQ(neighbour_in(std::string(100, '\0')), std::nullopt);
}

TEST(Inventory, links_that_wake_up_under_load_are_told_at_their_fastest) {
  const Tree tree;
  const std::string folder = "sys/devices/pci0000:00/0000:00:01.0";
  tree.write(folder + "/current_link_speed", "2.5 GT/s PCIe\n");
  tree.write(folder + "/current_link_width", "16\n");
  tree.link("sys/class/net/eth0/device", "../../../devices/pci0000:00/0000:00:01.0");
  HostReader reader(tree.root(), "");
  EXPECT_EQ(facts_of(reader.read(0, Moment::before).value()).at({"pci/0000:00:01.0", "current_link_speed"}),
            "2.5 GT/s PCIe");
  reader.begin_watching();
  tree.write(folder + "/current_link_speed", "32.0 GT/s PCIe\n");
  const auto seen = reader.end_watching(reading_under_load);  // looks once more at the end
  ASSERT_TRUE(seen);
  EXPECT_EQ(seen->moment, Moment::under_load);
  EXPECT_EQ(facts_of(*seen), (Known{{{"pci/0000:00:01.0", "current_link_speed"}, "32.0 GT/s PCIe"}}));
}

TEST(Inventory, after_a_reading_that_was_lost_everything_is_told_again) {
  const Tree tree;
  tree.write("proc/sys/kernel/hostname", "n1\n");
  HostReader reader(tree.root(), "");
  const auto first = reader.read(0, Moment::before);
  EXPECT_TRUE(reader.read(2, Moment::after)->facts.empty());
  reader.forget();
  EXPECT_EQ(facts_of(reader.read(3, Moment::again).value()), facts_of(*first));
}

TEST(Inventory, the_version_of_ucx_is_that_which_the_transport_tells) {
  HostReader reader("/nowhere", "UCX 1.13.1");
  EXPECT_EQ(facts_of(reader.read(0, Moment::before).value()).at({"host", "library/ucx"}), "1.13.1");
}

TEST(Inventory, the_root_may_contain_the_name_of_the_host) {
  ASSERT_EQ(::setenv("EVERYLINK_SYSFS", "/trees/%h", 1), 0);
  EXPECT_EQ(root_of_host("n7"), "/trees/n7");
  EXPECT_EQ(root_of_host("../../etc"), std::nullopt);
  ASSERT_EQ(::setenv("EVERYLINK_SYSFS", "none", 1), 0);
  EXPECT_EQ(root_of_host("n7"), std::nullopt);
  ASSERT_EQ(::unsetenv("EVERYLINK_SYSFS"), 0);
  EXPECT_EQ(root_of_host("n7"), "/");
}

HostReading reading_of(std::uint32_t number) {
  Notes notes;
  notes.fact("host", "name", "n1");
  notes.counter("host", "cpu_total", "5");
  HostReading reading = changes({}, notes);
  reading.number = number;
  return reading;
}

TEST(Inventory, a_reading_that_makes_no_sense_is_refused) {
  const auto is_refused = [](auto spoil) {
    Report report{.rank = 0};
    report.host = {reading_of(0)};
    spoil(report.host);
    try {
      unpacked<Report>(packed(report)).check(0, 2, 1);
    } catch (const MachineError&) {
      return true;
    }
    return false;
  };
  using All = std::vector<HostReading>;
  EXPECT_FALSE(is_refused([](All&) {}));
  EXPECT_TRUE(is_refused([](All& all) { all.push_back(all.front()); }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().facts.back() = 99; }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().facts.pop_back(); }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().counters.back() = 99; }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().counter_values.push_back(1); }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().texts.back() = std::string(257, 'x'); }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().texts.back() = "\xff"; }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().took = -1; }));
  EXPECT_TRUE(is_refused([](All& all) { all.front().took = std::nan(""); }));
}

TEST(Inventory, retransmits_to_a_rank_that_does_not_exist_are_refused) {
  const auto check = [](std::int32_t to) {
    Report report{.rank = 1};
    report.retransmits = {{.to = to, .segments = 1, .bytes = 1}};
    report.check(1, 4, 1);
  };
  EXPECT_NO_THROW(check(3));
  for (const std::int32_t to : {-1, 1, 4}) EXPECT_THROW(check(to), MachineError) << to;
}

// Keeps readings alone.
class ReadingRecorder final : public NoRecorder {
 public:
  void reading(const ReadingRow& row) override { all.push_back(row); }
  std::vector<ReadingRow> all;
};

Report report_of(int rank, std::uint32_t number) {
  Report report{.rank = rank};
  report.host = {reading_of(number)};
  return report;
}

TEST(Inventory, each_host_has_one_reading_per_moment_and_one_that_comes_late_is_lost) {
  ReadingRecorder recorder;
  HostReadings readings(recorder, {0, 0, 1}, false);
  const Order first = readings.before({Submit{}});
  EXPECT_TRUE(readings.put_off()->is<Submit>());
  readings.keep({report_of(0, 0), report_of(1, 0), report_of(2, 3)}, first, 10, {});
  EXPECT_TRUE(recorder.all.empty());  // it is not known yet when measuring begins
  readings.keep({report_of(2, 0)}, {Submit{}}, 11, 12);
  ASSERT_EQ(recorder.all.size(), 1u);
  EXPECT_EQ(recorder.all[0].rank, 0u);
  EXPECT_EQ(recorder.all[0].began, -2);
}

TEST(Inventory, hosts_are_read_between_the_main_run_and_what_is_measured_again) {
  ReadingRecorder recorder;
  const auto moment_of = [](const std::optional<Order>& order) { return order->as<ReadHost>()->moment; };
  const auto measures = [](Attempt attempt) {
    Measure order;
    order.attempt = attempt;
    return Order{order};
  };
  const Order main = measures(Attempt::main), alone = measures(Attempt::failed_again);
  HostReadings readings(recorder, {0}, false);
  EXPECT_TRUE(readings.instead_of(main)->is<Measure>());
  EXPECT_EQ(moment_of(readings.instead_of(alone)), Moment::after);
  EXPECT_EQ(readings.put_off()->as<Measure>()->attempt, Attempt::failed_again);
  EXPECT_TRUE(readings.instead_of(alone)->is<Measure>());
  EXPECT_EQ(moment_of(readings.instead_of({})), Moment::again);
  EXPECT_TRUE(readings.put_off()->is<Submit>());
  EXPECT_TRUE(readings.is_over());

  HostReadings without(recorder, {0}, false), confirming(recorder, {0}, true);
  EXPECT_EQ(moment_of(without.instead_of({})), Moment::after);
  EXPECT_TRUE(confirming.instead_of(measures(Attempt::one_way))->is<Measure>());
  EXPECT_EQ(moment_of(confirming.instead_of({})), Moment::again);
}

}  // namespace
}  // namespace everylink

// Where GPUs are on a host, from a tree like /sys.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/errors.hpp"
#include "host/gpus.hpp"

namespace everylink {
namespace {

namespace fs = std::filesystem;

class PlacesOfGpus : public ::testing::Test {
 protected:
  PlacesOfGpus() {
    add("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:00.0/0000:18:00.0", "0x10de", "0x030200", 0);
    add("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:01.0/0000:19:00.0", "0x15b3", "0x020700", 0,
        "infiniband/mlx5_0");
    add("pci0000:15/0000:15:01.0/0000:16:00.0/0000:17:02.0/0000:1a:00.0/0000:1b:00.0/0000:1c:00.0", "0x15b3",
        "0x020700", 0, "infiniband/mlx5_1");
    add("pci0000:15/0000:15:02.0/0000:1d:00.0", "0x15b3", "0x020700", 0, "infiniband/mlx5_2");
    add("pci0000:20/0000:20:01.0/0000:21:00.0", "0x15b3", "0x020700", 0, "infiniband/mlx5_3");
    add("pci0000:40/0000:40:01.0/0000:41:00.0", "0x8086", "0x020000", 1, "net/eth0");
    add("pci0000:40/0000:40:02.0/0000:42:00.0", "0x10de", "0x030000", 1);
    add("pci0000:40/0000:40:03.0/0000:43:00.0", "0x10de", "0x068000", 1);  // an NVSwitch
  }
  ~PlacesOfGpus() override { fs::remove_all(sys_); }

  void add(const fs::path& below, const std::string& vendor, const std::string& kind, int node,
           const std::string& named = "") {
    const auto device = sys_ / "devices" / below;
    fs::create_directories(device);
    std::ofstream(device / "vendor") << vendor << '\n';
    std::ofstream(device / "class") << kind << '\n';
    std::ofstream(device / "numa_node") << node << '\n';
    fs::create_directories(sys_ / "bus/pci/devices");
    fs::create_symlink(device, sys_ / "bus/pci/devices" / below.filename());
    if (named.empty()) return;
    fs::create_directories(sys_ / "class" / named);
    fs::create_symlink(device, sys_ / "class" / named / "device");
  }
  std::string path_to(const std::string& devices) const { return pci_path("0000:18:00.0", devices, sys_); }

  const fs::path sys_ = fs::path(::testing::TempDir()) / ("gpus" + std::to_string(::getpid()));
};

TEST_F(PlacesOfGpus, what_lies_between_a_gpu_and_an_adapter_has_the_names_of_nvidia_smi) {
  EXPECT_EQ(path_to("mlx5_0 port 1"), "PIX");
  EXPECT_EQ(path_to("mlx5_1"), "PXB");
  EXPECT_EQ(path_to("mlx5_2"), "PHB");
  EXPECT_EQ(path_to("mlx5_3"), "NODE");
  EXPECT_EQ(path_to("eth0"), "SYS");
}

TEST_F(PlacesOfGpus, of_several_devices_the_nearest_counts) {
  EXPECT_EQ(path_to("eth0, mlx5_1:1, mlx5_2"), "PXB");
}

TEST_F(PlacesOfGpus, what_is_no_pci_function_has_no_path) {
  EXPECT_EQ(path_to("lo"), "");
  EXPECT_EQ(path_to("../../etc"), "");
  EXPECT_EQ(pci_path("0000:99:00.0", "mlx5_0", sys_), "");
}

TEST_F(PlacesOfGpus, the_nearest_devices_are_all_that_are_as_near) {
  using Names = std::vector<std::string>;
  EXPECT_EQ(nearest_devices({"mlx5_1:1", "mlx5_0:1", "eth0"}, "0000:18:00.0", sys_), Names{"mlx5_0:1"});
  EXPECT_EQ(nearest_devices({"mlx5_2", "mlx5_3", "eth0"}, "0000:42:00.0", sys_), Names{"eth0"});
  EXPECT_EQ(nearest_devices({"mlx5_2", "mlx5_3"}, "0000:42:00.0", sys_), (Names{"mlx5_2", "mlx5_3"}));
  EXPECT_EQ(nearest_devices({"mlx5_2", "mlx5_3"}, "0000:99:00.0", sys_), (Names{"mlx5_2", "mlx5_3"}));
}

TEST_F(PlacesOfGpus, gpus_are_counted_by_address_and_switches_are_none) {
  EXPECT_EQ(number_of_gpu("0000:18:00.0", gpus_in(sys_)), 0);
  EXPECT_EQ(number_of_gpu("0000:42:00.0", gpus_in(sys_)), 1);
  EXPECT_EQ(number_of_gpu("0000:43:00.0", gpus_in(sys_)), -1);
}

TEST(PlacesOfGpusOption, a_list_of_numbers_is_auto_or_numbers) {
  EXPECT_NO_THROW(check_gpus("auto"));
  EXPECT_NO_THROW(check_gpus("0,2"));
  for (const char* wrong : {"", "x", "0,,1", "-1", "1024", "0 1"})
    EXPECT_THROW(check_gpus(wrong), UsageError) << wrong;
}

}  // namespace
}  // namespace everylink

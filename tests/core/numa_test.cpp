// Distances in a fabricated /sys with nodes 0 and 2.
#include "host/numa.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace everylink {
namespace {

namespace fs = std::filesystem;

class Numa : public testing::Test {
 protected:
  Numa() {
    write("devices/system/node/node0/distance", "10 32\n");
    write("devices/system/node/node2/distance", "21 10\n");
    write("class/infiniband/mlx5_0/device/numa_node", "0\n");
    write("class/infiniband/mlx5_1/device/numa_node", "2\n");
    write("class/infiniband/mlx5_2/device/numa_node", "1\n");  // no such node
    write("class/net/eth0/device/numa_node", "-1\n");
    fs::create_directories(sys_ / "class/net/lo");
  }
  ~Numa() override { fs::remove_all(sys_); }

  void write(const std::string& path, const char* text) {
    fs::create_directories((sys_ / path).parent_path());
    std::ofstream(sys_ / path) << text;
  }
  const fs::path sys_ = fs::path(testing::TempDir()) / fmt::format("everylink-numa-{}", ::getpid());
};

TEST_F(Numa, is_the_kernels_distance_from_rank_to_device) {
  EXPECT_EQ(numa_distance(0, "mlx5_0", sys_), 10);
  EXPECT_EQ(numa_distance(0, "mlx5_1", sys_), 32);
  EXPECT_EQ(numa_distance(2, "mlx5_0", sys_), 21);
}

TEST_F(Numa, is_that_of_the_nearest_device_and_ignores_ports) {
  EXPECT_EQ(numa_distance(2, "lo, mlx5_0:1, mlx5_1:1", sys_), 10);
  EXPECT_EQ(numa_distance(2, "mlx5_0 port 1, NUMA node 0", sys_), 21);
}

TEST_F(Numa, is_not_known_if_either_end_has_no_node) {
  for (const char* device : {"lo", "eth0", "mlx5_2", "mlx5_9", "", ", ", "..", "../net/eth0"})
    EXPECT_EQ(numa_distance(0, device, sys_), -1) << device;
  EXPECT_EQ(numa_distance(-1, "mlx5_0", sys_), -1);
  EXPECT_EQ(numa_distance(1, "mlx5_0", sys_), -1);
  EXPECT_EQ(numa_distance(0, "mlx5_0", sys_ / "nowhere"), -1);
  write("devices/system/node/node0/distance", "10\n");  // not one per node
  EXPECT_EQ(numa_distance(0, "mlx5_0", sys_), -1);
}

}  // namespace
}  // namespace everylink

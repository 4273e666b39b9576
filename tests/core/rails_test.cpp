// --rails: the device of each rank of a host.
#include "host/rails.hpp"
#include "base/settings.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/units.hpp"
#include "net/interfaces.hpp"

namespace everylink {
namespace {

const std::vector<std::int32_t> three_hosts{0, 0, 0, 1, 1, 2, 0};

TEST(Rails, ranks_of_a_host_take_them_in_turn_and_each_host_begins_with_the_first) {
  const Settings options = parse_settings(with_rails("ucp", "tls=tcp", "mlx5_0:1,mlx5_1:1"), "--mode ucp");
  std::string taken;
  for (int rank = 0; rank < 7; ++rank) {
    const auto own = on_own_rail("ucp", options, three_hosts, rank);
    EXPECT_EQ(setting(own, "tls"), "tcp");
    EXPECT_FALSE(own.contains("rails"));
    taken += setting(own, "net_devices") + " ";
  }
  EXPECT_EQ(taken, "mlx5_0:1 mlx5_1:1 mlx5_0:1 mlx5_0:1 mlx5_1:1 mlx5_0:1 mlx5_1:1 ");
}

TEST(Rails, every_mode_selects_its_device_with_its_own_option) {
  for (const auto& [mode, option] : std::map<std::string, std::string>{{"tcp", "rail"},
                                                                       {"ucp", "net_devices"},
                                                                       {"ofi", "domain"},
                                                                       {"ibverbs", "device"},
                                                                       {"portals", "interface"}}) {
    const Settings options = parse_settings(with_rails(mode, "", "a,b"), mode);
    EXPECT_EQ(on_own_rail(mode, options, three_hosts, 1), (Settings{{option, "b"}})) << mode;
  }
}

TEST(Rails, without_rails_options_are_unchanged) {
  const Settings options{{"interface", "eth0"}};
  EXPECT_EQ(on_own_rail("tcp", options, three_hosts, 1), options);
}

TEST(Rails, the_rails_of_this_machine_exclude_loopback_and_have_no_duplicates) {
  const auto rails = rails_here("tcp");
  EXPECT_EQ(std::set<std::string>(rails.begin(), rails.end()).size(), rails.size());
  for (const auto& rail : rails) EXPECT_FALSE(interfaces_named(rail, "").front().is_loopback);
}

}  // namespace
}  // namespace everylink

// Places from the three variables (key, list of listening ranks, interface) and from Slurm's variables.
#include "bootstrap/place.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "base/errors.hpp"
#include "world.hpp"

namespace everylink {
namespace {

class Variables : public testing::Test {
 protected:
  Variables() {
    set({{"EVERYLINK_RANK", "1"}, {"EVERYLINK_SIZE", "4"}, {"EVERYLINK_RENDEZVOUS", "127.0.0.1:9"}});
  }
  ~Variables() override {
    for (const char* name :
         {"EVERYLINK_RANK", "EVERYLINK_SIZE", "EVERYLINK_RENDEZVOUS", "EVERYLINK_KEY", "EVERYLINK_KEY_FILE"})
      ::unsetenv(name);
    std::filesystem::remove(file_);
  }
  static void set(const std::map<std::string, std::string>& values) {
    for (const auto& [name, value] : values) ::setenv(name.c_str(), value.c_str(), 1);
  }
  const std::string& file_of(const std::string& contents, mode_t mode) {
    std::ofstream(file_) << contents;
    ::chmod(file_.c_str(), mode);
    return file_;
  }
  static void expect_refused(std::initializer_list<const char*> words) {
    try {
      place_from_variables("");
      ADD_FAILURE() << "not refused";
    } catch (const UsageError& error) {
      for (const char* word : words)
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos) << error.what();
    }
  }

  std::string file_ = testing::TempDir() + "everylink-key-" + std::to_string(::getpid());
};

TEST_F(Variables, on_loopback_no_key_is_needed) {
  EXPECT_TRUE(place_from_variables("").key.empty());
  set({{"EVERYLINK_RENDEZVOUS", "[::1]:9"}});
  EXPECT_TRUE(place_from_variables("").key.empty());
}

TEST_F(Variables, a_key_is_needed_if_others_can_reach_the_rendezvous) {
  set({{"EVERYLINK_RANK", "3"}, {"EVERYLINK_RENDEZVOUS", "127.0.0.1:9,192.0.2.1:9"}});
  expect_refused({"EVERYLINK_RENDEZVOUS", "EVERYLINK_KEY", "EVERYLINK_KEY_FILE", "openssl rand"});
  set({{"EVERYLINK_KEY", "secret"}});
  EXPECT_EQ(text(place_from_variables("").key), "secret");
}

TEST_F(Variables, a_key_in_a_file_is_its_contents_without_the_last_newline) {
  set({{"EVERYLINK_KEY_FILE", file_of("0123 4567\n", 0600)}});
  EXPECT_EQ(text(place_from_variables("").key), "0123 4567");
}

TEST_F(Variables, a_key_file_that_others_can_read_or_that_is_empty_or_missing_is_refused_by_name) {
  set({{"EVERYLINK_KEY_FILE", file_of("secret", 0644)}});
  expect_refused({"EVERYLINK_KEY_FILE", file_.c_str(), "others", "chmod"});
  file_of("secret", 0640);
  expect_refused({"others"});
  file_of("\n", 0600);
  expect_refused({file_.c_str(), "empty"});
  file_of(std::string(2000, 'x'), 0600);
  expect_refused({file_.c_str(), "longer"});
  set({{"EVERYLINK_KEY_FILE", "/dev/zero"}});
  expect_refused({"/dev/zero", "not a file"});
  set({{"EVERYLINK_KEY_FILE", "/nowhere/key"}});
  expect_refused({"/nowhere/key", "No such file"});
}

TEST_F(Variables, a_key_and_a_key_file_exclude_each_other) {
  set({{"EVERYLINK_KEY", "secret"}, {"EVERYLINK_KEY_FILE", file_of("secret", 0600)}});
  expect_refused({"EVERYLINK_KEY ", "EVERYLINK_KEY_FILE"});
}

TEST_F(Variables, rank_k_listens_at_the_k_th_of_a_list_and_knows_the_others) {
  int port = 0;
  {
    const Socket free = listen_on(loopback(0), 1);
    port = local_address(free).port();
  }
  set({{"EVERYLINK_RENDEZVOUS", "127.0.0.1:9,127.0.0.1:" + std::to_string(port) + ",127.0.0.1:10"}});
  const Place place = place_from_variables("");
  ASSERT_TRUE(place.listener);
  EXPECT_EQ(place.listener->addresses().at(0).port(), port);
  EXPECT_EQ(place.rendezvous.size(), 1u);
  ASSERT_EQ(place.relays.size(), 2u);
  EXPECT_EQ(place.relays[1].rank, 2);
  EXPECT_EQ(place.relays[1].addresses.at(0).port(), 10);
  set({{"EVERYLINK_RANK", "3"}});
  EXPECT_FALSE(place_from_variables("").listener);
}

TEST_F(Variables, a_missing_interface_is_refused_with_the_existing_ones) {
  try {
    place_from_variables("warp0");
    FAIL();
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find("--interface warp0"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("127.0.0.1"), std::string::npos) << error.what();
  }
  EXPECT_EQ(place_from_variables("127.0.0.1").own.host_text(), "127.0.0.1");
}

TEST(Slurm, rank_0_listens_on_the_first_host_of_the_step) {
  const std::map<std::string, std::string> step{{"SLURM_PROCID", "1"},
                                                {"SLURM_STEP_NUM_TASKS", "4"},
                                                {"SLURM_JOB_ID", "71"},
                                                {"SLURM_STEP_ID", "0"},
                                                {"EVERYLINK_KEY", "key"}};
  for (const auto& [name, value] : step) ::setenv(name.c_str(), value.c_str(), 1);
  const auto first = [](const char* list) {
    ::setenv("SLURM_STEP_NODELIST", list, 1);
    return place_from_slurm("").rendezvous.at(0);
  };
  EXPECT_EQ(first("127.0.0.[8-11,15],m3").host_text(), "127.0.0.8");
  EXPECT_EQ(first("127.[0-3].0.1").host_text(), "127.0.0.1");
  EXPECT_EQ(first("127.0.0.[07,9-12]").host_text(), "127.0.0.7");
  const int port = first("127.0.0.1,m3").port();
  EXPECT_GE(port, 20000);
  EXPECT_LT(port, 32000);
  ::setenv("SLURM_STEP_ID", "1", 1);
  EXPECT_NE(first("127.0.0.1").port(), port) << "two concurrent steps";
  ::setenv("SLURM_STEP_RESV_PORTS", "12003-12006", 1);
  EXPECT_EQ(first("127.0.0.1").port(), 12003);
  ::unsetenv("SLURM_STEP_RESV_PORTS");
  ::setenv("SLURM_PROCID", "0", 1);
  const auto hosts = [](const char* list, const char* tasks, const char* distribution) {
    ::setenv("SLURM_STEP_NODELIST", list, 1);
    ::setenv("SLURM_STEP_TASKS_PER_NODE", tasks, 1);
    ::setenv("SLURM_DISTRIBUTION", distribution, 1);
    ::setenv("EVERYLINK_RENDEZVOUS", "127.0.0.1:0", 1);
    return place_from_slurm("127.0.0.1").hosts;
  };
  using Hosts = std::vector<std::string>;
  EXPECT_EQ(hosts("n[08-09,15]-ib,m3", "1(x4)", "block"), (Hosts{"n08-ib", "n09-ib", "n15-ib", "m3"}));
  EXPECT_EQ(hosts("r[1-2]n[3-4]", "1(x4)", ""), (Hosts{"r1n3", "r1n4", "r2n3", "r2n4"}));
  EXPECT_EQ(hosts("a,b", "3,1", "block:cyclic"), (Hosts{"a", "a", "a", "b"}));
  EXPECT_EQ(hosts("n[1-2]", "2(x2)", "cyclic"), Hosts{}) << "ranks are elsewhere";
  EXPECT_EQ(hosts("n[1-2]", "1(x2)", "block"), Hosts{}) << "4 tasks were promised";
  EXPECT_EQ(hosts("n[1-2]", "many", "block"), Hosts{});
  EXPECT_EQ(hosts("n[1-999999999999]", "2000000000(x2000000000)", "block").size(), 4u);
  const std::string many_brackets = "n[1-2][1-2][1-2][1-2][1-2]";
  EXPECT_EQ(hosts(many_brackets.c_str(), "4", "block"), (Hosts(4, "n11111")));
  for (const std::string& list :
       {std::string("n[x-y]"), std::string("n[2-1]"), std::string("n[0-99999999999][2-1]"),
        std::string("n[9223372036854775807][1]"), many_brackets + "[1-2]"})
    EXPECT_THROW(hosts(list.c_str(), "4", "block"), UsageError) << list;
  ::unsetenv("EVERYLINK_KEY");
  EXPECT_THROW(place_from_slurm(""), UsageError);
  for (const auto& [name, value] : step) ::unsetenv(name.c_str());
  for (const char* name :
       {"SLURM_STEP_NODELIST", "SLURM_STEP_TASKS_PER_NODE", "SLURM_DISTRIBUTION", "EVERYLINK_RENDEZVOUS"})
    ::unsetenv(name);
}

}  // namespace
}  // namespace everylink

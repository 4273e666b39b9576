// What kept a process from going on. That others have its processor: tests/whole/test_local_faults.py.
#include "host/standstill.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "host/signals.hpp"

namespace everylink {
namespace {

TEST(Standstill, a_thread_that_sleeps_is_not_held_up) {
  Standstill standstill;
  standstill.begin();
  ::usleep(200'000);
  EXPECT_EQ(standstill.cause(0.2, 1000), "");
}

TEST(Standstill, a_stop_counts_until_the_next_begin) {
  const auto child = ::fork();
  if (child == 0) {
    handle_signals();
    Standstill standstill;
    standstill.begin();
    ::raise(SIGSTOP);
    const auto cause = standstill.cause(1, 1000);
    standstill.begin();
    ::_exit(cause == "stopped by a signal for a while" && standstill.cause(1, 1000).empty() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, WUNTRACED), child);
  ASSERT_TRUE(WIFSTOPPED(status));
  ASSERT_EQ(::kill(child, SIGCONT), 0);
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

}  // namespace
}  // namespace everylink

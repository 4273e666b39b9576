// What a machine lacks, apart from other faults.
#include "base/errors.hpp"

#include <gtest/gtest.h>

namespace everylink {
namespace {

TEST(Errors, what_this_machine_lacks_is_caught_and_named) {
  const auto descriptors =
      local_fault_of([] { throw LocalFault("socket: Too many open files", "too many"); });
  ASSERT_TRUE(descriptors);
  EXPECT_EQ(descriptors->cause, "too many");
  EXPECT_STREQ(descriptors->what(), "socket: Too many open files");
  const auto memory = local_fault_of([] { throw std::bad_alloc(); });
  ASSERT_TRUE(memory);
  EXPECT_EQ(memory->cause, "not enough memory");
}

TEST(Errors, other_faults_pass_through) {
  EXPECT_THROW(local_fault_of([] { throw MachineError("no such library"); }), MachineError);
  bool done = false;
  EXPECT_FALSE(local_fault_of([&] { done = true; }));
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace everylink

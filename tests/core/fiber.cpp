// Fibers by ucontext.
#include "fiber.hpp"

#include <sys/mman.h>

#include <cxxabi.h>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define EVERYLINK_FIBERS_ARE_WATCHED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define EVERYLINK_FIBERS_ARE_WATCHED
#endif
#endif
#ifdef EVERYLINK_FIBERS_ARE_WATCHED
#include <sanitizer/common_interface_defs.h>
#endif

namespace everylink {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // of address space; untouched pages cost nothing

// The address sanitizer must know which stack is in use.
void leave_for([[maybe_unused]] void** fake_stack, [[maybe_unused]] const void* bottom,
               [[maybe_unused]] std::size_t bytes) {
#ifdef EVERYLINK_FIBERS_ARE_WATCHED
  __sanitizer_start_switch_fiber(fake_stack, bottom, bytes);
#endif
}
void arrive([[maybe_unused]] void* fake_stack, [[maybe_unused]] const void** left_bottom,
            [[maybe_unused]] std::size_t* left_bytes) {
#ifdef EVERYLINK_FIBERS_ARE_WATCHED
  __sanitizer_finish_switch_fiber(fake_stack, left_bottom, left_bytes);
#endif
}

// What the C++ runtime keeps per thread (Itanium ABI, 2.2.2).
struct Handled {
  void* caught;
  unsigned uncaught;
};
void exchange_handled(void*& caught, unsigned& uncaught) {
  auto& current = *reinterpret_cast<Handled*>(abi::__cxa_get_globals());
  std::swap(current.caught, caught);
  std::swap(current.uncaught, uncaught);
}

// Stacks are used again and again.
std::vector<std::byte*>& free_stacks() {
  static std::vector<std::byte*> stacks;
  return stacks;
}

std::byte* new_stack() {
  auto& free = free_stacks();
  if (!free.empty()) {
    std::byte* stack = free.back();
    free.pop_back();
    return stack;
  }
  void* memory = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) throw std::runtime_error("no memory for the stack of a fiber");
  return static_cast<std::byte*>(memory);
}

}  // namespace

Fiber::Fiber(std::function<void()> body) : body_(std::move(body)), stack_(new_stack()) {
  ::getcontext(&inside_);
  inside_.uc_stack.ss_sp = stack_;
  inside_.uc_stack.ss_size = stack_bytes;
  inside_.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  ::makecontext(&inside_, reinterpret_cast<void (*)()>(&Fiber::begin), 2, static_cast<unsigned>(self >> 32),
                static_cast<unsigned>(self));
}

Fiber::~Fiber() { free_stacks().push_back(stack_); }

void Fiber::begin(unsigned high, unsigned low) {
  reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low)->run();
}

void Fiber::run() {
  arrive(nullptr, &outer_bottom_, &outer_bytes_);
  body_();
  ended_ = true;
  exchange_handled(caught_, uncaught_);
  leave_for(nullptr, outer_bottom_, outer_bytes_);  // its fake stack is freed
  ::setcontext(&outside_);
}

void Fiber::resume() {
  exchange_handled(caught_, uncaught_);
  leave_for(&outer_stack_, stack_, stack_bytes);
  ::swapcontext(&outside_, &inside_);
  arrive(outer_stack_, nullptr, nullptr);
}

void Fiber::pause() {
  exchange_handled(caught_, uncaught_);
  leave_for(&fake_stack_, outer_bottom_, outer_bytes_);
  ::swapcontext(&inside_, &outside_);
  arrive(fake_stack_, &outer_bottom_, &outer_bytes_);
}

}  // namespace everylink

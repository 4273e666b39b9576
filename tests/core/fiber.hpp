// A function on a stack of its own: it runs until it pauses, and continues where it paused. Switching costs
// far less than between threads, and no two fibers ever run at once.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>

namespace everylink {

class Fiber {
 public:
  explicit Fiber(std::function<void()> body);  // must not throw
  ~Fiber();                                    // it must have ended, or never been resumed
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  void resume();  // returns once it pauses or ends
  void pause();   // called by itself
  bool ended() const { return ended_; }

 private:
  static void begin(unsigned high, unsigned low);
  void run();

  std::function<void()> body_;
  std::byte* stack_;
  ucontext_t inside_{}, outside_{};
  void* outer_stack_ = nullptr;  // of whoever resumes it, for the sanitizer
  std::size_t outer_bytes_ = 0;
  const void* outer_bottom_ = nullptr;
  void* fake_stack_ = nullptr;
  // Exceptions that are being handled: the runtime keeps them per thread.
  void* caught_ = nullptr;
  unsigned uncaught_ = 0;
  bool ended_ = false;
};

}  // namespace everylink

// A file descriptor that is closed with its owner.
#pragma once

#include <unistd.h>

#include <utility>

namespace everylink {

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}  // negative: not open
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }
  bool is_open() const { return fd_ >= 0; }

 private:
  int fd_;
};

}  // namespace everylink

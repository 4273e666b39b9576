// The MPI window of all ranks, for puts and gets.
#pragma once

#include "base/pack.hpp"
#include "host/mpi_api.hpp"
#include "memory/memory.hpp"
#include "transport/transport.hpp"

namespace everylink::mpi {

void check(int rc, const char* call);  // throws MachineError

// Each rank attaches its memories to the window. It is created once, before measuring, and freed in
// MPI_Finalize, because both are collective operations.
class Window {
 public:
  // If Setup asks for one-sided transfers, all ranks must create their first Window together.
  Window(const Setup& setup, bool block);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win handle() const { return handle_; }  // MPI_WIN_NULL: no one-sided transfers
  void pack(Packer& offer) const;             // adds the addresses of the two memories

 private:
  const MPI_Win handle_;
  const Region out_, in_;
};

}  // namespace everylink::mpi

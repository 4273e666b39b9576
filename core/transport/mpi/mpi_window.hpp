// The window of all ranks through which they put and get by MPI.
#pragma once

#include <mpi.h>

#include "base/pack.hpp"
#include "memory/memory.hpp"
#include "transport/transport.hpp"

namespace everylink::mpi {

void check(int rc, const char* call);  // throws MachineError

// Each rank attaches its memories to the window. It is made once, before measuring, because making one is the
// business of all ranks at once, and freed in MPI_Finalize, because freeing one is so too.
class Window {
 public:
  // Where Setup asks for one-sided transfers, the first one must be everybody's.
  Window(const Setup& setup, bool block);
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  MPI_Win handle() const { return handle_; }  // MPI_WIN_NULL: nobody puts or gets
  void pack(Packer& offer) const;             // how peers name the two memories

 private:
  const MPI_Win handle_;
  const Region out_, in_;
};

}  // namespace everylink::mpi

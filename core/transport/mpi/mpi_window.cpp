// Creates the one window of a process and attaches memories to it.
#include "transport/mpi/mpi_window.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

#include "base/errors.hpp"
#include "base/seconds.hpp"

namespace everylink::mpi {
namespace {

std::string text_of(int rc) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(rc, text, &length);
  return text;
}

int take_down(MPI_Comm, int, void* window, void*) {
  MPI_Win_unlock_all(*static_cast<MPI_Win*>(window));
  return MPI_Win_free(static_cast<MPI_Win*>(window));
}

// A rank without memory or transport never arrives.
void wait_for_all() {
  constexpr Seconds patience = 30;
  MPI_Request here;
  check(MPI_Ibarrier(MPI_COMM_WORLD, &here), "MPI_Ibarrier");
  const Seconds until = MPI_Wtime() + patience;
  for (int all = 0; !all;) {
    check(MPI_Test(&here, &all, MPI_STATUS_IGNORE), "MPI_Test");
    if (!all && MPI_Wtime() >= until)
      throw MachineError("not every rank joined the creation of the window for puts and gets");
  }
}

// All ranks must make the first call together. The window is a static variable of this file: under SimGrid
// each rank is a copy of this code in one process, with its own window.
MPI_Win shared_window(bool block) {
  static MPI_Win window = MPI_WIN_NULL;
  if (window != MPI_WIN_NULL) return window;
  if (!block) wait_for_all();
  MPI_Win made = MPI_WIN_NULL;
  if (const int rc = MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &made); rc != MPI_SUCCESS)
    throw UsageError(
        fmt::format("--mode mpi: this MPI cannot create a window for puts and gets here ({}); Open MPI 4 "
                    "over sockets can with mpirun --mca osc pt2pt",
                    text_of(rc)));
  check(MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN), "MPI_Win_set_errhandler");
  check(MPI_Win_lock_all(MPI_MODE_NOCHECK, made), "MPI_Win_lock_all");
  window = made;
  // MPI_Finalize deletes the attributes of MPI_COMM_SELF first, while all ranks still exist.
  int key = MPI_KEYVAL_INVALID;
  check(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, take_down, &key, nullptr), "MPI_Comm_create_keyval");
  check(MPI_Comm_set_attr(MPI_COMM_SELF, key, &window), "MPI_Comm_set_attr");
  return window;
}

}  // namespace

void check(int rc, const char* call) {
  if (rc != MPI_SUCCESS) throw MachineError(fmt::format("{}: {}", call, text_of(rc)));
}

Window::Window(const Setup& setup, bool block)
    : handle_(setup.one_sided ? shared_window(block) : MPI_WIN_NULL),
      out_(setup.out.region()),
      in_(setup.in.region()) {
  for (const Region* region : {&out_, &in_})
    if (handle_ != MPI_WIN_NULL)
      check(MPI_Win_attach(handle_, region->at, static_cast<MPI_Aint>(region->bytes)), "MPI_Win_attach");
}

Window::~Window() {
  for (const Region* region : {&out_, &in_})
    if (handle_ != MPI_WIN_NULL) MPI_Win_detach(handle_, region->at);
}

void Window::pack(Packer& offer) const {
  for (const Region* region : {&out_, &in_}) {
    MPI_Aint at = 0;
    check(MPI_Get_address(region->at, &at), "MPI_Get_address");
    offer.add(at).add(std::uint64_t{region->bytes});
  }
}

}  // namespace everylink::mpi

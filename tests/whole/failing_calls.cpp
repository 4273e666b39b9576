// A library for LD_PRELOAD that makes one call of one process fail, and counts the calls of every kind.
//
//   FAILING_CALLS_KIND=write    the kind of call, as in the second column below
//   FAILING_CALLS_AT=7          its seventh call fails; 0 or unset: none does
//   FAILING_CALLS_ERROR=28      errno of that call; of getaddrinfo, glob and pthread_create what they return
//   FAILING_CALLS_PROCESS=2     its third child; -1 (the default): the process that was started
//   FAILING_CALLS_STOPS=1       the process stops at that call, for a debugger
//   FAILING_CALLS_OF=a,b        only calls from objects whose paths contain one of these words count
//   FAILING_CALLS_AFTER=text    calls count once a file was opened whose path contains this; else once main
//   runs FAILING_CALLS_COUNTS=FILE   the file that takes the counts, also those of a process that is killed:
//   records of
//                               char kind[20], int32 process, uint32 calls, uint32 failed
//
// Every call of a kind goes through one function of eight integers, as the calling conventions of x86-64 and
// of aarch64 allow: a call with fewer arguments leaves the others alone. Names of the assembler avoid the
// declarations of the headers, which say `noexcept`.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

// KIND(name of the kind)
// clang-format off
#define KINDS \
  KIND(socket) KIND(bind) KIND(listen) KIND(accept) KIND(connect) KIND(sockopt) KIND(sockname) \
  KIND(epoll) KIND(poll) KIND(send) KIND(recv) KIND(write) KIND(read) KIND(open) KIND(stat) \
  KIND(seek) KIND(fsync) KIND(truncate) KIND(rename) KIND(unlink) KIND(mkdir) KIND(mmap) \
  KIND(fork) KIND(dlopen) KIND(descriptor) KIND(control) KIND(random) KIND(interfaces) \
  KIND(addresses) KIND(thread) KIND(process) KIND(hwloc) KIND(hdf5) KIND(malloc) KIND(new_)
// clang-format on

enum Kind {
#define KIND(name) of_##name,
  KINDS
#undef KIND
      kinds
};
constexpr const char* names[] = {
#define KIND(name) #name,
    KINDS
#undef KIND
};

constexpr int processes = 17, nobody = -2;  // the one that was started, and 16 children

struct Record {
  char kind[20];
  std::int32_t process;
  std::atomic<std::uint32_t> calls, failed;
};
Record own_records[processes * kinds];
Record* records = own_records;

bool begun = false;
int process = -1;  // of this process
std::atomic<int> children = 0;
const char* after = nullptr;

struct {
  int kind = kinds, process = -1, error = 0;
  std::uint32_t at = 0;
  bool stops = false;
} failing;

struct {
  const char* words = nullptr;
  struct {
    std::uintptr_t begin, end;
  } ranges[1024];
  std::atomic<int> count = 0;
} callers;

bool has_chosen_word(const char* path) {
  const char* word = callers.words;
  while (*word) {
    const std::size_t length = std::strcspn(word, ",");
    if (length > 0 && ::memmem(path, std::strlen(path), word, length)) return true;
    word += length + (word[length] == ',');
  }
  return false;
}

int note_object(dl_phdr_info* object, std::size_t, void* program) {
  const bool is_program = !object->dlpi_name || !*object->dlpi_name;
  if (!has_chosen_word(is_program ? static_cast<const char*>(program) : object->dlpi_name)) return 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    const std::uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    const int known = callers.count;
    bool is_new = known < 1024;
    for (int k = 0; k < known; ++k) is_new &= callers.ranges[k].begin != begin;
    if (!is_new) continue;
    callers.ranges[known] = {begin, begin + part.p_memsz};
    ++callers.count;
  }
  return 0;
}

void note_objects() {
  if (!callers.words) return;
  char program[4096] = "";
  if (::readlink("/proc/self/exe", program, sizeof program - 1) < 0) program[0] = '\0';
  ::dl_iterate_phdr(note_object, program);
}

bool counts(void* caller) {
  if (!callers.words) return true;
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  const int known = callers.count;
  for (int k = 0; k < known; ++k)
    if (callers.ranges[k].begin <= at && at < callers.ranges[k].end) return true;
  return false;
}

bool fails(Kind kind, void* caller) {
  if (!begun || process == nobody || !counts(caller)) return false;
  Record& record = records[(process + 1) * kinds + kind];
  const std::uint32_t number = ++record.calls;
  if (kind != failing.kind || process != failing.process || number != failing.at) return false;
  record.failed = 1;
  if (failing.stops) ::raise(SIGSTOP);
  errno = failing.error;
  return true;
}

const char* setting(const char* name) {
  const char* value = std::getenv(name);
  return value && *value ? value : nullptr;
}

int number(const char* name, int otherwise) {
  const char* value = setting(name);
  return value ? std::atoi(value) : otherwise;
}

void read_settings() {
  failing.at = static_cast<std::uint32_t>(number("FAILING_CALLS_AT", 0));
  failing.process = number("FAILING_CALLS_PROCESS", -1);
  failing.error = number("FAILING_CALLS_ERROR", EIO);
  failing.stops = setting("FAILING_CALLS_STOPS");
  after = setting("FAILING_CALLS_AFTER");
  callers.words = setting("FAILING_CALLS_OF");
  if (const char* kind = setting("FAILING_CALLS_KIND"))
    for (int k = 0; k < kinds; ++k)
      if (std::strcmp(kind, names[k]) == 0) failing.kind = k;
  if (failing.at > 0 && failing.kind == kinds) std::abort();
  if (const char* path = setting("FAILING_CALLS_COUNTS")) {
    const int file = ::open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (file < 0 || ::ftruncate(file, sizeof own_records) != 0) std::abort();
    void* shared = ::mmap(nullptr, sizeof own_records, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared == MAP_FAILED) std::abort();
    ::close(file);
    records = static_cast<Record*>(shared);
  }
  for (int p = 0; p < processes; ++p)
    for (int k = 0; k < kinds; ++k) {
      std::strcpy(records[p * kinds + k].kind, names[k]);
      records[p * kinds + k].process = p - 1;
    }
  note_objects();
}

void note_opened(long path) {
  if (after && !begun && path && std::strstr(reinterpret_cast<const char*>(path), after)) begun = true;
}

// A connection that was reset says so to both ends, and stays reset.
long fail_on_socket(long socket) {
  if (failing.error == ECONNRESET) {
    sockaddr none{};
    none.sa_family = AF_UNSPEC;
    reinterpret_cast<int (*)(int, const sockaddr*, socklen_t)>(::dlsym(RTLD_NEXT, "connect"))(
        static_cast<int>(socket), &none, sizeof none);
  }
  errno = failing.error;
  return -1;
}

void* next(const char* name) {
  if (void* found = ::dlsym(RTLD_NEXT, name)) return found;
#ifdef FAILING_CALLS_OF_HDF5
  static void* const hdf5 =
      ::dlopen(FAILING_CALLS_OF_HDF5, RTLD_LAZY | RTLD_NOLOAD);  // the core has loaded it
  return ::dlsym(hdf5, name);
#else
  return nullptr;
#endif
}

#define PARAMETERS long a, long b, long c, long d, long e, long f, long g, long h
#define ARGUMENTS a, b, c, d, e, f, g, h
using Function = long (*)(PARAMETERS);

int (*program_main)(int, char**, char**) = nullptr;

int begin_main(int argc, char** argv, char** environment) {
  read_settings();
  begun = !after;
  return program_main(argc, argv, environment);
}

}  // namespace

// `failure` is returned by a call that fails; BEFORE is done first.
#define CALL_AFTER(kind, name, failure, BEFORE)                                                     \
  extern "C" __attribute__((visibility("default"))) long through_##name(PARAMETERS) __asm__(#name); \
  long through_##name(PARAMETERS) {                                                                 \
    static const Function real = reinterpret_cast<Function>(next(#name));                           \
    BEFORE;                                                                                         \
    if (fails(of_##kind, __builtin_return_address(0))) return failure;                              \
    return real(ARGUMENTS);                                                                         \
  }
#define CALL(kind, name, failure) CALL_AFTER(kind, name, failure, )
#define CALL_ON_SOCKET(kind, name) CALL_AFTER(kind, name, fail_on_socket(a), )

CALL(socket, socket, -1)
CALL(bind, bind, -1)
CALL(listen, listen, -1)
CALL(accept, accept, -1)
CALL(accept, accept4, -1)
CALL(connect, connect, -1)
CALL(sockopt, getsockopt, -1)
CALL(sockopt, setsockopt, -1)
CALL(sockname, getsockname, -1)
CALL(sockname, getpeername, -1)
CALL(epoll, epoll_create1, -1)
CALL(epoll, epoll_ctl, -1)
CALL(poll, epoll_wait, -1)
CALL(poll, poll, -1)
CALL(poll, ppoll, -1)
CALL_ON_SOCKET(send, send)
CALL_ON_SOCKET(send, sendto)
CALL_ON_SOCKET(send, sendmsg)
CALL_ON_SOCKET(recv, recv)
CALL_ON_SOCKET(recv, recvfrom)
CALL_ON_SOCKET(recv, recvmsg)
CALL(write, write, -1)
CALL(write, writev, -1)
CALL(write, pwrite, -1)
CALL(write, pwrite64, -1)
CALL(read, read, -1)
CALL(read, readv, -1)
CALL(read, pread, -1)
CALL(read, pread64, -1)
CALL(read, readlink, -1)
CALL(read, readdir, 0)
CALL(read, readdir64, 0)
CALL_AFTER(open, open, -1, note_opened(a))
CALL_AFTER(open, open64, -1, note_opened(a))
CALL_AFTER(open, openat, -1, note_opened(b))
CALL_AFTER(open, openat64, -1, note_opened(b))
CALL_AFTER(open, fopen, 0, note_opened(a))
CALL_AFTER(open, fopen64, 0, note_opened(a))
CALL(open, opendir, 0)
CALL(open, fdopendir, 0)
CALL(stat, stat, -1)
CALL(stat, stat64, -1)
CALL(stat, lstat, -1)
CALL(stat, lstat64, -1)
CALL(stat, fstat, -1)
CALL(stat, fstat64, -1)
CALL(stat, fstatat, -1)
CALL(stat, fstatat64, -1)
CALL(stat, statx, -1)
CALL(stat, access, -1)
CALL(stat, statvfs, -1)
CALL(stat, statvfs64, -1)
CALL(stat, realpath, 0)
CALL(stat, getcwd, 0)
CALL(seek, lseek, -1)
CALL(seek, lseek64, -1)
CALL(fsync, fsync, -1)
CALL(fsync, fdatasync, -1)
CALL(truncate, ftruncate, -1)
CALL(truncate, ftruncate64, -1)
CALL(truncate, fallocate, -1)
CALL(truncate, fallocate64, -1)
CALL(rename, rename, -1)
CALL(rename, renameat, -1)
CALL(rename, link, -1)
CALL(rename, chmod, -1)
CALL(rename, fchmod, -1)
CALL(unlink, unlink, -1)
CALL(unlink, unlinkat, -1)
CALL(unlink, rmdir, -1)
CALL(mkdir, mkdir, -1)
CALL(mmap, mmap, -1)
CALL(mmap, mmap64, -1)
CALL(descriptor, pipe, -1)
CALL(descriptor, pipe2, -1)
CALL(descriptor, eventfd, -1)
CALL(descriptor, dup, -1)
CALL(descriptor, dup2, -1)
CALL(descriptor, timer_create, -1)
CALL(control, fcntl, -1)
CALL(control, fcntl64, -1)
CALL(control, ioctl, -1)
CALL(control, prctl, -1)
CALL(control, setrlimit, -1)
CALL(control, getrlimit, -1)
CALL(random, getrandom, -1)
CALL(interfaces, getifaddrs, -1)
CALL(interfaces, gethostname, -1)
CALL(interfaces, if_nametoindex, 0)
CALL(addresses, getaddrinfo, failing.error)
CALL(read, glob, 1)  // GLOB_NOSPACE
CALL(thread, pthread_create, failing.error)
CALL(process, waitpid, -1)
CALL(hwloc, hwloc_topology_init, -1)
CALL(hwloc, hwloc_topology_load, -1)
CALL(hwloc, hwloc_topology_set_cache_types_filter, -1)
CALL(hwloc, hwloc_topology_set_icache_types_filter, -1)
CALL(hwloc, hwloc_topology_set_flags, -1)
CALL(hwloc, hwloc_get_cpubind, -1)
CALL(hwloc, hwloc_set_cpubind, -1)
CALL(hwloc, hwloc_bitmap_alloc, 0)
CALL(hwloc, hwloc_bitmap_copy, -1)
CALL(hwloc, hwloc_bitmap_list_asprintf, -1)

#ifdef FAILING_CALLS_OF_HDF5
CALL(hdf5, H5Aclose, -1)
CALL(hdf5, H5Acreate2, -1)
CALL(hdf5, H5Aexists, -1)
CALL(hdf5, H5Aget_type, -1)
CALL(hdf5, H5Aiterate2, -1)
CALL(hdf5, H5Aopen, -1)
CALL(hdf5, H5Aread, -1)
CALL(hdf5, H5Awrite, -1)
CALL(hdf5, H5Dclose, -1)
CALL(hdf5, H5Dcreate2, -1)
CALL(hdf5, H5Dget_space, -1)
CALL(hdf5, H5Dget_type, -1)
CALL(hdf5, H5Dopen2, -1)
CALL(hdf5, H5Dread, -1)
CALL(hdf5, H5Dset_extent, -1)
CALL(hdf5, H5Dwrite, -1)
CALL(hdf5, H5Eset_auto2, -1)
CALL(hdf5, H5Fclose, -1)
CALL(hdf5, H5Fcreate, -1)
CALL(hdf5, H5Fflush, -1)
CALL(hdf5, H5Fincrement_filesize, -1)
CALL(hdf5, H5Fopen, -1)
CALL(hdf5, H5Gclose, -1)
CALL(hdf5, H5Gcreate2, -1)
CALL(hdf5, H5Gopen2, -1)
CALL(hdf5, H5Lexists, -1)
CALL(hdf5, H5Literate, -1)
CALL(hdf5, H5Pclose, -1)
CALL(hdf5, H5Pcreate, -1)
CALL(hdf5, H5Pset, -1)
CALL(hdf5, H5Pset_chunk, -1)
CALL(hdf5, H5Pset_fclose_degree, -1)
CALL(hdf5, H5Pset_fapl_core, -1)
CALL(hdf5, H5Pset_file_locking, -1)
CALL(hdf5, H5Pset_libver_bounds, -1)
CALL(hdf5, H5Pset_obj_track_times, -1)
CALL(hdf5, H5Pset_userblock, -1)
CALL(hdf5, H5Sclose, -1)
CALL(hdf5, H5Screate, -1)
CALL(hdf5, H5Screate_simple, -1)
CALL(hdf5, H5Sget_simple_extent_dims, -1)
CALL(hdf5, H5Sget_simple_extent_npoints, -1)
CALL(hdf5, H5Sselect_hyperslab, -1)
CALL(hdf5, H5Tclose, -1)
CALL(hdf5, H5Tcopy, -1)
CALL(hdf5, H5Tget_class, -1)
CALL(hdf5, H5Tget_size, 0)
CALL(hdf5, H5Tis_variable_str, -1)
CALL(hdf5, H5Tset_cset, -1)
CALL(hdf5, H5Tset_size, -1)
CALL(hdf5, H5Tset_strpad, -1)
CALL(hdf5, H5check_version, -1)
CALL(hdf5, H5dont_atexit, -1)
CALL(hdf5, H5open, -1)
#endif

#define OURS extern "C" __attribute__((visibility("default")))

OURS int ours_fork() __asm__("fork");
int ours_fork() {
  using Fork = int (*)();
  static const Fork real = reinterpret_cast<Fork>(next("fork"));
  if (fails(of_fork, __builtin_return_address(0))) return -1;
  const int child = children++;
  const int result = real();
  if (result == 0) process = process == -1 && child + 1 < processes ? child : nobody;
  return result;
}

OURS void* ours_dlopen(const char*, int) __asm__("dlopen");
void* ours_dlopen(const char* path, int flags) {
  using Open = void* (*)(const char*, int);
  static const Open real = reinterpret_cast<Open>(next("dlopen"));
  const bool failed = fails(of_dlopen, __builtin_return_address(0));
  void* result = real(failed ? "/failing_calls/no such file" : path, flags);  // so that dlerror tells of it
  if (result) note_objects();
  return result;
}

OURS int ours_start(int (*)(int, char**, char**), int, char**, void (*)(), void (*)(), void (*)(),
                    void*) __asm__("__libc_start_main");
int ours_start(int (*main)(int, char**, char**), int argc, char** argv, void (*init)(), void (*fini)(),
               void (*rtld)(), void* stack_end) {
  program_main = main;
  return reinterpret_cast<decltype(&ours_start)>(next("__libc_start_main"))(begin_main, argc, argv, init,
                                                                            fini, rtld, stack_end);
}

// Memory of C.
OURS void* ours_malloc(std::size_t) __asm__("malloc");
void* ours_malloc(std::size_t bytes) {
  return fails(of_malloc, __builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}
OURS void* ours_calloc(std::size_t, std::size_t) __asm__("calloc");
void* ours_calloc(std::size_t count, std::size_t bytes) {
  return fails(of_malloc, __builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}
OURS void* ours_realloc(void*, std::size_t) __asm__("realloc");
void* ours_realloc(void* old, std::size_t bytes) {
  return fails(of_malloc, __builtin_return_address(0)) ? nullptr : __libc_realloc(old, bytes);
}
OURS int ours_memalign(void**, std::size_t, std::size_t) __asm__("posix_memalign");
int ours_memalign(void** result, std::size_t alignment, std::size_t bytes) {
  if (fails(of_malloc, __builtin_return_address(0))) return ENOMEM;
  *result = __libc_memalign(alignment, bytes);
  return *result ? 0 : ENOMEM;
}

// Memory of C++.
namespace {
void* memory(std::size_t bytes, std::size_t alignment, void* caller) {
  if (fails(of_new_, caller)) return nullptr;
  return alignment ? __libc_memalign(alignment, bytes) : __libc_malloc(bytes ? bytes : 1);
}
void* or_throw(void* found) {
  if (!found) throw std::bad_alloc();
  return found;
}
}  // namespace
#define CALLER __builtin_return_address(0)
void* operator new(std::size_t n) { return or_throw(memory(n, 0, CALLER)); }
void* operator new[](std::size_t n) { return or_throw(memory(n, 0, CALLER)); }
void* operator new(std::size_t n, std::align_val_t to) {
  return or_throw(memory(n, static_cast<std::size_t>(to), CALLER));
}
void* operator new[](std::size_t n, std::align_val_t to) {
  return or_throw(memory(n, static_cast<std::size_t>(to), CALLER));
}
void* operator new(std::size_t n, const std::nothrow_t&) noexcept { return memory(n, 0, CALLER); }
void* operator new[](std::size_t n, const std::nothrow_t&) noexcept { return memory(n, 0, CALLER); }

// The Portals resources of links: memory descriptors, match list entries and their keys, counters, and the
// splitting of messages.
#pragma once

#include <portals4.h>
#include <sched.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "memory/memory.hpp"
#include "transport/transport.hpp"

namespace everylink::portals {

std::string_view name_of(int rc);
void check(int rc, const char* call);  // throws MachineError
ptl_ct_event_t read(ptl_handle_ct_t counter);

// Lets the library's spinning thread run on another core than the one that this rank is bound to.
class AnyCore {
 public:
  AnyCore();
  ~AnyCore() { ::sched_setaffinity(0, sizeof before_, &before_); }
  AnyCore(const AnyCore&) = delete;
  AnyCore& operator=(const AnyCore&) = delete;

 private:
  cpu_set_t before_{};
};

// The memories that this rank puts from and gets into, and their event queue.
struct Mover {
  static constexpr int most = 256;  // pieces in flight, with two events each at most

  Mover(ptl_handle_ni_t ni, const Setup& setup);
  ~Mover();
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  ptl_handle_eq_t events{};
  ptl_handle_md_t out{}, in{};
};

// The memory that messages leave from, and the count of their acknowledgements. Kept for later links.
struct Outbox {
  Outbox(ptl_handle_ni_t ni, const Setup& setup);
  ~Outbox();
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  ptl_handle_ct_t acknowledged{};
  ptl_handle_md_t memory{};
  std::uint64_t put = 0;  // puts started so far, by all its links
  std::optional<Mover> mover;
};

// The memory that one peer may access in one epoch with this key, and, if requested, the count of accesses.
class Entry {
 public:
  static constexpr unsigned put = PTL_ME_OP_PUT, get = PTL_ME_OP_GET, counted = PTL_ME_EVENT_CT_COMM;

  Entry(ptl_handle_ni_t ni, ptl_pt_index_t table, ptl_match_bits_t key, const Region& region, unsigned what);
  ~Entry() { close(); }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  std::uint64_t arrived() const { return read(counter_).success; }
  // True: nobody can put there any more. False: a message is being written.
  bool close();

 private:
  ptl_handle_ct_t counter_ = PTL_CT_NONE;
  ptl_handle_me_t handle_{};
  bool open_ = true;
};

// The last bits of a key: the purpose of the entry, or the part of the memory that it exposes.
inline constexpr ptl_match_bits_t messages = 0, tokens = 1, puts = 2, of_a_key = 0xffffffff;

ptl_match_bits_t fresh_key();

struct Inbox {
  Inbox(ptl_handle_ni_t ni, ptl_pt_index_t table, const Setup& setup);
  // True: nobody can put there any more. False: a message is being written.
  bool close() { return of_messages.close() && of_tokens.close() && (!of_puts || of_puts->close()); }

  const ptl_match_bits_t key = fresh_key();
  Entry of_messages, of_tokens;
  std::optional<Entry> of_puts;
};

// The memory that peers may get from while the transport exists: one entry per part.
class Shown {
 public:
  Shown(ptl_handle_ni_t ni, const Region& region, std::size_t part);
  ~Shown();
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  ptl_pt_index_t table{};
  const ptl_match_bits_t key = fresh_key();

 private:
  const ptl_handle_ni_t ni_;
  std::deque<Entry> parts_;
};

// The peer's inbox, and its memory for gets.
struct Target {
  ptl_process_t process;
  ptl_pt_index_t table, table_of_gets;
  ptl_match_bits_t key, key_of_gets;
  std::uint64_t part;
  Reachable far;
};

// How messages are split, the same at both ends, and how much may be in flight at once. `small` is the piece
// size of messages up to 2 KiB: over UDP the reference implementation does not send sizes between those that
// it copies into a header and those that it treats as data.
struct Cut {
  static constexpr std::size_t head =
      4096;  // the most that a short message occupies in the peer's socket buffer

  std::size_t piece, small, most;
  std::size_t part;  // of a memory that peers get from
  bool threaded;     // the implementation has a thread that spins

  std::size_t pieces(std::size_t bytes) const;  // of a message
  // Bytes of the first piece of a get.
  std::size_t first_of_get(std::size_t far, std::size_t bytes, std::size_t far_part) const;

 private:
  std::size_t of_whole(std::size_t bytes) const { return bytes > 2048 ? piece : small; }
};

// The i-th of `pieces` pieces.
Slice piece_of(std::size_t bytes, std::size_t pieces, std::size_t i);

// The number of pieces that have arrived once each message is complete. Pieces arrive in order.
class Marks {
 public:
  int add(std::size_t pieces);
  bool reached(int message, std::uint64_t pieces);

 private:
  std::deque<std::uint64_t> marks_;
  std::uint64_t last_ = 0;
  int base_ = 0;
};

}  // namespace everylink::portals

// Allocates and frees the resources of portals' links.
#include "transport/portals/portals_entries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "base/errors.hpp"
#include "net/socket.hpp"

namespace everylink::portals {

std::string_view name_of(int rc) {
  constexpr std::string_view names[] = {
      "PTL_OK",       "PTL_ARG_INVALID", "PTL_CT_NONE_REACHED", "PTL_EQ_DROPPED",    "PTL_EQ_EMPTY",
      "PTL_FAIL",     "PTL_IGNORED",     "PTL_IN_USE",          "PTL_LIST_TOO_LONG", "PTL_NO_INIT",
      "PTL_NO_SPACE", "PTL_PID_IN_USE",  "PTL_PT_FULL",         "PTL_PT_EQ_NEEDED",  "PTL_PT_IN_USE"};
  return rc >= 0 && rc < static_cast<int>(std::size(names)) ? names[rc] : "an unknown error";
}

void check(int rc, const char* call) {
  if (rc != PTL_OK) throw MachineError(fmt::format("{}: {}", call, name_of(rc)));
}

ptl_ct_event_t read(ptl_handle_ct_t counter) {
  ptl_ct_event_t event{};
  check(PtlCTGet(counter, &event), "PtlCTGet");
  return event;
}

AnyCore::AnyCore() {
  if (::sched_getaffinity(0, sizeof before_, &before_) != 0) return;
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int i = 0; i < CPU_SETSIZE; ++i) CPU_SET(i, &all);
  ::sched_setaffinity(0, sizeof all, &all);  // the kernel keeps those that are allowed
}

Mover::Mover(ptl_handle_ni_t ni, const Setup& setup) {
  check(PtlEQAlloc(ni, ptl_size_t{2} * most, &events), "PtlEQAlloc");
  const Region from = setup.out.region(), into = setup.in.region();
  const ptl_md_t leaves{
      .start = from.at, .length = from.bytes, .options = 0, .eq_handle = events, .ct_handle = PTL_CT_NONE};
  const ptl_md_t arrives{
      .start = into.at, .length = into.bytes, .options = 0, .eq_handle = events, .ct_handle = PTL_CT_NONE};
  check(PtlMDBind(ni, &leaves, &out), "PtlMDBind");
  check(PtlMDBind(ni, &arrives, &in), "PtlMDBind");
}

Mover::~Mover() {
  PtlMDRelease(out);
  PtlMDRelease(in);
  PtlEQFree(events);
}

Outbox::Outbox(ptl_handle_ni_t ni, const Setup& setup) {
  check(PtlCTAlloc(ni, &acknowledged), "PtlCTAlloc");
  const Region region = setup.out.region();
  const ptl_md_t md{.start = region.at,
                    .length = region.bytes,
                    .options = PTL_MD_EVENT_CT_ACK,
                    .eq_handle = PTL_EQ_NONE,
                    .ct_handle = acknowledged};
  check(PtlMDBind(ni, &md, &memory), "PtlMDBind");
  if (setup.one_sided) mover.emplace(ni, setup);
}

Outbox::~Outbox() {
  PtlMDRelease(memory);
  PtlCTFree(acknowledged);
}

Entry::Entry(ptl_handle_ni_t ni, ptl_pt_index_t table, ptl_match_bits_t key, const Region& region,
             unsigned what) {
  if (what & counted) check(PtlCTAlloc(ni, &counter_), "PtlCTAlloc");
  ptl_me_t entry{};
  entry.start = region.at;
  entry.length = region.bytes;
  entry.ct_handle = counter_;
  entry.uid = PTL_UID_ANY;
  entry.options =
      what | PTL_ME_EVENT_LINK_DISABLE | PTL_ME_EVENT_UNLINK_DISABLE | PTL_ME_UNEXPECTED_HDR_DISABLE;
  entry.match_id.phys.nid = PTL_NID_ANY;
  entry.match_id.phys.pid = PTL_PID_ANY;
  entry.match_bits = key;
  check(PtlMEAppend(ni, table, &entry, PTL_PRIORITY_LIST, nullptr, &handle_), "PtlMEAppend");
}

bool Entry::close() {
  if (open_ && PtlMEUnlink(handle_) == PTL_IN_USE) return false;
  if (open_ && !PtlHandleIsEqual(counter_, PTL_CT_NONE)) PtlCTFree(counter_);
  open_ = false;
  return true;
}

ptl_match_bits_t fresh_key() {
  ptl_match_bits_t key;
  draw(std::as_writable_bytes(std::span(&key, 1)));
  return key & ~of_a_key;
}

Inbox::Inbox(ptl_handle_ni_t ni, ptl_pt_index_t table, const Setup& setup)
    : of_messages(ni, table, key | messages, setup.in.region(), Entry::put | Entry::counted),
      of_tokens(ni, table, key | tokens, {setup.in.region().at, 0, {}, {}}, Entry::put | Entry::counted) {
  if (setup.one_sided) of_puts.emplace(ni, table, key | puts, setup.in.region(), Entry::put);
}

Shown::Shown(ptl_handle_ni_t ni, const Region& region, std::size_t part) : ni_(ni) {
  check(PtlPTAlloc(ni, 0, PTL_EQ_NONE, PTL_PT_ANY, &table), "PtlPTAlloc");
  for (std::size_t i = 0; i == 0 || i <= (region.bytes - 1) / part; ++i)
    parts_.emplace_back(
        ni, table, key | i,
        Region{region.at + i * part, std::min(part, region.bytes - i * part), region.kind, region.device},
        Entry::get);
}

Shown::~Shown() {
  parts_.clear();
  PtlPTFree(ni_, table);
}

std::size_t part;  // of a memory that peers get out of
bool threaded;     // the implementation has a thread that spins
std::size_t Cut::pieces(std::size_t bytes) const {
  const std::size_t longest = of_whole(bytes);
  return std::max<std::size_t>(1, (bytes + longest - 1) / longest);
}

// Over UDP the reference implementation ignores the offset in an entry for a get that does not fit into a
// header, and returns the beginning of the entry.
std::size_t Cut::first_of_get(std::size_t far, std::size_t bytes, std::size_t far_part) const {
  const std::size_t into_part = far % far_part;
  return std::min({bytes, far_part - into_part, into_part > 0 ? small : of_whole(bytes)});
}

Slice piece_of(std::size_t bytes, std::size_t pieces, std::size_t i) {
  const auto begin = [&](std::size_t k) { return bytes / pieces * k + std::min(k, bytes % pieces); };
  return {begin(i), begin(i + 1) - begin(i)};
}

int Marks::add(std::size_t pieces) {
  marks_.push_back(last_ += pieces);
  return base_ + static_cast<int>(marks_.size()) - 1;
}

bool Marks::reached(int message, std::uint64_t pieces) {
  for (; !marks_.empty() && marks_.front() <= pieces; ++base_) marks_.pop_front();
  return message < base_;
}

}  // namespace everylink::portals

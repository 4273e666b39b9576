// The rows of a scene.
#include "load/scene_rows.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/outcome.hpp"
#include "base/ranks.hpp"

namespace everylink {
namespace {

struct Ends {
  const FlowEnd* sends = nullptr;
  const FlowEnd* receives = nullptr;
};

// Gives both ends of a failed flow the same outcome: the end that gives up first closes the link, which
// breaks it for the other end, and one that finds wrong contents where its peer says what comes next leaves
// the other end waiting.
Outcome agreed(Outcome a, Outcome b) {
  if (a == Outcome::local || b == Outcome::local) return Outcome::local;
  if (a == Outcome::corrupt || b == Outcome::corrupt) return Outcome::corrupt;
  if (a == Outcome::timeout || b == Outcome::timeout) return Outcome::timeout;
  return a != Outcome::ok ? a : b;
}

bool is_local(const FlowEnd* end) { return end && end->outcome == Outcome::local; }

// The outcome of a flow that at most one end reported.
Outcome unseen(const Flow& flow, std::span<const int> gone, const Connect& first) {
  if (is_among(gone, flow.from) || is_among(gone, flow.to)) return Outcome::absent;
  return first.leaves_out(flow.from, flow.to) ? Outcome::presumed : Outcome::absent;
}

std::vector<Ends> ends_of(const std::vector<Flow>& flows, const std::vector<Report>& reports) {
  std::vector<Ends> ends(flows.size());
  for (const auto& report : reports)
    for (const auto& end : report.flows) {
      if (end.flow >= flows.size())
        throw MachineError(fmt::format("rank {} reports a flow that does not exist", report.rank));
      const Flow& flow = flows[end.flow];
      if ((end.sends ? flow.from : flow.to) != report.rank)
        throw MachineError(fmt::format("rank {} reports a flow that belongs to other ranks", report.rank));
      (end.sends ? ends[end.flow].sends : ends[end.flow].receives) = &end;
    }
  return ends;
}

// The receiver's clock comes first; for flows that carry requests, the client's.
void fill_times(FlowRow& row, const Ends& ends) {
  const bool requests = row.flow.carries_requests();
  const bool client_sends = requests && row.flow.client() == row.flow.from;
  const auto *first = client_sends ? ends.sends : ends.receives,
             *second = client_sends ? ends.receives : ends.sends;
  if (first) row.seconds = first->seconds, row.messages = first->messages;
  if (second) row.sent_seconds = second->seconds, row.sent_messages = second->messages;
  if (requests) {
    if (first) row.times = first->times;
    if (second) row.service = second->times;
  } else if (second) {
    row.times = second->times;
  }
}

}  // namespace

std::vector<FlowRow> rows_of(const Scene& scene, const std::vector<Report>& reports,
                             std::span<const int> gone, const Connect& first) {
  const auto ends = ends_of(scene.flows, reports);
  std::vector<FlowRow> rows;
  for (std::size_t i = 0; i < ends.size(); ++i) {
    FlowRow row{scene.flows[i]};
    fill_times(row, ends[i]);
    const auto& [sends, receives] = ends[i];
    row.outcome =
        sends && receives ? agreed(sends->outcome, receives->outcome) : unseen(row.flow, gone, first);
    if (is_local(sends) || is_local(receives))
      row.outcome = Outcome::local;
    else if (row.outcome != Outcome::ok && (is_among(gone, row.flow.from) || is_among(gone, row.flow.to)))
      row.outcome = Outcome::absent;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace everylink

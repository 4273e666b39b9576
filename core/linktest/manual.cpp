// The help of LinkTest's names.
#include "linktest/manual.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "options/table.hpp"

namespace everylink {
namespace {

// Our options that LinkTest lacks and that do not clash with its names.
std::vector<Option> ours_beside(const std::vector<Option>& theirs) {
  std::vector<Option> ours;
  for (Option option : options_of(of_pairs)) {
    const auto is_theirs = [&](const std::string& name) {
      return std::any_of(theirs.begin(), theirs.end(), [&](const Option& one) {
        return std::find(one.names.begin(), one.names.end(), name) != one.names.end();
      });
    };
    std::erase_if(option.names, is_theirs);
    if (!option.names.empty()) ours.push_back(std::move(option));
  }
  return ours;
}

// Sets a default that differs from that of our option.
void set_default(std::vector<Option>& options, const std::string& name, const std::string& default_text) {
  for (auto& option : options)
    if (std::find(option.names.begin(), option.names.end(), name) != option.names.end())
      option.default_text = default_text;
}

Manual manual_of_names(std::string name, std::string summary, std::string usage, std::string title,
                       std::vector<Option> theirs, std::vector<Option> ours, std::vector<Example> examples) {
  for (auto& option : theirs) option.group = title;
  for (auto* options : {&theirs, &ours})
    for (auto& option : *options) {
      option.applies_to = {std::string(of_pairs)};  // a drop-in measures pairs
      option.in_patterns.clear();
    }
  Manual manual{.page = {.name = std::move(name),
                         .summary = std::move(summary),
                         .usage = {std::move(usage)},
                         .sections = {{std::move(title), theirs}},
                         .examples = std::move(examples)}};
  for (auto& section : sections_of(ours))
    manual.page.sections.push_back({section.title + " (Everylink's own)", section.options});
  manual.options = std::move(theirs);
  manual.options.insert(manual.options.end(), ours.begin(), ours.end());
  manual.exclusions = exclusions();
  return manual;
}

Manual manual_of_linktest(const std::string& layer) {
  const auto name = layer.empty() ? std::string("linktest") : "linktest." + layer;
  const auto output = defaults_of(Program::linktest).output;
  auto theirs = options_of_linktest2();
  set_default(theirs, "--mode",
              layer.empty() ? "LINKTEST_VCLUSTER_IMPL; without it --mode is required" : layer);
  set_default(theirs, "--output", output + ", overwritten");
  auto ours = ours_beside(theirs);
  std::erase_if(ours, [](const Option& option) { return option.names.front() == "--force"; });  // always on
  std::erase_if(ours, [](const Option& option) { return option.names.front() == "--step-lines"; });
  set_default(ours, "--window", "the number of messages");
  const auto mode = layer.empty() ? " --mode mpi" : "";
  return manual_of_names(
      name, "LinkTest 2's command line, by Everylink",
      layer.empty() ? name + " --mode MODE [OPTIONS]" : name + " [OPTIONS]", "Options of LinkTest 2",
      std::move(theirs), std::move(ours),
      {{"Measure a bisection, both ways at once:",
        fmt::format("srun {}{} -s 16M --bidirectional --bisection", name, mode)},
       {"Measure one pair at a time:",
        fmt::format("srun {}{} --num-messages 1000 --serial-tests", name, mode)},
       {"Store everything that was measured:", fmt::format("srun {}{} --output run.h5", name, mode)}});
}

Manual manual_of_mpilinktest() {
  auto theirs = options_of_linktest1();
  std::vector<Option> ours;
  for (auto& option : ours_beside(theirs)) {
    std::erase_if(option.names, [](const std::string& name) {
      return !name.starts_with("--") && name != "-h" && name != "-V";
    });
    if (option.names.front() == "--force" || option.names.front() == "--step-lines") continue;
    ours.push_back(std::move(option));
  }
  set_default(ours, "--mode", "mpi");
  set_default(ours, "--num-messages", "3");
  set_default(ours, "--num-warmup-messages", "0");
  set_default(ours, "--size-messages", "131072");
  set_default(ours, "--num-slowest", "one per rank");
  set_default(ours, "--output", defaults_of(Program::mpilinktest).output + ", overwritten");
  return manual_of_names(
      "mpilinktest", "LinkTest 1.2's command line, by Everylink", "mpilinktest [OPTIONS]",
      "Options of LinkTest 1.2", std::move(theirs), std::move(ours),
      {{"Measure with messages of 1 byte:", "mpiexec -n 4 mpilinktest -s 1 -i 10 -I 10"},
       {"Measure one pair at a time:", "mpiexec -n 4 mpilinktest -k 1024 -S 1"},
       {"Store everything that was measured:", "mpiexec -n 4 mpilinktest --output run.h5"}});
}

}  // namespace

Manual manual_of(const Caller& caller) {
  if (caller.program == Program::linktest) return manual_of_linktest(caller.layer);
  if (caller.program == Program::mpilinktest) return manual_of_mpilinktest();
  return manual_of_everylink_measure();
}

}  // namespace everylink

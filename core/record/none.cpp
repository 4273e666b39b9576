// --no-output: nothing is kept.
#include "record/recorder.hpp"

namespace everylink {
namespace {

class NoRecorder final : public Recorder, public SceneRecorder {
 public:
  void begin(const Facts&) override {}
  Recalled recall(const std::function<void(const LinkRows&)>&) override { return {}; }
  void tuned(const std::vector<Tuning>&) override {}
  void step(const StepRow&) override {}
  void rows(const LinkRows&) override {}
  SceneRecorder* scenes() override { return this; }
  void scene(const SceneRow&, const std::vector<FlowRow>&) override {}
  void commit() override {}
  void end(const Ending&) override {}
};

}  // namespace

std::unique_ptr<Recorder> make_no_recorder() { return std::make_unique<NoRecorder>(); }

}  // namespace everylink

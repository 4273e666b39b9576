// The module through which PMIx tells rank and size, and passes on rank 0's bytes.
#include <fmt/format.h>
#include <pmix.h>

#include "base/errors.hpp"
#include "bootstrap/launcher.hpp"

namespace everylink {
namespace {

constexpr const char* key = "everylink.rank0";
constexpr int seconds_for_all = 240;  // a fence waits for the slowest to start

void must(pmix_status_t status, const char* call) {
  if (status != PMIX_SUCCESS) throw MachineError(fmt::format("{}: {}", call, PMIx_Error_string(status)));
}

// A value from PMIx, which is freed with this object.
class Value {
 public:
  ~Value() {
    if (value_) PMIX_VALUE_RELEASE(value_);
  }
  Value() = default;
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  pmix_value_t** in() { return &value_; }
  const pmix_value_t& operator*() const { return *value_; }

 private:
  pmix_value_t* value_ = nullptr;
};

class PmixLauncher final : public Launcher {
 public:
  PmixLauncher() {
    if (const auto status = PMIx_Init(&self_, nullptr, 0); status != PMIX_SUCCESS)
      throw UsageError(
          fmt::format("PMIx does not serve this process ({}); start the ranks with mpirun or srun --mpi=pmix",
                      PMIx_Error_string(status)));
    PMIX_LOAD_PROCID(&everybody_, self_.nspace, PMIX_RANK_WILDCARD);
    Value size;
    must(PMIx_Get(&everybody_, PMIX_JOB_SIZE, nullptr, 0, size.in()), "PMIx_Get of the number of ranks");
    if ((*size).type != PMIX_UINT32 || self_.rank >= (*size).data.uint32 || (*size).data.uint32 > (1u << 24))
      throw MachineError("PMIx did not report the number of ranks");
    size_ = static_cast<int>((*size).data.uint32);
  }

  int rank() const override { return static_cast<int>(self_.rank); }
  int size() const override { return size_; }

  Blob tell_all(View from_rank_0) override {
    if (rank() == 0) put(from_rank_0);
    fence();
    pmix_proc_t first;
    PMIX_LOAD_PROCID(&first, self_.nspace, 0);
    Value said;
    must(PMIx_Get(&first, key, nullptr, 0, said.in()), "PMIx_Get of what rank 0 sent");
    if ((*said).type != PMIX_BYTE_OBJECT)
      throw MachineError("PMIx returned something other than what rank 0 sent");
    const auto* bytes = reinterpret_cast<const std::byte*>((*said).data.bo.bytes);
    return {bytes, bytes + (*said).data.bo.size};
  }

  void leave(int, bool) override { PMIx_Finalize(nullptr, 0); }

 private:
  void put(View bytes) {
    Blob copy(bytes.begin(), bytes.end());
    pmix_value_t value;
    PMIX_VALUE_CONSTRUCT(&value);
    value.type = PMIX_BYTE_OBJECT;
    value.data.bo = {reinterpret_cast<char*>(copy.data()), copy.size()};
    must(PMIx_Put(PMIX_GLOBAL, key, &value), "PMIx_Put");
    must(PMIx_Commit(), "PMIx_Commit");
  }

  void fence() {
    pmix_info_t wishes[2];
    bool collect = true;
    PMIX_INFO_LOAD(&wishes[0], PMIX_COLLECT_DATA, &collect, PMIX_BOOL);
    PMIX_INFO_LOAD(&wishes[1], PMIX_TIMEOUT, &seconds_for_all, PMIX_INT);
    must(PMIx_Fence(&everybody_, 1, wishes, 2), "PMIx_Fence");
  }

  pmix_proc_t self_{}, everybody_{};
  int size_ = 0;
};

}  // namespace

extern "C" const LauncherEntry launcher{
    launcher_abi, "pmix", []() -> std::unique_ptr<Launcher> { return std::make_unique<PmixLauncher>(); }};

}  // namespace everylink

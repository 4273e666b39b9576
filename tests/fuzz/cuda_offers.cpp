// What a peer says of its memories of GPUs.
#include "fuzz.hpp"
#include "transport/cuda/cuda_peers.hpp"

using namespace everylink;

EVERYLINK_FUZZ_TARGET(cuda_offers) { cuda::CudaOffer::unpacked(bytes).packed(); }

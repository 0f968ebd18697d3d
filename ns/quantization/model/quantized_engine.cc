#include "ns/quantization/model/quantized_engine.h"

#include <ATen/Context.h>

#include "absl/algorithm/container.h"

namespace ns {
namespace {

bool IsSupported(at::QEngine engine) {
  return absl::c_linear_search(at::globalContext().supportedQEngines(), engine);
}

}  // namespace

at::QEngine EngineOf(Backend backend) {
  if (backend == Backend::kQnnpack) {
    return at::kQNNPACK;
  }
  const bool wants_fbgemm = backend != Backend::kOnednn;
  return wants_fbgemm && IsSupported(at::kFBGEMM) ? at::kFBGEMM : at::kONEDNN;
}

ScopedEngine::ScopedEngine(at::QEngine engine)
    : before_(at::globalContext().qEngine()) {
  if (IsSupported(engine)) {
    at::globalContext().setQEngine(engine);
  }
}

ScopedEngine::~ScopedEngine() { at::globalContext().setQEngine(before_); }

}  // namespace ns

// Chooses LibTorch's quantized engine for a while.
#ifndef NS_QUANTIZATION_MODEL_QUANTIZED_ENGINE_H_
#define NS_QUANTIZATION_MODEL_QUANTIZED_ENGINE_H_

#include <c10/core/QEngine.h>

#include "passes/quantization/qconfig/default_qconfigs.h"

namespace ns {

// The engine that runs what was quantized for `backend`: QNNPACK for kQnnpack,
// oneDNN for kOnednn, and FBGEMM for the others, or oneDNN where this LibTorch
// has no FBGEMM. Whether it has QNNPACK or oneDNN is not checked.
at::QEngine EngineOf(Backend backend);

// Sets the engine, which weights are packed for, while the object lives.
class ScopedEngine {
 public:
  // An engine that LibTorch does not have leaves the present one.
  explicit ScopedEngine(at::QEngine engine);
  ~ScopedEngine();
  ScopedEngine(const ScopedEngine&) = delete;
  ScopedEngine& operator=(const ScopedEngine&) = delete;

 private:
  const at::QEngine before_;
};

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_QUANTIZED_ENGINE_H_

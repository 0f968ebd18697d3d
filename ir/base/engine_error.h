// Marks errors that may go away when another quantized engine of LibTorch is
// set.
//
// Packed weights are bound to the engine that loads them, and each engine packs
// and runs only some of the quantized ops. So LoadModule
// (ir/files/module_file.h) and ModelGraph::Run (ir/model/model_graph.h) return
// an engine error where LibTorch itself fails: a caller may set another engine,
// load the model again and try once more. A file that is missing or damaged, a
// refusal (ir/base/refusal.h), wrong arguments and whatever our code finds
// fault with are no engine errors.
#ifndef IR_BASE_ENGINE_ERROR_H_
#define IR_BASE_ENGINE_ERROR_H_

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace ns {

// Says that LibTorch could not load or run a model on the engine that is set.
// It does not say why: inputs that the model takes on no engine are an engine
// error, too.
inline absl::Status EngineError(absl::string_view message) {
  return absl::AbortedError(message);
}

// Whether `status` is an engine error. All of absl's code Aborted are: do not
// return it for anything else.
inline bool IsEngineError(const absl::Status& status) {
  return absl::IsAborted(status);
}

}  // namespace ns

#endif  // IR_BASE_ENGINE_ERROR_H_

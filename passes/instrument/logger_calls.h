// Hangs loggers on a model and inserts calls of their method `forward`.
// Whatever does so does it here, for matches, for modules of the eager suite,
// and for the candidates of an n-shadows model. (Comparers have other methods:
// attached_comparer.h.)
#ifndef PASSES_INSTRUMENT_LOGGER_CALLS_H_
#define PASSES_INSTRUMENT_LOGGER_CALLS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/model/model_graph.h"
#include "passes/instrument/logger_info.h"

namespace torch::jit {
struct Node;
struct Value;
}  // namespace torch::jit

namespace ns {

// Hangs `logger` on `host` (logger_info.h), for calls with `arity` tensors.
// Returns the name of its attribute. Error: a logger whose `forward` takes
// anything else.
absl::StatusOr<std::string> AttachLogger(ModelGraph& host,
                                         const AttachedLogger& logger,
                                         size_t arity);

// Calls the logger in attribute `logger` of `host` with `tensors`, in front of
// `place`:
//
//   %logger = prim::GetAttr[name="ns_logger_0"](%self)
//   %logged = prim::CallMethod[name="forward"](%logger, %quantized, %float)
//
// A logger that may write to its tensors (logger_writes.h) gets copies, so that
// the model computes what it did:
//
//   %copy = aten::clone(%x, %none)
//   %logger = prim::GetAttr[name="ns_logger_0"](%self)
//   %logged = prim::CallMethod[name="forward"](%logger, %copy)
//
// Returns what the logger returns, which nothing uses. Error: there is no such
// attribute.
absl::StatusOr<torch::jit::Value*> CallLogger(
    ModelGraph& host, const std::string& logger,
    const std::vector<torch::jit::Value*>& tensors, torch::jit::Node* place);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_LOGGER_CALLS_H_

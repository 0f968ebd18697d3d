// Makes graphs of IR text with tensors and objects in them.
#ifndef TESTS_TESTING_GRAPH_WITH_H_
#define TESTS_TESTING_GRAPH_WITH_H_

#include <ATen/core/ivalue.h>
#include <torch/csrc/jit/ir/ir.h>

#include <map>
#include <memory>
#include <string>

#include "absl/strings/string_view.h"

namespace ns {

// Values by the names of the graph inputs that they replace: IR text cannot
// hold tensors and objects.
using GraphConstants = std::map<std::string, c10::IValue>;

// Returns the graph that `text` describes, with constants in the place of the
// inputs that they name. Constants whose names are not in `text` are ignored.
std::shared_ptr<torch::jit::Graph> GraphWith(absl::string_view text,
                                             const GraphConstants& constants);

}  // namespace ns

#endif  // TESTS_TESTING_GRAPH_WITH_H_

// Parses TorchScript IR from text, and prints graphs so that two of them can be
// compared.
#ifndef IR_TEXT_TEXT_H_
#define IR_TEXT_TEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace torch::jit {
struct Graph;
}  // namespace torch::jit

namespace ns {

// Parses one graph, `graph(%x : Tensor): ... return (%y)`. Tensor constants
// cannot be written in this text. Error: what LibTorch's parser expected and
// found.
absl::StatusOr<std::shared_ptr<torch::jit::Graph>> ParseGraph(
    absl::string_view text);

// Returns the text of `graph` with values renumbered in order of definition and
// without source locations: equal graphs give equal texts. Graphs that differ
// only in tensor constants of more than 10 elements do, too: those are printed
// as <Tensor>.
std::string CanonicalText(const std::shared_ptr<torch::jit::Graph>& graph);

}  // namespace ns

#endif  // IR_TEXT_TEXT_H_

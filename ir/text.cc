#include "ir/text.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/passes/canonicalize.h>

#include <memory>
#include <string>

#include "ir/torch_errors.h"

namespace ns {

absl::StatusOr<std::shared_ptr<torch::jit::Graph>> ParseGraph(
    absl::string_view text) {
  return CatchTorchErrors("IR text", [&] {
    auto graph = std::make_shared<torch::jit::Graph>();
    torch::jit::parseIR(std::string(text), graph.get());
    return graph;
  });
}

std::string CanonicalText(const std::shared_ptr<torch::jit::Graph>& graph) {
  return torch::jit::Canonicalize(graph, /*keep_unique_names=*/false)
      ->toString(/*print_source_locations=*/false);
}

}  // namespace ns

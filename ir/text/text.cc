#include "ir/text/text.h"

#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/ir/irparser.h>
#include <torch/csrc/jit/passes/canonicalize.h>

#include <memory>
#include <string>
#include <vector>

#include "ir/base/checked_divisions.h"
#include "ir/base/status.h"
#include "ir/base/torch_errors.h"
#include "ir/text/check_graph_text.h"
#include "ir/text/check_nesting.h"
#include "ir/text/code_tokens.h"

namespace ns {

absl::StatusOr<std::shared_ptr<torch::jit::Graph>> ParseGraph(
    absl::string_view text) {
  CheckIntegerDivisions();
  const std::vector<CodeToken> tokens = CodeTokens(text);
  absl::Status status = CheckNesting(tokens);
  if (status.ok()) {
    status = CheckGraphText(tokens);
  }
  NS_RETURN_IF_ERROR(Annotated("IR text", status));
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

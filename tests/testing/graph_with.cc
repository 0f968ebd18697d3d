#include "tests/testing/graph_with.h"

#include <torch/csrc/jit/ir/constants.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/testing/named_graph.h"

namespace ns {

using ::torch::jit::Graph;
using ::torch::jit::Value;

std::shared_ptr<Graph> GraphWith(absl::string_view text,
                                 const GraphConstants& constants) {
  NamedGraph named(text);
  torch::jit::WithInsertPoint at_the_start(*named->nodes().begin());
  for (const auto& [name, constant] : constants) {
    if (!absl::StrContains(text, absl::StrCat("%", name, " : "))) {
      continue;
    }
    Value* input = named.Named(name);
    input->replaceAllUsesWith(named->insertConstant(constant));
    named->eraseInput(input->offset());
  }
  return named.shared();
}

}  // namespace ns

#include "ir/source_line.h"

#include <torch/csrc/jit/ir/ir.h>

#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::SourceRange;

// Where PyTorch is installed, and folders of its sources with code of layers.
constexpr absl::string_view kOfLibrary[] = {"-packages/torch/", "/torch/nn/",
                                            "/torch/ao/",
                                            "/torch/functional.py", "/torch/_"};

// The folder in which a saved model has its code.
constexpr absl::string_view kSavedCode = "code/";

std::optional<SourceLine> LineOf(const SourceRange& range) {
  const auto location = range.file_line_col();
  if (!location || std::get<0>(*location).empty()) {
    return std::nullopt;
  }
  return SourceLine{std::get<0>(*location),
                    static_cast<int64_t>(std::get<1>(*location))};
}

}  // namespace

std::optional<SourceLine> SourceLineOf(const Node& node) {
  const SourceRange range = node.sourceRange();
  if (const auto original = range.findSourceRangeThatGenerated()) {
    return LineOf(*original);
  }
  std::optional<SourceLine> line = LineOf(range);
  if (line && absl::StartsWith(line->file, kSavedCode)) {
    return std::nullopt;
  }
  return line;
}

bool IsLibraryFile(const std::string& file) {
  return absl::c_any_of(kOfLibrary, [&](absl::string_view part) {
    return absl::StrContains(file, part);
  });
}

void TakeLineOfCall(Node& node, const Node& call) {
  const std::optional<SourceLine> line = SourceLineOf(node);
  if (line && IsLibraryFile(line->file)) {
    node.setSourceRange(call.sourceRange());
  }
  for (Block* block : node.blocks()) {
    for (Node* inner : block->nodes()) {
      TakeLineOfCall(*inner, call);
    }
  }
}

}  // namespace ns

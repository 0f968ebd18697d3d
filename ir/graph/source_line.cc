#include "ir/graph/source_line.h"

#include <torch/csrc/jit/ir/ir.h>

#include <tuple>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

using ::torch::jit::Block;
using ::torch::jit::Node;
using ::torch::jit::SourceRange;

// Where PyTorch is installed, and folders of its sources with code of layers.
constexpr absl::string_view kOfLibrary[] = {
    "-packages/torch/",        "/torch/nn/",        "/torch/ao/",
    "/torch/functional.py",    "/torch/_ops.py",    "/torch/_tensor.py",
    "/torch/_jit_internal.py", "/torch/_lowrank.py"};

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

// The range that the code of a saved model, `range`, was generated from. A
// record of it that cannot be read counts as none: it is there for messages
// alone.
c10::optional<SourceRange> OriginalOf(const SourceRange& range) {
  const auto original =
      CatchTorchErrors([&] { return range.findSourceRangeThatGenerated(); });
  return original.ok() ? *original : c10::nullopt;
}

}  // namespace

std::optional<SourceLine> SourceLineOf(const Node& node) {
  const SourceRange range = node.sourceRange();
  const auto original = OriginalOf(range);
  std::optional<SourceLine> line = LineOf(original ? *original : range);
  if (line && absl::StartsWith(line->file, kSavedCode)) {
    return std::nullopt;
  }
  return line;
}

bool IsLibraryFile(const std::string& file) {
  // Models are saved on Windows, too.
  const std::string path = absl::StrReplaceAll(file, {{"\\", "/"}});
  return absl::c_any_of(kOfLibrary, [&](absl::string_view part) {
    return absl::StrContains(path, part);
  });
}

void TakeLineOfCall(Node& node, const Node& call) {
  if (!SourceLineOf(call)) {
    return;
  }
  const std::optional<SourceLine> line = SourceLineOf(node);
  if (!line || IsLibraryFile(line->file)) {
    node.setSourceRange(call.sourceRange());
  }
  for (Block* block : node.blocks()) {
    for (Node* inner : block->nodes()) {
      TakeLineOfCall(*inner, call);
    }
  }
}

}  // namespace ns

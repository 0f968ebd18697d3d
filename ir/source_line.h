// Tells which line of the user's code a node comes from.
#ifndef IR_SOURCE_LINE_H_
#define IR_SOURCE_LINE_H_

#include <cstdint>
#include <optional>
#include <string>

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

struct SourceLine {
  // As the compiler saw it, "/src/net.py".
  std::string file;
  // From 1.
  int64_t line = 0;

  bool operator==(const SourceLine& other) const {
    return file == other.file && line == other.line;
  }
};

// Returns the line of Python that `node` was compiled from, also where a file
// was saved and loaded since. Absent where that is not recorded, as in models
// that were saved without it, or cannot be read, and for what a pass has added.
// Of a traced model, it may be a line of PyTorch's.
std::optional<SourceLine> SourceLineOf(const torch::jit::Node& node);

// Whether a SourceLine::file is of PyTorch itself, as
// "/usr/lib/python3/dist-packages/torch/nn/modules/conv.py". All layers of a
// type have the same lines there, which tell nothing of one of them.
bool IsLibraryFile(const std::string& file);

// Makes the line of `call`, if it has one, that of `node`, and of the nodes
// inside of it, where theirs is of PyTorch itself or they have none: for what
// is inlined in place of `call`.
void TakeLineOfCall(torch::jit::Node& node, const torch::jit::Node& call);

}  // namespace ns

#endif  // IR_SOURCE_LINE_H_

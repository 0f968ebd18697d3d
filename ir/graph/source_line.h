// Tells which line of the user's code a node comes from.
#ifndef IR_GRAPH_SOURCE_LINE_H_
#define IR_GRAPH_SOURCE_LINE_H_

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

// Returns the line of Python that `node` was compiled from, also after the
// model was saved and loaded. Nothing for a node that a pass has added, and
// where the line was not saved with the model or cannot be read. In a traced
// model, it may be a line of PyTorch's own code.
std::optional<SourceLine> SourceLineOf(const torch::jit::Node& node);

// Whether a SourceLine::file is part of PyTorch itself, such as
// "/usr/lib/python3/dist-packages/torch/nn/modules/conv.py". The path tells:
// "-packages/torch/" is in it, or "/torch/nn/" or another of PyTorch's own
// folders and files. A line there is the same for all layers of a type, and
// does not tell which one it is.
bool IsLibraryFile(const std::string& file);

// Gives the line of `call` to `node`, which is inlined in place of `call`, and
// to the nodes inside it: to each that has no line of its own, or has one in
// PyTorch itself. So when the calls around a node are inlined one after the
// other, it ends with a line of the user's, if there is one. Does nothing if
// `call` has no line.
void TakeLineOfCall(torch::jit::Node& node, const torch::jit::Node& call);

}  // namespace ns

#endif  // IR_GRAPH_SOURCE_LINE_H_

#include "passes/lowering/fold/fold_float_output.h"

#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <functional>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "ir/base/refusal.h"
#include "ir/graph/insert_op.h"
#include "ir/graph/node_view.h"
#include "passes/lowering/fold/dynamic_layers.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr std::array<absl::string_view, 4> kConvolutions = {
    "aten::_convolution", "aten::conv1d", "aten::conv2d", "aten::conv3d"};

bool TryReplace(FoldEditor& editor, Node* node,
                const std::function<absl::StatusOr<Value*>()>& insert) {
  if (editor.HasWriters(*node)) {
    editor.Reject(node, Refusal("an op in place writes to its tensors"));
    return false;
  }
  Value* folded = editor.TryInsert(node, node, insert);
  if (folded == nullptr) {
    return false;
  }
  editor.Replace(TensorOutput(*node), folded);
  return true;
}

bool FoldRelu(FoldEditor& editor, Node* relu) {
  Node* linear = relu->input(0)->node();
  if (OpName(*linear) != "quantized::linear_dynamic" ||
      OnlyUser(*linear->output()) != relu) {
    return false;
  }
  if (editor.HasWriters(*linear)) {
    editor.Reject(relu, Refusal("an op in place writes to its tensors"));
    return false;
  }
  return TryReplace(editor, relu, [&] {
    return InsertOp(editor.graph(), "quantized::linear_relu_dynamic",
                    {linear->input(0), linear->input(1), linear->input(2)});
  });
}

}  // namespace

bool FoldFloatOutput(FoldEditor& editor, Node* node) {
  if (node->kind() == c10::aten::relu) {
    return FoldRelu(editor, node);
  }
  if (node->kind() == c10::aten::embedding ||
      node->kind() == c10::aten::embedding_bag) {
    return TryReplace(editor, node,
                      [&] { return InsertReferenceEmbedding(node); });
  }
  const bool is_convolution =
      absl::c_linear_search(kConvolutions, OpName(*node));
  if (!is_convolution && node->kind() != c10::aten::linear) {
    return false;
  }
  const std::optional<DynamicInput> input = DynamicInputOf(*node->input(0));
  if (input && is_convolution) {
    editor.Reject(node, Refusal("dynamic convolutions clip their output to "
                                "the range of their input"));
    return false;
  }
  // The new layer reads the float tensor later than the quantize op did.
  if (input && editor.facts().HasWriters(*input->tensor)) {
    editor.Reject(node, Refusal("an op in place writes to its tensors"));
    return false;
  }
  return input && TryReplace(editor, node,
                             [&] { return InsertDynamicLinear(node, *input); });
}

}  // namespace ns

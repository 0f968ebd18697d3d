#include "passes/lowering/fuse_sums.h"

#include <torch/csrc/jit/ir/ir.h>

#include <array>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "ir/base/status.h"
#include "ir/graph/graph_editor.h"
#include "ir/graph/graph_walk.h"
#include "ir/graph/node_view.h"
#include "ir/graph/pass_context.h"
#include "passes/lowering/writers.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

constexpr absl::string_view kPlain = "ns::fbgemm_add";
constexpr absl::string_view kWithRelu = "ns::fbgemm_add_relu";

// Whether `node` is a static layer on an ns kernel that has no sum yet.
bool IsLayerWithoutSum(const Node& node) {
  const OpRow* row = FindOp(OpName(node));
  return row != nullptr && IsLoweredOp(row->op) &&
         row->numerics == Numerics::kInt8 &&
         (row->weight_form == WeightForm::kPackedConv ||
          row->weight_form == WeightForm::kPackedLinear) &&
         row->family_row->facts.reference != ReferenceForm::kLayerWithSum;
}

class SumFuser {
 public:
  SumFuser(GraphEditor& editor, SummedLayers layers, PassContext* context)
      : editor_(editor),
        layers_(layers),
        context_(context),
        writers_(editor.graph()) {}

  // Returns how many sums were fused.
  absl::StatusOr<int64_t> Run() {
    absl::Status status;
    ForEachNodeInnermostFirst(editor_.graph().block(), [&](Node* node) {
      if (status.ok() &&
          (OpName(*node) == kPlain || OpName(*node) == kWithRelu)) {
        status = Fuse(node);
      }
    });
    NS_RETURN_IF_ERROR(status);
    return fused_;
  }

 private:
  bool HasFormWithSum(const Node& layer) const {
    return layers_ == SummedLayers::kConv2d
               ? OpName(layer) == "ns::fbgemm_conv2d"
               : FindOp(absl::StrCat(OpName(layer), "_add")) != nullptr;
  }

  // Returns the layer that gives operand `index` of `add`, can be fused with it
  // and is used by nothing else; null when there is none.
  Node* Summand(Node* add, size_t index) const {
    Node* layer = add->input(index)->node();
    return IsLayerWithoutSum(*layer) && HasFormWithSum(*layer) &&
                   OnlyUser(*layer->output()) == add
               ? layer
               : nullptr;
  }

  absl::Status Fuse(Node* add) {
    const std::array<Node*, 2> summands = {Summand(add, 0), Summand(add, 1)};
    const size_t later =
        summands[1] != nullptr &&
                (summands[0] == nullptr || summands[0]->isBefore(summands[1]))
            ? 1
            : 0;
    Node* layer = summands[later];
    if (layer == nullptr) {
      RemarkOperands(*add);
      return absl::OkStatus();
    }
    if (!writers_.LetWait(*layer, *add)) {
      Remark(*layer, "an op in place may write to its input before the sum");
      return absl::OkStatus();
    }
    if (summands[1 - later] != nullptr) {
      Remark(*summands[1 - later], "its sum is fused into another layer");
    }
    const absl::string_view suffix =
        OpName(*add) == kWithRelu ? "_add_relu" : "_add";
    NS_ASSIGN_OR_RETURN(
        Value * sum,
        editor_.InsertBefore(
            *add, absl::StrCat(OpName(*layer), suffix),
            {layer->input(0), layer->input(1), add->input(1 - later),
             add->input(2), add->input(3)}));
    editor_.ReplaceNode(*add, *sum);
    layer->destroy();
    ++fused_;
    return absl::OkStatus();
  }

  // Remarks why no layer that gives an operand of `add` is fused with it.
  void RemarkOperands(const Node& add) {
    RemarkOperand(*add.input(0)->node());
    if (add.input(1) != add.input(0)) {
      RemarkOperand(*add.input(1)->node());
    }
  }

  void RemarkOperand(const Node& layer) {
    if (IsLayerWithoutSum(layer)) {
      Remark(layer, HasFormWithSum(layer)
                        ? "its output is not read by a single sum in its block"
                        : "no ns op adds to its output before rounding it");
    }
  }

  void Remark(const Node& layer, absl::string_view reason) {
    if (context_ != nullptr) {
      context_->Remark(layer, reason);
    }
  }

  GraphEditor& editor_;
  const SummedLayers layers_;
  PassContext* const context_;
  const Writers writers_;
  int64_t fused_ = 0;
};

}  // namespace

absl::StatusOr<int64_t> FuseSums(GraphEditor& editor, SummedLayers layers,
                                 PassContext* context) {
  return SumFuser(editor, layers, context).Run();
}

}  // namespace ns

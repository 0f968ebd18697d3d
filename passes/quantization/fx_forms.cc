#include "passes/quantization/fx_forms.h"

#include <torch/csrc/jit/ir/ir.h>

#include "absl/algorithm/container.h"
#include "absl/strings/string_view.h"
#include "ir/node_view.h"
#include "ir/refusal.h"
#include "passes/analysis/output_scale.h"

namespace ns {
namespace {

constexpr absl::string_view kMovers[] = {
    "aten::contiguous", "aten::detach",  "aten::flatten",
    "aten::permute",    "aten::repeat",  "aten::repeat_interleave",
    "aten::reshape",    "aten::squeeze", "aten::transpose",
    "aten::unsqueeze",  "aten::view"};

}  // namespace

bool MovesValuesInFx(const torch::jit::Node& node) {
  return absl::c_linear_search(kMovers, OpName(node));
}

absl::StatusOr<Int8Form> Int8FormInFx(const torch::jit::Node& node) {
  if (node.kind() == c10::aten::channel_shuffle) {
    return Refusal("prepare_fx does not observe it");
  }
  const absl::StatusOr<Int8Form> form = Int8FormOf(node);
  return form.ok() && TakesNumber(node) ? Int8Form::kRangeOfInput : form;
}

}  // namespace ns

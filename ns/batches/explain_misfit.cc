#include "ns/batches/explain_misfit.h"

#include <ATen/core/Tensor.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "ir/base/dtype_name.h"
#include "ir/base/torch_errors.h"
#include "ir/graph/node_view.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SmallVector.h"
#include "passes/analysis/conv_numbers.h"
#include "passes/analysis/node_weights.h"
#include "passes/ops/op_table.h"

namespace ns {
namespace {

using ::torch::jit::Node;
using ::torch::jit::Value;

// An argument of the method, and its tensor in the batch.
struct Argument {
  std::string name;
  const Value* value;
  at::Tensor tensor;
};

std::string Described(const Argument& argument) {
  return absl::StrCat(argument.name, " is ",
                      PythonDtypeName(argument.tensor.scalar_type()), " [",
                      absl::StrJoin(argument.tensor.sizes(), ", "), "]");
}

// Puts the sentence together; `takes` is what the layer wants, and `mend` the
// Python that makes it.
std::string Sentence(const Argument& argument, const Node& layer,
                     absl::string_view takes, absl::string_view mend) {
  return absl::StrCat(Described(argument), ", and ", LayerName(layer),
                      " takes ", takes, "; ", mend);
}

// Returns what turns `tensor` into floats; "" where it has them.
std::string ToFloats(const Argument& argument) {
  switch (argument.tensor.scalar_type()) {
    case c10::kFloat:
      return "";
    case c10::kByte:
      return absl::StrCat("save ", argument.name,
                          ".float(), scaled as in training");
    default:
      return absl::StrCat("save ", argument.name, ".float()");
  }
}

// Returns the spatial dimensions of a convolution of `family`; 0 for others.
int64_t ConvDimensions(absl::string_view family) {
  for (const int64_t dimensions : {1, 2, 3}) {
    if (family == absl::StrCat("conv", dimensions, "d")) {
      return dimensions;
    }
  }
  return 0;
}

std::string ExplainConv(const Argument& argument, const Node& layer,
                        const at::Tensor& weight, int64_t dimensions) {
  const auto groups =
      ConvNumbers(layer, static_cast<size_t>(dimensions)).Number("groups");
  if (!groups.ok() || weight.dim() != dimensions + 2) {
    return "";
  }
  const int64_t channels = weight.size(1) * *groups;
  constexpr absl::string_view kSpatial[] = {"L", "H, W", "D, H, W"};
  const std::string takes = absl::StrCat("float32 [N, ", channels, ", ",
                                         kSpatial[dimensions - 1], "]");
  const at::Tensor& x = argument.tensor;
  const std::string& name = argument.name;
  if (const std::string mend = ToFloats(argument); !mend.empty()) {
    return Sentence(argument, layer, takes, mend);
  }
  if (x.dim() == dimensions + 1 && x.size(0) == channels) {
    return Sentence(argument, layer, takes,
                    absl::StrCat("it has no dimension of samples: save ", name,
                                 ".unsqueeze(0)"));
  }
  if (x.dim() != dimensions + 2) {
    return Sentence(argument, layer, takes, "save it in that shape");
  }
  if (x.size(1) == channels) {
    return "";
  }
  if (x.size(dimensions + 1) == channels) {
    constexpr absl::string_view kOrder[] = {"0, 2, 1", "0, 3, 1, 2",
                                            "0, 4, 1, 2, 3"};
    return Sentence(argument, layer, takes,
                    absl::StrCat("its channels are last: save ", name,
                                 ".permute(", kOrder[dimensions - 1], ")"));
  }
  if (x.size(1) == 1 && channels == 3) {
    return Sentence(argument, layer, takes,
                    absl::StrCat("the model is of colours: save torch.cat([",
                                 name, "] * 3, 1)"));
  }
  if (x.size(1) == 3 && channels == 1) {
    return Sentence(argument, layer, takes,
                    absl::StrCat("the model is of grey values: save ", name,
                                 ".mean(1, keepdim=True)"));
  }
  return Sentence(argument, layer, takes, "save it in that shape");
}

std::string ExplainLinear(const Argument& argument, const Node& layer,
                          const at::Tensor& weight) {
  if (weight.dim() != 2) {
    return "";
  }
  const at::Tensor& x = argument.tensor;
  const int64_t features = weight.size(1);
  const std::string takes = absl::StrCat("float32 [..., ", features, "]");
  if (const std::string mend = ToFloats(argument); !mend.empty()) {
    return Sentence(argument, layer, takes, mend);
  }
  if (x.dim() > 0 && x.size(-1) == features) {
    return "";
  }
  if (x.dim() > 2 && x.size(0) > 0 && x.numel() / x.size(0) == features) {
    return Sentence(argument, layer, takes,
                    absl::StrCat("save ", argument.name, ".flatten(1)"));
  }
  return Sentence(argument, layer, takes, "save it in that shape");
}

std::string ExplainEmbedding(const Argument& argument, const Node& layer,
                             const at::Tensor& weight) {
  const at::Tensor& x = argument.tensor;
  const std::string takes =
      absl::StrCat("int64 from 0 to ", weight.size(0) - 1);
  if (x.scalar_type() != c10::kLong && x.scalar_type() != c10::kInt) {
    return Sentence(argument, layer, takes,
                    absl::StrCat("save ", argument.name, ".long()"));
  }
  if (x.numel() == 0) {
    return "";
  }
  const auto lowest = x.min().item<int64_t>();
  const auto highest = x.max().item<int64_t>();
  if (lowest >= 0 && highest < weight.size(0)) {
    return "";
  }
  return Sentence(argument, layer, takes,
                  absl::StrCat("its numbers are from ", lowest, " to ", highest,
                               ": is it for another vocabulary?"));
}

// Explains why `layer` cannot take the argument; "" where it can, or that
// cannot be told.
std::string ExplainLayer(const Argument& argument, const Node& layer,
                         const OpRow& row) {
  const auto weights = NodeWeights(layer);
  if (!weights.ok() || weights->empty()) {
    return "";
  }
  const at::Tensor& weight = weights->front().value;
  if (const int64_t dimensions = ConvDimensions(row.family)) {
    return ExplainConv(argument, layer, weight, dimensions);
  }
  if (row.family == "linear") {
    return ExplainLinear(argument, layer, weight);
  }
  return row.family == "embedding" && weight.dim() == 2
             ? ExplainEmbedding(argument, layer, weight)
             : "";
}

// Looks at the layers that read `argument`.
std::string ExplainArgument(const Argument& argument) {
  llvm::SmallVector<const Value*, 8> open = {argument.value};
  llvm::DenseSet<const Value*> seen;
  while (!open.empty()) {
    const Value* value = open.pop_back_val();
    if (!seen.insert(value).second) {
      continue;
    }
    for (const torch::jit::Use& use : value->uses()) {
      const OpRow* const row = FindOp(OpName(*use.user));
      if (row == nullptr) {
        continue;
      }
      if (row->role == Role::kCompute) {
        std::string text = ExplainLayer(argument, *use.user, *row);
        if (!text.empty()) {
          return text;
        }
      } else if (row->role == Role::kObserve || row->role == Role::kQuantize) {
        for (const Value* output : use.user->outputs()) {
          open.push_back(output);
        }
      }
    }
  }
  return "";
}

// The tensors of `batch` with the graph's inputs, the first of which is the
// module.
std::vector<Argument> ArgumentsOf(const ModelGraph& model, const Batch& batch) {
  std::vector<Argument> arguments;
  const auto& schema =
      model.module().get_method(model.method()).function().getSchema();
  const auto inputs = model.graph().inputs();
  for (size_t i = 1; i < inputs.size() && i < schema.arguments().size(); ++i) {
    const std::string& name = schema.arguments()[i].name();
    std::optional<c10::IValue> value;
    if (i - 1 < batch.arguments.size()) {
      value = batch.arguments[i - 1];
    } else if (const auto it = batch.keywords.find(name);
               it != batch.keywords.end()) {
      value = it->second;
    }
    if (value && value->isTensor() && value->toTensor().defined()) {
      arguments.push_back({name, inputs[i], value->toTensor()});
    }
  }
  return arguments;
}

std::string Explain(const ModelGraph& model, const Batch& batch) {
  std::string text;
  // An explanation that fails is none.
  (void)CatchTorchErrors([&] {
    for (const Argument& argument : ArgumentsOf(model, batch)) {
      if (text.empty()) {
        text = ExplainArgument(argument);
      }
    }
  });
  return text;
}

}  // namespace

std::string ExplainMisfit(const ModelGraph& model, const Batch& batch) {
  if (!model.source().empty()) {
    ModelGraphOptions options;
    options.method = model.method();
    const absl::StatusOr<ModelGraph> original =
        ModelGraph::FromFile(model.source(), options);
    return original.ok() ? Explain(*original, batch) : "";
  }
  return Explain(model, batch);
}

absl::Status WithMisfit(const absl::Status& failure, const ModelGraph& model,
                        const Batch& batch) {
  const std::string why = ExplainMisfit(model, batch);
  return why.empty()
             ? failure
             : absl::Status(failure.code(),
                            absl::StrCat(why, " (", failure.message(), ")"));
}

}  // namespace ns

#include "passes/instrument/pair/shared_inputs.h"

#include <ATen/core/Tensor.h>
#include <ATen/core/function_schema.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include <vector>

#include "absl/algorithm/container.h"
#include "ir/aliasing/tensor_writes.h"
#include "ir/base/torch_errors.h"

namespace ns {
namespace {

const std::vector<c10::Argument>& ArgumentsOf(const ModelGraph& model) {
  return model.module()
      .get_method(model.method())
      .function()
      .getSchema()
      .arguments();
}

bool IsSameDefault(const c10::IValue& a, const c10::IValue& b) {
  if (!a.isTensor() || !b.isTensor()) {
    return a == b;
  }
  const at::Tensor& tensor_a = a.toTensor();
  const at::Tensor& tensor_b = b.toTensor();
  return tensor_a.is_same(tensor_b) ||
         (tensor_a.defined() && tensor_b.defined() &&
          tensor_a.scalar_type() == tensor_b.scalar_type() &&
          tensor_a.sizes() == tensor_b.sizes() && tensor_a.equal(tensor_b));
}

// True for arguments that get the same value whatever a caller gives, and in
// which nothing can be overwritten but the tensor itself.
bool IsSameArgument(const c10::Argument& a, const c10::Argument& b) {
  const auto is_plain = [](const c10::Type& type) {
    switch (type.kind()) {
      case c10::TypeKind::TensorType:
      case c10::TypeKind::IntType:
      case c10::TypeKind::FloatType:
      case c10::TypeKind::BoolType:
      case c10::TypeKind::StringType:
        return true;
      default:
        return false;
    }
  };
  const auto& default_a = a.default_value();
  const auto& default_b = b.default_value();
  return a.name() == b.name() && *a.type() == *b.type() &&
         is_plain(*a.type()) &&
         default_a.has_value() == default_b.has_value() &&
         (!default_a || IsSameDefault(*default_a, *default_b));
}

// Whether `graph` may write to an input other than the module. Throws what
// LibTorch throws.
bool WritesToInputs(torch::jit::Graph& graph) {
  const TensorWrites writes(graph);
  return absl::c_any_of(
      graph.inputs().slice(1),
      [&](const torch::jit::Value* input) { return writes.HasWriters(input); });
}

// OwnInputsOfB; throws where that returns an error.
std::vector<size_t> FindOwnInputs(const ModelGraph& a, const ModelGraph& b) {
  const auto inputs_a = a.graph().inputs();
  const auto inputs_b = b.graph().inputs();
  const std::vector<c10::Argument>& arguments_a = ArgumentsOf(a);
  const std::vector<c10::Argument>& arguments_b = ArgumentsOf(b);
  // Any tensors that a caller gives may be one.
  const bool overwrites =
      WritesToInputs(a.graph()) || WritesToInputs(b.graph());
  std::vector<size_t> own;
  for (size_t i = 1; i < inputs_b.size(); ++i) {
    const bool is_shared = i < inputs_a.size() &&
                           IsSameArgument(arguments_a[i], arguments_b[i]) &&
                           !(overwrites && inputs_b[i]->type()->kind() ==
                                               c10::TypeKind::TensorType);
    if (!is_shared) {
      own.push_back(i - 1);
    }
  }
  return own;
}

}  // namespace

absl::StatusOr<std::vector<size_t>> OwnInputsOfB(const ModelGraph& a,
                                                 const ModelGraph& b) {
  return CatchTorchErrors("pairing the models",
                          [&] { return FindOwnInputs(a, b); });
}

}  // namespace ns

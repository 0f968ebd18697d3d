#include "ir/base/checked_dtypes.h"

#include <ATen/core/stack.h>
#include <c10/core/ScalarType.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "ir/base/guarded_operator.h"

namespace ns {
namespace {

using ::torch::jit::Operator;
using ::torch::jit::Stack;

// Returns the indices of the arguments of `op` that are dtypes.
std::vector<size_t> DtypeArguments(const Operator& op) {
  std::vector<size_t> indices;
  const auto& arguments = op.schema().arguments();
  for (size_t i = 0; i < arguments.size(); ++i) {
    // The type that the schema is written with: the other one is int.
    const std::string type = arguments[i].real_type()->str();
    // aten::to has an overload that takes an int.
    const bool is_number = type == "int" || type == "int?";
    if (type == "ScalarType" || type == "ScalarType?" ||
        (is_number && arguments[i].name() == "dtype")) {
      indices.push_back(i);
    }
  }
  return indices;
}

void CheckDtype(const c10::IValue& dtype) {
  if (dtype.isInt() &&
      (dtype.toInt() < 0 ||
       dtype.toInt() >= static_cast<int64_t>(at::ScalarType::Undefined))) {
    throw std::runtime_error("there is no dtype with the number " +
                             std::to_string(dtype.toInt()) +
                             "; give a dtype of torch, such as torch.quint8");
  }
}

void CheckAll() {
  // A copy, since the registry changes.
  const std::vector<std::shared_ptr<Operator>> ops =
      torch::jit::getAllOperators();
  for (const std::shared_ptr<Operator>& op : ops) {
    if (op->schema().is_vararg() || !op->hasOperation()) {
      continue;
    }
    std::vector<size_t> dtypes = DtypeArguments(*op);
    if (dtypes.empty()) {
      continue;
    }
    const size_t count = op->schema().arguments().size();
    GuardOperator(op, [dtypes = std::move(dtypes), count](Stack& stack) {
      for (const size_t i : dtypes) {
        CheckDtype(torch::jit::peek(stack, i, count));
      }
      return false;
    });
  }
}

}  // namespace

void CheckDtypes() {
  static const bool checked = [] {
    CheckAll();
    return true;
  }();
  (void)checked;
}

}  // namespace ns

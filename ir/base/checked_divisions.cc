#include "ir/base/checked_divisions.h"

#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "ir/base/guarded_operator.h"

namespace ns {
namespace {

using ::torch::jit::Operator;
using ::torch::jit::Stack;

constexpr int64_t kLowest = std::numeric_limits<int64_t>::min();

// Describes an operator that divides its first argument by its second.
struct Division {
  const char* name;
  // What the lowest integer and -1 give; none where it needs more than 64 bits.
  std::optional<int64_t> of_lowest;
  // Whether a zero is left to LibTorch, which treats it as it should.
  bool takes_zero;
};

constexpr Division kDivisions[] = {
    {"aten::__round_to_zero_floordiv", std::nullopt, false},
    {"aten::divmod", std::nullopt, true},
    {"aten::floordiv", std::nullopt, true},
    {"aten::gcd", 1, true},
    {"aten::remainder", 0, false},
};

// Whether all arguments are numbers, so that two of them may be integers.
bool TakesTwoNumbers(const Operator& op) {
  const auto& arguments = op.schema().arguments();
  for (const c10::Argument& argument : arguments) {
    const auto kind = argument.type()->kind();
    if (kind != c10::TypeKind::IntType && kind != c10::TypeKind::NumberType) {
      return false;
    }
  }
  return arguments.size() == 2;
}

// Returns true where it has replaced the arguments on the stack by the result,
// without a division. Otherwise the stack is as it was.
bool DividesByMinusOne(Stack& stack, const Division& division) {
  const c10::IValue& a = torch::jit::peek(stack, 0, 2);
  const c10::IValue& b = torch::jit::peek(stack, 1, 2);
  if (!a.isInt() || !b.isInt()) {
    return false;
  }
  if (b.toInt() == 0 && !division.takes_zero) {
    throw std::runtime_error(
        "ZeroDivisionError: integer division or modulo by zero");
  }
  if (a.toInt() != kLowest || b.toInt() != -1) {
    return false;
  }
  if (!division.of_lowest) {
    throw std::runtime_error(
        "OverflowError: -2**63 divided by -1 needs more than 64 bits");
  }
  torch::jit::drop(stack, 2);
  torch::jit::push(stack, *division.of_lowest);
  return true;
}

void ReplaceAll() {
  for (const Division& division : kDivisions) {
    // A copy, since the registry changes.
    const std::vector<std::shared_ptr<Operator>> ops =
        torch::jit::getAllOperatorsFor(
            c10::Symbol::fromQualString(division.name));
    for (const std::shared_ptr<Operator>& op : ops) {
      if (!op->isC10Op() && TakesTwoNumbers(*op)) {
        GuardOperator(op, [division](Stack& stack) {
          return DividesByMinusOne(stack, division);
        });
      }
    }
  }
}

}  // namespace

void CheckIntegerDivisions() {
  static const bool replaced = [] {
    ReplaceAll();
    return true;
  }();
  (void)replaced;
}

}  // namespace ns

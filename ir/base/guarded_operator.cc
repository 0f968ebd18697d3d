#include "ir/base/guarded_operator.h"

#include <mutex>
#include <utility>
#include <vector>

namespace ns {
namespace {

using ::torch::jit::Operation;
using ::torch::jit::Operator;
using ::torch::jit::Stack;

void KeepForever(const std::shared_ptr<Operator>& op) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::vector<std::shared_ptr<Operator>>;
  const std::lock_guard<std::mutex> lock(mutex);
  kept.push_back(op);
}

}  // namespace

void GuardOperator(const std::shared_ptr<Operator>& op, OperatorGuard guard) {
  KeepForever(op);
  const c10::FunctionSchema& schema = op->schema();
  torch::jit::deregisterOperator(schema);
  torch::jit::registerOperator(
      Operator(schema.name(), schema.overload_name(), schema.arguments(),
               schema.returns(),
               Operation([guard = std::move(guard),
                          run = op->getOperation()](Stack& stack) mutable {
                 if (!guard(stack)) {
                   run(stack);
                 }
               }),
               op->aliasAnalysisKind()));
}

}  // namespace ns

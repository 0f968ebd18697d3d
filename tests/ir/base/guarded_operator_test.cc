#include "ir/base/guarded_operator.h"

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

using ::torch::jit::Operator;
using ::torch::jit::Stack;

std::shared_ptr<Operator> Half() {
  return torch::jit::findOperatorFor({"guarded_operator_test::half", ""});
}

int64_t Call(const Operator& op, int64_t x) {
  Stack stack = {x};
  op.getOperation()(stack);
  return stack.at(0).toInt();
}

// Registers an operator, and guards it against odd numbers and for 0.
class GuardedOperatorTest : public ::testing::Test {
 protected:
  GuardedOperatorTest() {
    torch::jit::registerOperator(Operator(
        "guarded_operator_test::half(int x) -> int",
        [](Stack& stack) { stack.at(0) = stack.at(0).toInt() / 2; },
        c10::AliasAnalysisKind::FROM_SCHEMA));
    original_ = Half().get();
    kept_ = Half();
    GuardOperator(Half(), [](Stack& stack) {
      const int64_t x = stack.at(0).toInt();
      if (x % 2 != 0) {
        throw std::runtime_error("odd");
      }
      stack.at(0) = x == 0 ? -1 : x;
      return x == 0;
    });
  }
  ~GuardedOperatorTest() override {
    torch::jit::deregisterOperator(Half()->schema());
  }

  const Operator* original_;
  std::weak_ptr<Operator> kept_;
};

TEST_F(GuardedOperatorTest, RunsUnlessTheGuardGivesTheResultOrThrows) {
  EXPECT_EQ(Call(*Half(), 6), 3);
  EXPECT_EQ(Call(*Half(), 0), -1);
  EXPECT_THROW(Call(*Half(), 5), std::runtime_error);
}

TEST_F(GuardedOperatorTest, HasTheSchemaOfTheOperator) {
  EXPECT_NE(Half().get(), original_);
  EXPECT_EQ(Half()->schema(), original_->schema());
  EXPECT_EQ(Half()->aliasAnalysisKind(), c10::AliasAnalysisKind::FROM_SCHEMA);
}

// As nodes of graphs that were made before.
TEST_F(GuardedOperatorTest, TheOperatorStaysValid) {
  ASSERT_FALSE(kept_.expired());
  EXPECT_EQ(Call(*original_, 5), 2);
}

}  // namespace
}  // namespace ns

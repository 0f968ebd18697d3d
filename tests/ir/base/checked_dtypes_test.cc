#include "ir/base/checked_dtypes.h"

#include <ATen/Functions.h>
#include <ATen/core/stack.h>
#include <torch/csrc/jit/runtime/operator.h>

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "gtest/gtest.h"

namespace ns {
namespace {

at::Tensor Call(const char* name, const char* overload,
                std::vector<c10::IValue> arguments) {
  CheckDtypes();
  CheckDtypes();
  const auto op = torch::jit::findOperatorFor({name, overload});
  if (op == nullptr) {
    throw std::logic_error(name);
  }
  op->getOperation()(arguments);
  return arguments.back().toTensor();
}

at::Tensor Quantize(int64_t dtype) {
  return Call("aten::quantize_per_tensor", "",
              {at::ones({2}), 0.5, int64_t{1}, dtype});
}

at::Tensor Cast(const c10::IValue& dtype) {
  return Call("aten::zeros", "", {std::vector<int64_t>{2}, dtype, {}, {}, {}});
}

at::Tensor To(const c10::IValue& dtype) {
  return Call("aten::to", "prim_dtype", {at::ones({2}), dtype, false, false});
}

TEST(CheckedDtypesTest, NumbersThatAreNoDtypesThrow) {
  for (const int64_t dtype :
       {int64_t{-2}, int64_t{-1}, int64_t{99}, int64_t{256 + 13},
        static_cast<int64_t>(at::ScalarType::Undefined),
        std::numeric_limits<int64_t>::max()}) {
    EXPECT_THROW(Quantize(dtype), std::runtime_error) << dtype;
    EXPECT_THROW(Cast(dtype), std::runtime_error) << dtype;
    EXPECT_THROW(To(dtype), std::runtime_error) << dtype;
  }
}

TEST(CheckedDtypesTest, OtherDtypesGiveWhatTheyGave) {
  EXPECT_EQ(Quantize(13).scalar_type(), at::kQUInt8);
  EXPECT_EQ(Quantize(12).scalar_type(), at::kQInt8);
  EXPECT_EQ(Cast(int64_t{7}).scalar_type(), at::kDouble);
  EXPECT_EQ(Cast({}).scalar_type(), at::kFloat);
  EXPECT_EQ(To(int64_t{7}).scalar_type(), at::kDouble);
}

TEST(CheckedDtypesTest, SchemasStay) {
  const std::string name = "aten::quantize_per_tensor_dynamic";
  const auto before = torch::jit::findOperatorFor({name, ""})->schema();
  CheckDtypes();
  const auto after = torch::jit::findOperatorFor({name, ""});
  EXPECT_EQ(after->schema(), before);
  EXPECT_EQ(after->aliasAnalysisKind(), c10::AliasAnalysisKind::FROM_SCHEMA);
}

}  // namespace
}  // namespace ns

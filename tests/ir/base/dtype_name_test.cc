#include "ir/base/dtype_name.h"

#include "gtest/gtest.h"

namespace ns {
namespace {

TEST(PythonDtypeNameTest, IsWhatPythonPrints) {
  EXPECT_EQ(PythonDtypeName(c10::kByte), "uint8");
  EXPECT_EQ(PythonDtypeName(c10::kLong), "int64");
  EXPECT_EQ(PythonDtypeName(c10::kHalf), "float16");
  EXPECT_EQ(PythonDtypeName(c10::kDouble), "float64");
  EXPECT_EQ(PythonDtypeName(c10::kBFloat16), "bfloat16");
  EXPECT_EQ(PythonDtypeName(c10::kBool), "bool");
  EXPECT_EQ(PythonDtypeName(c10::kComplexFloat), "complex64");
  EXPECT_EQ(PythonDtypeName(c10::kQUInt8), "quint8");
  EXPECT_EQ(PythonDtypeName(c10::kQUInt4x2), "quint4x2");
}

}  // namespace
}  // namespace ns

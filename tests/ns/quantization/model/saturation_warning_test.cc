#include "ns/quantization/model/saturation_warning.h"

#include <optional>
#include <string>

#include "gtest/gtest.h"
#include "passes/quantization/qconfig/default_qconfigs.h"
#include "passes/quantization/qconfig/quantization_target.h"

namespace ns {
namespace {

class SaturationWarningTest : public ::testing::Test {
 protected:
  SaturationWarningTest() { options_.backend = Backend::kOnednn; }

  bool Warns(bool has_vnni = false) const {
    return SaturationWarning(options_, has_vnni).has_value();
  }

  QuantizeOptions options_;
};

TEST_F(SaturationWarningTest, NamesTheTargetWithoutVnni) {
  EXPECT_NE(SaturationWarning(options_, false)->find("--target=onednn-avx2"),
            std::string::npos);
  EXPECT_FALSE(Warns(/*has_vnni=*/true));
}

TEST_F(SaturationWarningTest, TheTargetsOfAnyServerAreFit) {
  options_.target = QuantizationTarget::kOneDnnAvx2;
  EXPECT_FALSE(Warns());
  options_.target = std::nullopt;
  for (const Backend backend :
       {Backend::kFbgemm, Backend::kX86, Backend::kQnnpack}) {
    options_.backend = backend;
    EXPECT_FALSE(Warns());
  }
}

TEST_F(SaturationWarningTest, WhatIsSaidOtherwiseIsTaken) {
  options_.mode = QuantizeMode::kDynamic;
  EXPECT_FALSE(Warns());
  options_.mode = QuantizeMode::kStatic;
  options_.compat = true;
  EXPECT_FALSE(Warns());
  options_.compat = false;
  options_.reference = true;
  EXPECT_FALSE(Warns());
  options_.reference = false;
  EXPECT_TRUE(Warns());
  options_.mapping.emplace();
  EXPECT_FALSE(Warns());
}

}  // namespace
}  // namespace ns

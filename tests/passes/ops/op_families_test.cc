#include "passes/ops/op_families.h"

#include <map>
#include <set>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "gtest/gtest.h"

namespace ns {
namespace {

bool IsNsKernel(const FamilyOp& op) { return absl::StartsWith(op.op, "ns::"); }

bool TakesFloats(const FamilyOp& op) {
  return op.numerics == Numerics::kFloat || op.numerics == Numerics::kEither;
}

// True for an op of the family that takes quantized values and gives them.
bool HasInt8Op(const OpFamily& family) {
  return absl::c_any_of(OpsOf(family), [](const FamilyOp& op) {
    return op.numerics == Numerics::kInt8;
  });
}

TEST(OpFamiliesTest, IsSortedAndUnique) {
  const auto rows = OpFamilies();
  for (size_t i = 1; i < rows.size(); ++i) {
    EXPECT_LT(rows[i - 1].name, rows[i].name);
  }
}

TEST(OpFamiliesTest, AnOpIsInOneRow) {
  std::map<absl::string_view, absl::string_view> families;
  for (const OpFamily& family : OpFamilies()) {
    EXPECT_FALSE(OpsOf(family).empty()) << family.name;
    for (const FamilyOp& op : OpsOf(family)) {
      const auto [known, is_new] = families.emplace(op.op, family.name);
      EXPECT_TRUE(is_new) << op.op << " is in the rows " << known->second
                          << " and " << family.name;
    }
  }
}

TEST(OpFamiliesTest, OpsStandBeforeWhatTheyAreMadeInto) {
  for (const OpFamily& family : OpFamilies()) {
    EXPECT_TRUE(absl::c_is_sorted(OpsOf(family),
                                  [](const FamilyOp& a, const FamilyOp& b) {
                                    const auto place = [](const FamilyOp& op) {
                                      return IsNsKernel(op)    ? 2
                                             : TakesFloats(op) ? 0
                                                               : 1;
                                    };
                                    return place(a) < place(b);
                                  }))
        << family.name << ": float ops, quantized ops, ns kernels";
  }
}

TEST(OpFamiliesTest, FoldedOpsHaveWhatTheyAreFoldedTo) {
  for (const OpFamily& family : OpFamilies()) {
    for (const FamilyOp& op : OpsOf(family)) {
      switch (op.fold) {
        case FoldForm::kNone:
          EXPECT_EQ(op.guard, CallGuard::kNone) << op.op;
          break;
        case FoldForm::kSameOpExactly:
        case FoldForm::kSameOpRounding:
          EXPECT_EQ(op.numerics, Numerics::kEither) << op.op;
          break;
        case FoldForm::kFixedRange:
        case FoldForm::kFixedRangeOrByName:
          EXPECT_EQ(op.numerics, Numerics::kEither) << op.op;
          EXPECT_EQ(family.facts.range.kind, QuantizedRange::Kind::kFixed)
              << op.op;
          break;
        case FoldForm::kPackedConv:
          // Of aten::_convolution, only the call tells the family.
          break;
        case FoldForm::kNsKernelExactly:
          EXPECT_TRUE(absl::c_any_of(OpsOf(family), IsNsKernel)) << op.op;
          break;
        default:
          EXPECT_TRUE(HasInt8Op(family)) << op.op;
      }
      EXPECT_TRUE(op.fold == FoldForm::kNone || TakesFloats(op)) << op.op;
    }
  }
}

TEST(OpFamiliesTest, RangesAreFixedExactlyWhereLoweringTakesThem) {
  for (const OpFamily& family : OpFamilies()) {
    const bool is_lowered =
        absl::c_any_of(OpsOf(family), [](const FamilyOp& op) {
          return op.lowering == LoweringForm::kFixedRange;
        });
    EXPECT_EQ(is_lowered,
              family.facts.range.kind == QuantizedRange::Kind::kFixed)
        << family.name;
    EXPECT_EQ(family.facts.range.scale > 0,
              family.facts.range.kind == QuantizedRange::Kind::kFixed)
        << family.name;
  }
}

TEST(OpFamiliesTest, FusedActivationsAreActivations) {
  EXPECT_TRUE(FindFamily("relu")->facts.is_activation);
  EXPECT_TRUE(FindFamily("hardtanh")->facts.is_activation);
}

TEST(OpFamiliesTest, OnlyConvolutionsHaveChannelsInAnotherDimension) {
  for (const OpFamily& family : OpFamilies()) {
    EXPECT_EQ(family.facts.weight_channel_dim,
              absl::StartsWith(family.name, "conv_transpose") ? 1 : 0)
        << family.name;
  }
}

TEST(FindFamilyTest, FindsEveryRowAndNoOther) {
  for (const OpFamily& family : OpFamilies()) {
    EXPECT_EQ(FindFamily(family.name), &family);
  }
  EXPECT_EQ(FindFamily("no_such_family"), nullptr);
  EXPECT_EQ(FindFamily(""), nullptr);
}

}  // namespace
}  // namespace ns

// FoldReferenceQuantization::Options.
#include <torch/csrc/jit/ir/ir.h>

#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/lowering/fold/fold_reference_quantization.h"
#include "tests/passes/lowering/fold/folding.h"
#include "tests/testing/ir.h"
#include "tests/testing/run_pass.h"
#include "tests/testing/short_ir.h"

namespace ns {
namespace {

using ::torch::jit::Graph;
using Options = FoldReferenceQuantization::Options;

// `lines` compute %f of %d and %e, which are dequantized; %f is quantized.
std::shared_ptr<Graph> ReferenceGraph(absl::string_view lines) {
  return GraphWith(OnQuantized(absl::StrCat("\n", lines, R"IR(
  %o : Tensor = aten::quantize_per_tensor(%f, %so, %zo, %t)
  return (%o))IR")),
                   Constants());
}

Options WithoutNsOps() {
  Options options;
  options.ns_ops = false;
  return options;
}

bool HasNsOps(const Graph& graph) {
  return absl::c_any_of(AllNodes(graph), [](const torch::jit::Node* node) {
    return absl::StartsWith(node->kind().toQualString(), "ns::");
  });
}

// Fails the test unless the float `op` of `lines` is folded by default, and
// stays for `reason` with `options`.
void ExpectStaysWith(const Options& options, absl::string_view lines,
                     const std::string& op, absl::string_view reason) {
  const auto folded = ReferenceGraph(lines);
  RunPass(FoldReferenceQuantization(), folded);
  EXPECT_TRUE(NodesOf(*folded, "aten::quantize_per_tensor").size() == 2)
      << "not folded by default:\n"
      << *folded;

  const auto kept = ReferenceGraph(lines);
  const PassRun run = RunPass(FoldReferenceQuantization(options), kept);
  EXPECT_EQ(NodesOf(*kept, op).size(), 1) << *kept;
  // It stands between a dequantize and a quantize, as before.
  EXPECT_EQ(NodesOf(*kept, "aten::quantize_per_tensor").size(), 3) << *kept;
  EXPECT_TRUE(absl::c_any_of(run.remarks,
                             [&](const PassRemark& remark) {
                               return remark.op == op &&
                                      remark.reason == reason;
                             }))
      << "no remark '" << reason << "' on " << op;
  EXPECT_FALSE(HasNsOps(*kept));
}

constexpr char kNoKernel[] = "LibTorch has no quantized kernel for it";
constexpr char kFamily[] = "its family is to stay in float";

TEST(FoldOptionsTest, WithoutNsOpsActivationsThatOnlyWeLookUpStay) {
  ExpectStaysWith(WithoutNsOps(), "  %f : Tensor = aten::silu(%d)",
                  "aten::silu", kNoKernel);
}

TEST(FoldOptionsTest, WithoutNsOpsNormsThatMayBeGivenRowsStay) {
  ExpectStaysWith(
      WithoutNsOps(),
      "  %f : Tensor = aten::group_norm(%d, %one, %none, %none, %half, %no)",
      "aten::group_norm", kNoKernel);
}

TEST(FoldOptionsTest, WithoutNsOpsMaxPoolsOver3dStay) {
  const std::string lines =
      "  %f : Tensor = aten::max_pool3d(%d, %ones, %ones, %zeros, %ones, %no)";
  const auto folded = ReferenceGraph(lines);
  RunPass(FoldReferenceQuantization(), folded);
  EXPECT_TRUE(HasNsOps(*folded));
  const auto kept = ReferenceGraph(lines);
  RunPass(FoldReferenceQuantization(WithoutNsOps()), kept);
  EXPECT_FALSE(HasNsOps(*kept)) << *kept;
  EXPECT_EQ(NodesOf(*kept, "aten::max_pool3d").size(), 1);
}

TEST(FoldOptionsTest, WithoutNsOpsLibTorchsKernelsAreUsed) {
  const auto graph = ReferenceGraph("  %f : Tensor = aten::add(%d, %e, %one)");
  RunPass(FoldReferenceQuantization(WithoutNsOps()), graph);
  EXPECT_EQ(NodesOf(*graph, "quantized::add").size(), 1);
}

TEST(FoldOptionsTest, FamiliesStayInFloatWhateverTheirForm) {
  const auto stays = [](const std::string& family, absl::string_view lines) {
    Options options;
    options.float_families = {"lstm", family};
    ExpectStaysWith(options, lines, absl::StrCat("aten::", family), kFamily);
  };
  stays("add", "  %f : Tensor = aten::add(%d, %e, %one)");
  stays("cat", R"(  %list : Tensor[] = prim::ListConstruct(%d, %e)
  %f : Tensor = aten::cat(%list, %one))");
  stays("softmax", "  %f : Tensor = aten::softmax(%d, %one, %none)");
  stays("linear",
        "  %w : Tensor = aten::dequantize(%linear_w)\n"
        "  %f : Tensor = aten::linear(%d, %w, %b)");
  stays("conv2d",
        "  %w : Tensor = aten::dequantize(%conv_w)\n"
        "  %f : Tensor = aten::conv2d(%d, %w, %b, %ones, %zeros, %ones, %one)");
  stays("sigmoid", "  %f : Tensor = aten::sigmoid(%d)");
}

// Whether the quantize behind `call`, whose output has the qparams of its
// input, is folded.
bool RunsOnQuantized(const std::string& call, const Options& options) {
  const auto graph = GraphWith(GraphText(absl::StrCat(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %f : Tensor = )IR",
                                                      call, R"IR(
  %o : Tensor = aten::quantize_per_tensor(%f, %s, %z, %t)
  return (%o))IR")),
                               Constants());
  RunPass(FoldReferenceQuantization(options), graph);
  return NodesOf(*graph, "aten::dequantize").empty();
}

TEST(FoldOptionsTest, FamiliesThatKeepTheirQParamsStayInFloat) {
  for (const std::string call :
       {"aten::avg_pool2d(%d, %ones, %ones, %zeros, %no, %yes, %none)",
        "aten::max_pool2d(%d, %ones, %ones, %zeros, %ones, %no)",
        "aten::relu(%d)", "aten::flatten(%d, %one, %one)"}) {
    EXPECT_TRUE(RunsOnQuantized(call, Options())) << call;
    Options options;
    const size_t start = call.find("::") + 2;
    options.float_families = {call.substr(start, call.find('(') - start)};
    EXPECT_FALSE(RunsOnQuantized(call, options)) << call;
  }
}

// Of two calls of one op, the one that is named.
TEST(FoldOptionsTest, SingleOpsStayInFloat) {
  const auto graph = GraphWith(GraphText(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
  %p : Tensor = aten::max_pool2d(%d, %ones, %ones, %zeros, %ones, %no)
  %r : Tensor = aten::max_pool2d(%p, %ones, %ones, %zeros, %ones, %no)
  %o : Tensor = aten::quantize_per_tensor(%r, %s, %z, %t)
  return (%o))IR"),
                               Constants());
  const torch::jit::Node* second = NodeOf(*graph, "aten::max_pool2d", 1);
  Options options;
  options.float_nodes = {second};
  const PassRun run = RunPass(FoldReferenceQuantization(options), graph);
  EXPECT_EQ(NodeOf(*graph, "aten::max_pool2d", 0)->input(0)->node()->kind(),
            c10::aten::quantize_per_tensor);
  EXPECT_EQ(second->input(0)->node()->kind(), c10::aten::dequantize);
  ASSERT_EQ(run.remarks.size(), 1);
  EXPECT_EQ(run.remarks[0].reason, "it is to stay in float");
}

// The ops of `lines` on %d, quantized behind, with chosen qparams.
std::string FoldedAsByFx(absl::string_view lines) {
  Options options;
  options.chosen_qparams = true;
  const auto graph = GraphWith(GraphText(absl::StrCat(R"IR(
  %q : Tensor = aten::quantize_per_tensor(%x, %s, %z, %t)
  %d : Tensor = aten::dequantize(%q)
)IR",
                                                      lines, R"IR(
  %o : Tensor = aten::quantize_per_tensor(%f, %s, %z, %t)
  return (%o))IR")),
                               Constants());
  RunPass(FoldReferenceQuantization(options), graph);
  return ShortIr(*graph);
}

TEST(FoldOptionsTest, NumbersChooseQParams) {
  EXPECT_EQ(FoldedAsByFx("  %f : Tensor = aten::mul(%d, %half)"),
            R"(%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::mul(%3, 0.5)
return (%4))");
  EXPECT_EQ(FoldedAsByFx(R"(  %a : Tensor = aten::add(%d, %two, %one)
  %f : Tensor = aten::relu(%a))"),
            R"(%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::add_relu(%3, 2)
return (%4))");
}

// A concatenation has the qparams of its first tensor: here 0.125 and 7, to
// which the product has come from 0.25 and 7.
TEST(FoldOptionsTest, ConcatenationsTakeTheChosenQParamsOfTheirFirstTensor) {
  const auto folded = [](absl::string_view list) {
    return FoldedAsByFx(absl::StrCat(R"IR(
  %a : Tensor = aten::mul(%d, %half)
  %k : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)
  %c : Tensor = aten::dequantize(%k)
  %l : Tensor[] = prim::ListConstruct()IR",
                                     list, R"IR()
  %f : Tensor = aten::cat(%l, %one))IR"));
  };
  EXPECT_EQ(folded("%c, %d"),
            R"(%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::mul(%3, 0.5)
%5 = prim::ListConstruct(%4, %3)
%6 = quantized::cat(%5, 1, 0.125, 7)
return (%6))");
  EXPECT_EQ(folded("%d, %c"),
            R"(%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::mul(%3, 0.5)
%5 = prim::ListConstruct(%3, %4)
%6 = quantized::cat(%5, 1, 0.25, 7)
return (%6))");
}

TEST(FoldOptionsTest, ChosenQParamsAreHandedOn) {
  EXPECT_EQ(FoldedAsByFx(R"(  %a : Tensor = aten::mul(%d, %half)
  %k : Tensor = aten::quantize_per_tensor(%a, %s, %z, %t)
  %c : Tensor = aten::dequantize(%k)
  %f : Tensor = aten::flatten(%c, %one, %one))"),
            R"(%3 = aten::quantize_per_tensor(%0, 0.25, 7, 13)
%4 = quantized::mul(%3, 0.5)
%5 = aten::flatten(%4, 1, 1)
return (%5))");
}

TEST(FoldOptionsTest, NumbersWithAClampBehindThemStay) {
  EXPECT_THAT(FoldedAsByFx(R"(  %a : Tensor = aten::mul(%d, %half)
  %f : Tensor = aten::clamp(%a, %zero, %two))"),
              testing::HasSubstr("aten::mul("));
}

TEST(FoldOptionsTest, OtherFamiliesAreFolded) {
  Options options;
  options.float_families = {"mul", "sub"};
  const auto graph = ReferenceGraph("  %f : Tensor = aten::add(%d, %e, %one)");
  RunPass(FoldReferenceQuantization(options), graph);
  EXPECT_EQ(NodesOf(*graph, "quantized::add").size(), 1);
}

}  // namespace
}  // namespace ns

// Models that int8 would break, though each op has a kernel: masks, variances
// and logarithms.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ns/quantization/model/quantize_model.h"
#include "tests/ns/quantization/quantizing.h"
#include "tests/testing/float_model.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::Contains;
using ::testing::Not;
using ::testing::StartsWith;

class SensitiveValuesTest : public ::testing::Test {
 protected:
  SensitiveValuesTest() { at::manual_seed(7); }

  // The SQNR in dB of the quantized model on `x`, which calibrates it.
  double SqnrDb(const std::vector<std::string>& body, const at::Tensor& x) {
    ModelGraph model = FloatModel(body);
    quantized_ = Quantize(body, {x});
    const at::Tensor expected = Output(model, x);
    const at::Tensor error = Output(quantized_->model, x) - expected;
    return 10 * std::log10(expected.square().sum().item<double>() /
                           error.square().sum().item<double>());
  }

  std::vector<std::string> StayedFloatNow() const {
    return StayedFloat(*quantized_);
  }

  std::optional<QuantizedModel> quantized_;
};

// Scores of rows with each other; `last` returns something of them.
std::vector<std::string> Attention(const std::string& last) {
  return {absl::StrCat("a = ", LinearOf("x")),
          "s = torch.matmul(a, a.transpose(0, 1))",
          "m = torch.ones(8, 8).triu(1)", last};
}

TEST_F(SensitiveValuesTest, MasksMaskAndLeaveTheRest) {
  const at::Tensor x = at::randn({8, 3});
  for (const char* last :
       {"return torch.softmax(s.masked_fill(m > 0, float('-inf')), -1)",
        "return torch.softmax(s.masked_fill(m > 0, -1e9), -1)",
        "return torch.softmax(s + m * -1e4, -1)",
        "return torch.softmax(s + torch.zeros(8, 8).masked_fill(m > 0, "
        "float('-inf')), -1)",
        // As in Llama and in T5.
        "return torch.softmax(s + m * -1e9, -1, dtype=6)",
        "return torch.softmax((s + m * -1e9).float(), -1)",
        "return torch.softmax(s + (m * -1e9 + 0.5 * a.sum()), -1)"}) {
    EXPECT_GT(SqnrDb(Attention(last), x), 20) << last;
    EXPECT_THAT(StayedFloatNow(), Not(Contains(StartsWith("linear: "))))
        << last;
  }
}

TEST_F(SensitiveValuesTest, ASoftmaxOfAMaskSaysWhyItIsFloat) {
  SqnrDb(Attention("return torch.softmax(s + m * -1e4, -1)"),
         at::randn({8, 3}));
  EXPECT_THAT(StayedFloatNow(),
              Contains(StartsWith("softmax: a softmax takes its values")));
}

TEST_F(SensitiveValuesTest, WithoutAMaskASoftmaxIsQuantized) {
  EXPECT_GT(
      SqnrDb(Attention("return torch.softmax(s * 0.1, -1)"), at::randn({8, 3})),
      20);
  EXPECT_THAT(StayedFloatNow(), Not(Contains(StartsWith("softmax: "))));
}

// Rows of very different sizes.
TEST_F(SensitiveValuesTest, SmallVariancesBesideLargeOnesStay) {
  const at::Tensor x =
      at::randn({8, 3}) * at::tensor({100, 1, 1, 1, 1, 1, 1, 1}).view({8, 1});
  // The last product is quantized, and costs the rest.
  EXPECT_GT(SqnrDb({absl::StrCat("y = ", LinearOf("x")),
                    "return y * torch.rsqrt((y * y).mean(-1, True) + 1e-6)"},
                   x),
            5);
  EXPECT_TRUE(Output(quantized_->model, x).isfinite().all().item<bool>());
}

// The range of a layer is not left to a clamp that stays float itself.
TEST_F(SensitiveValuesTest, LayersInFrontOfAClampAreObserved) {
  EXPECT_GT(SqnrDb({absl::StrCat("y = ", LinearOf("x")),
                    "return torch.exp(torch.clamp(y, -20.0, 2.0))"},
                   at::randn({8, 3})),
            20);
  EXPECT_THAT(StayedFloatNow(), Not(Contains(StartsWith("linear: "))));
}

TEST_F(SensitiveValuesTest, LogarithmsStayFinite) {
  const at::Tensor x = at::randn({8, 3}) * 8;
  SqnrDb({absl::StrCat("y = torch.sigmoid(", LinearOf("x"), ")"),
          "return torch.log(torch.clamp(y, 1e-6, 1.0))"},
         x);
  EXPECT_TRUE(Output(quantized_->model, x).isfinite().all().item<bool>());
}

}  // namespace
}  // namespace ns

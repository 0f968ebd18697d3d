#include "passes/quantization/convert/attention_weights.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <cstdint>
#include <string>
#include <vector>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/quantization/convert/convert_observers.h"
#include "passes/runtime/observers/observer_config.h"
#include "tests/passes/quantization/convert/calibrated.h"
#include "tests/testing/status.h"

namespace ns {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// What stays in float of an attention over `positions` of 3 features, whose
// weights are `weights`, computed of scores `s`.
std::vector<std::string> InFloat(const std::vector<std::string>& weights,
                                 int64_t positions,
                                 ObserverKind kind = ObserverKind::kMse,
                                 double size = 0.25) {
  QConfig qconfig = Int8PerTensorQConfig();
  qconfig.activation.config = DefaultConfig(kind);
  std::vector<std::string> body = {"a = x + x",
                                   "s = torch.matmul(a, a.transpose(1, 2))"};
  body.insert(body.end(), weights.begin(), weights.end());
  body.push_back("return torch.matmul(p, a)");
  at::manual_seed(0);
  ModelGraph model =
      Calibrated(body, {at::randn({2, positions, 3}) * size}, qconfig);
  return StayedFloat(OrThrow(ConvertObservers(model)));
}

const std::vector<std::string> kPlain = {"p = torch.softmax(s, -1)"};
const std::vector<std::string> kCausal = {
    "m = torch.ones([x.size(1), x.size(1)]).triu(1) > 0",
    "p = torch.softmax(s.masked_fill(m, -100.0), -1)"};

TEST(AttentionWeightsTest, OneScaleFitsRowsThatAreAlike) {
  EXPECT_THAT(InFloat(kPlain, 200, ObserverKind::kMse, 0.05), IsEmpty());
}

TEST(AttentionWeightsTest, WithACausalMaskLateRowsAreLost) {
  EXPECT_THAT(InFloat(kCausal, 200),
              Contains(AllOf(StartsWith("matmul@1: the attention weights "
                                        "would have 2"),
                             HasSubstr(" dB at steps of 0.0039, which the "
                                       "largest of them need"))));
  EXPECT_THAT(InFloat(kCausal, 8),
              Not(Contains(HasSubstr("attention weights"))));
}

TEST(AttentionWeightsTest, RowsThatAttendToFewSpoilTheOthers) {
  EXPECT_THAT(InFloat(kPlain, 200),
              Contains(StartsWith("softmax: the attention weights")));
}

TEST(AttentionWeightsTest, AsTheyAreWrittenOutAndMovedToo) {
  const std::vector<std::string> written = {
      kCausal[0], "e = torch.exp(s.masked_fill(m, -100.0))",
      "p = torch.div(e, e.sum([-1], keepdim=True)).reshape([2, x.size(1), "
      "x.size(1)])"};
  EXPECT_THAT(InFloat(written, 200),
              Contains(StartsWith("matmul@1: the attention weights")));
}

TEST(AttentionWeightsTest, WithoutAHistogramTheyAreNotJudged) {
  EXPECT_THAT(InFloat(kCausal, 200, ObserverKind::kMinMax),
              Not(Contains(HasSubstr("attention weights"))));
}

}  // namespace
}  // namespace ns

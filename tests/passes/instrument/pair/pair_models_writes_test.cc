// Paired models whose values are written to later than they are read: lists
// that grow, dicts that are filled, tensors that are filled in a loop.
#include <ATen/Functions.h>
#include <torch/csrc/jit/ir/ir.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/instrument/pair/pair_models.h"
#include "passes/instrument/variants/insert_variant.h"
#include "passes/runtime/loggers/pair_comparer.h"
#include "tests/testing/paired.h"

namespace ns {
namespace {

using ::testing::IsEmpty;

constexpr char kGrowingList[] = R"(
def forward(self, x: Tensor, n: int) -> Tensor:
    l = [x]
    for i in range(n):
        v = torch.stack(l).mean(0)
        l.append(v * 0.5)
    return l[-1]
)";

// Expects that `source` and itself are compared everywhere, and are the same.
void ExpectExactWithItself(const std::string& source,
                           const std::vector<c10::IValue>& inputs,
                           const PairPlan& plan = All()) {
  SCOPED_TRACE(source);
  Paired models(ModelOfSource(source), ModelOfSource(source), plan);
  EXPECT_THAT(models.pair.not_shadowed, IsEmpty());
  if (plan.activations) {
    models.ExpectSameAsAlone(inputs);
  } else {
    models.Run(inputs, inputs);  // A is not computed.
  }
  for (size_t i = 0; i < models.pair.comparers.size(); ++i) {
    const std::string& name = models.matches.matches[i].name;
    for (const PairComparerPtr& comparer : models.pair.comparers[i].All()) {
      const PairStatistics& sums = comparer->record().pooled.sums;
      EXPECT_EQ(comparer->problem(), "") << name;
      EXPECT_GT(sums.count, 0) << name;
      EXPECT_EQ(sums.max_abs_error, 0) << name;
    }
  }
}

class PairModelsWritesTest : public PairModelsTest {};

TEST_F(PairModelsWritesTest, ShadowsSeeListsAsLongAsTheyAreOnEachTrip) {
  ExpectExactWithItself(kGrowingList, {x_, int64_t{3}});
  Paired models(ModelOfSource(kGrowingList), ModelOfSource(kGrowingList),
                Shadows());
  models.Run({x_, int64_t{3}}, {x_, int64_t{3}});
  // Lists of one, two and three.
  EXPECT_EQ(models.Shadow("stack")->record().pooled.sums.count, 6 * x_.numel());
}

TEST_F(PairModelsWritesTest, ListsMayChangeInOtherWays) {
  ExpectExactWithItself(R"(
def forward(self, x: Tensor, n: int) -> Tensor:
    l = [x, x * 0.5]
    for i in range(n):
        v = torch.cat(l)
        if i % 2 == 0:
            l[0] = torch.tanh(v)
        else:
            l.insert(0, l.pop())
            l += [x]
    return torch.cat(l)
)",
                        {x_, int64_t{4}});
}

TEST_F(PairModelsWritesTest, ListsMayGrowUnderOtherNames) {
  ExpectExactWithItself(R"(
def forward(self, x: Tensor, n: int) -> Tensor:
    l = [x]
    all = [l, [x]]
    for i in range(n):
        v = torch.cat(l).mean(0)
        for m in all:
            m.append(x * v)
    return torch.cat(l)
)",
                        {x_, int64_t{3}});
  ExpectExactWithItself(R"(
def forward(self, x: Tensor, n: int) -> Tensor:
    l = [x]
    k = [x * 0.5]
    for i in range(n):
        v = torch.cat(l).mean(0) + torch.cat(k).mean(0)
        m = l if i % 2 == 0 else k
        m.append(x * v)
    return torch.cat(l)
)",
                        {x_, int64_t{3}});
}

TEST_F(PairModelsWritesTest, DictsMayBeFilledLater) {
  ExpectExactWithItself(R"(
def forward(self, x: Tensor, n: int) -> Tensor:
    d = {0: x}
    for i in range(n):
        v = torch.stack(list(d.values())).mean(0)
        d[i + 1] = torch.tanh(d[i] + v)
    return d[n]
)",
                        {x_, int64_t{3}});
}

// Zeros are a constant until the loop writes to them.
TEST_F(PairModelsWritesTest, ConstantsMayBeFilledLater) {
  ExpectExactWithItself(R"(
def forward(self, x: Tensor, n: int) -> Tensor:
    h = torch.zeros(4)
    for i in range(n):
        v = torch.add(x, h)
        h.copy_(torch.tanh(v[0]))
    return h
)",
                        {at::randn({2, 4}), int64_t{3}});
}

// LibTorch reads what it has written already, in an order that depends on the
// strides.
TEST_F(PairModelsWritesTest, ShadowsOverwriteWhatOverlapsInTheSameOrder) {
  for (const char* write :
       {"y.transpose(0, 1).add_(y)", "y[:, 1:] += y[:, :-1]", "y[1:] *= y[:-1]",
        "y.add_(y[0])", "y += y.t()"}) {
    ExpectExactWithItself(
        absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n",
                     "    y = torch.cat([x, x * 0.5], 1)[:, 2:6]\n    ", write,
                     "\n    return torch.tanh(y)\n"),
        {at::randn({4, 4})});
  }
}

TEST_F(PairModelsWritesTest, VariantsSeeListsAsLongAsTheyAre) {
  PairPlan plan = Shadows();
  plan.variants.assign(3, LayerVariant());
  ExpectExactWithItself(kGrowingList, {x_, int64_t{3}}, plan);
}

}  // namespace
}  // namespace ns

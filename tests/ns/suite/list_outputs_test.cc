// What a comparison says of ops that return a list of tensors.
#include <ATen/Functions.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "ir/graph/node_view.h"
#include "tests/ns/suite/pair_runner_fixture.h"

namespace ns {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

CompareOptions ActivationsAndShadows() {
  CompareOptions options;
  options.activations = options.shadows = true;
  options.exact = true;
  return options;
}

// %x times a number, taken apart and used by `lines`.
ModelGraph Parts(const std::string& factor, const std::string& lines) {
  return ModelOfSource(
      absl::StrCat("def forward(self, x: Tensor) -> Tensor:\n"
                   "    y = torch.sigmoid(x) * ",
                   factor, "\n", lines));
}

at::Tensor Values() { return at::arange(12, at::kFloat).reshape({2, 6}) / 5; }

// Of the float and the quantized model, one of which has another factor.
ErrorFigures Expected(const at::Tensor& x, const at::Tensor& factors) {
  return FiguresBetween(x.sigmoid(), x.sigmoid() * factors);
}

class ListOutputsTest : public ::testing::TestWithParam<const char*> {};

// Parts that differ in their errors: the first alone would have another figure.
TEST_P(ListOutputsTest, AllElementsAreComparedWhereTheListIsUsedWhole) {
  const at::Tensor x = Values();
  const at::Tensor factors = at::linspace(0.5, 1.5, 6);
  Running models(Parts("1.0", GetParam()),
                 Parts("torch.linspace(0.5, 1.5, 6)", GetParam()),
                 ActivationsAndShadows());
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  NS_ASSERT_OK(models.runner.Run(BatchOf({x})));
  std::string split;
  for (const SubgraphMatch& match : models.matches.matches) {
    if (IsTensorList(*match.a.output)) {
      split = match.name;
    }
  }
  const ActivationComparison activation = models.Activation(split);
  EXPECT_EQ(activation.elements, 24);
  ExpectFigures(activation.error, Expected(x, factors));
  EXPECT_EQ(models.Shadow(split).elements, 24);
  EXPECT_EQ(models.Shadow(split).error.max_abs_error, 0);
  ExpectFigures(models.Inherited(split), Expected(x, factors));
  EXPECT_THAT(models.runner.FiguresOf(models.Index(split)).outputs, IsEmpty());
  EXPECT_THAT(models.runner.Warnings(), IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(
    Uses, ListOutputsTest,
    ::testing::Values("    return torch.cat(torch.split(y, 2, 1), 0)\n",
                      "    z: List[Tensor] = []\n"
                      "    for part in torch.split(y, 2, 1):\n"
                      "        z.append(part)\n"
                      "    return torch.stack(z)\n",
                      "    parts = torch.unbind(y, 1)\n"
                      "    return parts[1] + parts[x.size(0)]\n",
                      "    parts = torch.split(y, 2, 1)\n"
                      "    return parts[0] + torch.stack(parts).sum()\n"));

TEST(ListOutputsTest, PartsThatAreNotMadeHaveNoFigures) {
  const std::string chunks = "    return torch.cat(torch.chunk(y, 5, 1), 0)\n";
  Running models(Parts("1.0", chunks), Parts("1.0", chunks),
                 ActivationsAndShadows());
  NS_ASSERT_OK(models.runner.Run(BatchOf({Values()})));
  const size_t chunk = models.Index("chunk");
  EXPECT_EQ(models.Activation("chunk").elements, 4);
  // Six columns are three chunks of two.
  EXPECT_THAT(models.runner.FiguresOf(chunk).outputs, SizeIs(2));
}

}  // namespace
}  // namespace ns

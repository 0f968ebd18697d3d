#include <ATen/Functions.h>
#include <ATen/core/List.h>

#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

class CatOpsTest : public ::testing::TestWithParam<std::string> {
 protected:
  std::string ours() const { return "ns::fbgemm_" + GetParam(); }
  std::string theirs() const { return "quantized::" + GetParam(); }

  void ExpectTheirs(const std::vector<at::Tensor>& tensors, int64_t dimension,
                    const c10::IValue& scale = 0.07,
                    const c10::IValue& zero_point = 101) {
    const c10::List<at::Tensor> list(tensors);
    ExpectSameCodes(Output(ours(), {list, dimension, scale, zero_point}),
                    Output(theirs(), {list, dimension, scale, zero_point}));
  }
};
INSTANTIATE_TEST_SUITE_P(, CatOpsTest, ::testing::Values("cat", "cat_relu"));

TEST_P(CatOpsTest, GivesLibTorchsCodesAlongEachDimensionInAllLayouts) {
  const auto first = Layouts(RandomCodes({2, 5, 3, 4}, 0.05, 64));
  const auto second = Layouts(RandomCodes({2, 5, 3, 4}, 0.013, 200));
  for (const auto& [name, a] : first) {
    for (const auto& [other, b] : second) {
      for (int64_t dimension = -4; dimension < 4; ++dimension) {
        SCOPED_TRACE(absl::StrCat(name, " and ", other, " along ", dimension));
        ExpectTheirs({a, b, a}, dimension);
      }
    }
  }
}

TEST_P(CatOpsTest, GivesLibTorchsCodesOfFiveDimensionsInAllLayouts) {
  for (const auto& [name, a] : Layouts(RandomCodes({2, 5, 3, 4, 2}))) {
    for (const auto& [other, b] : Layouts(RandomCodes({2, 5, 3, 4, 2}))) {
      for (const int64_t dimension : {0, 1, 3, -4, -1}) {
        SCOPED_TRACE(absl::StrCat(name, " and ", other, " along ", dimension));
        ExpectTheirs({a, b, a}, dimension);
      }
    }
  }
}

// Scales whose codes often meet ties, where fma and subtraction part.
TEST_P(CatOpsTest, ReadsChannelsLastAsLibTorchDoes) {
  for (const int64_t channels : {1, 3, 8, 13, 16, 31, 32, 40, 67}) {
    for (const double scale : {0.1, 0.3, 0.05, 0.7}) {
      std::vector<at::Tensor> tensors;
      for (const int64_t zero_point : {0, 1, 77, 127, 255}) {
        tensors.push_back(RandomCodes({2, channels, 9, 9}, scale, zero_point)
                              .contiguous(at::MemoryFormat::ChannelsLast));
      }
      SCOPED_TRACE(absl::StrCat(channels, " channels of scale ", scale));
      for (const int64_t dimension : {0, 1, 2, 3, -1, -3}) {
        ExpectTheirs(tensors, dimension, scale * 2, 101);
        ExpectTheirs(tensors, dimension, scale / 0.3, 100);
      }
    }
  }
}

// aten::cat, which takes codes of the same parameters only.
TEST(CatOfCodesTest, GivesLibTorchsCodesAlongEachDimensionInAllLayouts) {
  const auto first = Layouts(RandomCodes({2, 19, 3, 4}, 0.3, 77));
  const auto second = Layouts(RandomCodes({2, 19, 3, 4}, 0.3, 77));
  for (const auto& [name, a] : first) {
    for (const auto& [other, b] : second) {
      for (int64_t dimension = -4; dimension < 4; ++dimension) {
        SCOPED_TRACE(absl::StrCat(name, " and ", other, " along ", dimension));
        const c10::List<at::Tensor> list({a, b, a});
        ExpectSameCodes(Output("ns::fbgemm_cat",
                               {list, dimension, c10::IValue(), c10::IValue()}),
                        Output("aten::cat", {list, dimension}));
      }
    }
  }
}

TEST_P(CatOpsTest, ReadsTensorsThatAreBothLayoutsAsLibTorchDoes) {
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {64, 16, 1, 1}, {16, 1, 5, 7}, {1, 24, 1, 1}}) {
    const at::Tensor a = RandomCodes(sizes, 0.1, 77);
    const at::Tensor b = RandomCodes(sizes, 0.3, 1);
    ExpectTheirs({a, b}, 1, 0.2, 101);
    ExpectTheirs({a, b}, 0, 0.2, 101);
  }
}

TEST_P(CatOpsTest, ReadsMixedLayoutsAsLibTorchDoes) {
  const at::Tensor a = RandomCodes({2, 16, 9, 9}, 0.1, 77)
                           .contiguous(at::MemoryFormat::ChannelsLast);
  const at::Tensor b = RandomCodes({2, 16, 9, 9}, 0.3, 1);
  ExpectTheirs({a, b}, 1, 0.2, 101);
  ExpectTheirs({b, a}, 1, 0.2, 101);
}

TEST_P(CatOpsTest, TakesQParamsOfTheFirstWithoutOthers) {
  const at::Tensor a = RandomCodes({3, 4}, 0.5, 3);
  const at::Tensor b = RandomCodes({3, 9}, 0.25, 200);
  ExpectTheirs({a, b}, 1, c10::IValue(), c10::IValue());
  ExpectTheirs({a, b}, 1, 0.3, c10::IValue());
}

TEST_P(CatOpsTest, TakesTensorsWithoutElements) {
  ExpectTheirs({RandomCodes({0, 4}), RandomCodes({3, 4})}, 0);
  ExpectTheirs({RandomCodes({0, 4}), RandomCodes({0, 4})}, 1);
  ExpectTheirs({RandomCodes({2, 0, 3, 3})}, 1);
}

TEST_P(CatOpsTest, SkipsEmptyVectorsAsLibTorchDoes) {
  ExpectTheirs({RandomCodes({3, 4}), RandomCodes({0})}, 0);
  ExpectTheirs({RandomCodes({0}), RandomCodes({3, 4})}, 1);
  ExpectTheirs({RandomCodes({0}), RandomCodes({0})}, 0);
}

TEST_P(CatOpsTest, RefusesWhatDoesNotFit) {
  const at::Tensor q = RandomCodes({3, 4});
  const auto list = [](const std::vector<at::Tensor>& tensors) {
    return c10::List<at::Tensor>(tensors);
  };
  ExpectRefused(ours(), {c10::List<at::Tensor>(), 0, 0.1, 0},
                "at least one tensor");
  ExpectRefused(ours(), {list({q, RandomCodes({3, 5})}), 0, 0.1, 0},
                "do not fit together");
  ExpectRefused(ours(), {list({q, RandomCodes({3})}), 0, 0.1, 0},
                "do not fit together");
  ExpectRefused(ours(), {list({q}), 2, 0.1, 0}, "dimension 2");
  ExpectRefused(ours(), {list({q}), -3, 0.1, 0}, "dimension -3");
  ExpectRefused(ours(), {list({RandomCodes({})}), 0, 0.1, 0}, "dimension 0");
  ExpectRefused(ours(), {list({q, at::ones({3, 4})}), 0, 0.1, 0},
                "takes quint8 tensors");
  ExpectRefused(ours(), {list({q, RandomWeight({3, 4})}), 0, 0.1, 0},
                "takes quint8 tensors");
  ExpectRefused(ours(),
                {list({q}), 0, std::numeric_limits<double>::quiet_NaN(), 0},
                "positive and finite");
  ExpectRefused(ours(), {list({q}), 0, 0.1, 300}, "must be 0 to 255");
}

}  // namespace
}  // namespace ns

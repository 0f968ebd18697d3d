#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
constexpr char kOp[] = "ns::fbgemm_mean";

class MeanOpTest : public ::testing::Test {
 protected:
  MeanOpTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
};

TEST_F(MeanOpTest, GivesLibTorchsCodesInAllLayouts) {
  for (const Ints& dim :
       {Ints{2, 3}, Ints{-1, -2}, Ints{1}, Ints{-1}, Ints{0}, Ints{0, 2},
        Ints{1, 3}, Ints{0, 1, 2, 3}, Ints{3, 0}}) {
    for (const Ints& sizes :
         {Ints{2, 70, 7, 7}, Ints{3, 5, 1, 9}, Ints{1, 1, 1, 1}}) {
      for (const int64_t zero_point : {0, 64, 65, 255}) {
        for (const auto& [name, x] :
             Layouts(RandomCodes(sizes, 0.05, zero_point))) {
          SCOPED_TRACE(name);
          for (const bool keepdim : {false, true}) {
            ExpectSameCodes(Output(kOp, {x, dim, keepdim}),
                            at::mean(x, dim, keepdim));
          }
        }
      }
    }
  }
}

TEST_F(MeanOpTest, AveragesOddNumbersOfCodesAsLibTorchDoes) {
  for (const auto& [name, x] : Layouts(RandomCodes({4, 33, 7, 7}))) {
    SCOPED_TRACE(name);
    ExpectSameCodes(Output(kOp, {x, Ints{2, 3}, false}), at::mean(x, {2, 3}));
  }
}

TEST_F(MeanOpTest, DecidesTiesOfInnerDimensionsAsLibTorchDoes) {
  for (const int64_t zero_point : {0, 64, 65, 255}) {
    for (const int64_t columns : {2, 4, 6, 16, 36, 130}) {
      const at::Tensor x = RandomCodes({40, 3, columns}, 0.05, zero_point);
      for (const Ints& dim : {Ints{-1}, Ints{2, 1}, Ints{0, 1, 2}, Ints{}}) {
        ExpectSameCodes(Output(kOp, {x, dim, true}), at::mean(x, dim, true));
      }
    }
  }
}

// LibTorch averages floats there, whose rounding errors decide ties: up to one
// code in fifteen is one, of few codes each.
TEST_F(MeanOpTest, DecidesTiesOfOuterDimensionsAsLibTorchDoes) {
  for (const double scale : {0.05, 0.0123, 1.7, 1e-20}) {
    for (const int64_t rows : {2, 3, 4, 6, 8, 12, 64, 196, 1000, 1001, 5001}) {
      for (const int64_t columns : {1, 5, 8, 70}) {
        const at::Tensor x = RandomCodes({rows, 2, columns}, scale, 65);
        ExpectSameCodes(Output(kOp, {x, Ints{0}, false}), at::mean(x, {0}));
        const at::Tensor image =
            RandomCodes({2, columns, rows, 1}, scale, 64)
                .contiguous(at::MemoryFormat::ChannelsLast);
        ExpectSameCodes(Output(kOp, {image, Ints{2, 3}, true}),
                        at::mean(image, {2, 3}, true));
      }
    }
  }
}

TEST_F(MeanOpTest, HeedsNoScale) {
  for (const double scale : {0.0, 1e-46, 1e39}) {
    const at::Tensor x = RandomCodes({8, 16}, scale, 3);
    const at::Tensor of_one =
        at::_make_per_tensor_quantized_tensor(x.int_repr(), 1.0, 3);
    EXPECT_TRUE(Output(kOp, {x, Ints{0}, false})
                    .int_repr()
                    .equal(Output(kOp, {of_one, Ints{0}, false}).int_repr()));
  }
}

TEST_F(MeanOpTest, AveragesAllDimensionsWhenNoneAreGiven) {
  const at::Tensor x = RandomCodes({3, 5, 7});
  const at::Tensor expected = Output(kOp, {x, Ints{0, 1, 2}, false});
  EXPECT_EQ(expected.dim(), 0);
  ExpectSameCodes(Output(kOp, {x, c10::IValue(), false}), expected);
  ExpectSameCodes(Output(kOp, {x, Ints{}, false}), expected);
}

TEST_F(MeanOpTest, KeepsTensorsWithoutDimensions) {
  const at::Tensor x = RandomCodes({});
  ExpectSameCodes(Output(kOp, {x, c10::IValue(), false}), x);
}

TEST_F(MeanOpTest, LeavesSumsThatDoNotFitToLibTorch) {
  const at::Tensor x = at::_make_per_tensor_quantized_tensor(
      at::full({(1 << 23) + 3}, 255, at::kByte), 0.05, 0);
  ExpectSameCodes(Output(kOp, {x, Ints{0}, false}), at::mean(x, {0}));
}

TEST_F(MeanOpTest, GivesNoElementsOfNoRows) {
  EXPECT_EQ(Output(kOp, {RandomCodes({0, 3, 4, 4}), Ints{2, 3}, true}).sizes(),
            at::IntArrayRef({0, 3, 1, 1}));
}

TEST_F(MeanOpTest, GivesOfNothingWhatLibTorchDoes) {
  for (const Ints& sizes : {Ints{2, 3, 0, 4}, Ints{2, 0, 0, 4}}) {
    const at::Tensor x = RandomCodes(sizes);
    ExpectSameCodes(Output(kOp, {x, Ints{2, 3}, false}), at::mean(x, {2, 3}));
  }
}

TEST_F(MeanOpTest, RefusesOtherInputs) {
  ExpectRefused(kOp, {at::ones({2, 3}), Ints{1}, false},
                "takes quint8 tensors");
  ExpectRefused(kOp, {RandomCodes({2, 3}), Ints{2}, false}, "out of range");
  ExpectRefused(kOp, {RandomCodes({2, 3}), Ints{1, 1}, false},
                "appears multiple times");
}

}  // namespace
}  // namespace ns

#include <ATen/Context.h>
#include <ATen/Functions.h>

#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;

Arguments OfChannels(const at::Tensor& x) {
  const int64_t channels = x.dim() > 1 ? x.size(1) : 1;
  return {x,
          at::rand({channels}).add(0.5),
          at::randn({channels}),
          at::randn({channels}),
          at::rand({channels}).add(0.2),
          1e-5,
          0.06,
          int64_t{90}};
}

class BatchNormOpsTest : public ::testing::Test {
 protected:
  BatchNormOpsTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
};

TEST_F(BatchNormOpsTest, GiveLibTorchsCodesInAllLayouts) {
  for (const Ints& sizes :
       {Ints{5, 7}, Ints{2, 19, 11}, Ints{2, 64, 5, 3}, Ints{1, 3, 8, 8},
        Ints{3, 130, 2, 2}, Ints{2, 33, 3, 2, 4}}) {
    for (const int64_t zero_point : {0, 64, 255}) {
      for (const auto& [name, x] :
           Layouts(RandomCodes(sizes, 0.05, zero_point))) {
        SCOPED_TRACE(name);
        const Arguments arguments = OfChannels(x);
        ExpectSameCodes(Output("ns::fbgemm_batch_norm", arguments),
                        Output("quantized::batch_norm", arguments));
        ExpectSameCodes(Output("ns::fbgemm_batch_norm_relu", arguments),
                        Output("quantized::batch_norm_relu", arguments));
      }
    }
  }
}

TEST_F(BatchNormOpsTest, TakeWhatIsMissingForOneAndZero) {
  const at::Tensor x = RandomCodes({2, 3, 4, 5});
  Arguments arguments = OfChannels(x);
  arguments[1] = at::ones({3});
  arguments[2] = at::zeros({3});
  const at::Tensor expected = Output("ns::fbgemm_batch_norm", arguments);
  arguments[1] = c10::IValue();
  arguments[2] = c10::IValue();
  ExpectSameCodes(Output("ns::fbgemm_batch_norm", arguments), expected);
}

TEST_F(BatchNormOpsTest, TakeTensorsWithoutElements) {
  for (const Ints& sizes :
       {Ints{0, 3, 4, 4}, Ints{2, 0, 4, 4}, Ints{2, 3, 0}}) {
    EXPECT_EQ(
        Output("ns::fbgemm_batch_norm", OfChannels(RandomCodes(sizes))).sizes(),
        at::IntArrayRef(sizes));
  }
}

TEST_F(BatchNormOpsTest, RefuseOtherInputs) {
  const std::string op = "ns::fbgemm_batch_norm";
  const Arguments good = OfChannels(RandomCodes({2, 3, 4, 5}));
  const auto with = [&](size_t index, const c10::IValue& value) {
    Arguments arguments = good;
    arguments[index] = value;
    return arguments;
  };
  ExpectRefused(op, with(0, at::ones({2, 3, 4, 5})), "takes quint8 tensors");
  ExpectRefused(op, with(0, RandomCodes({3})), "takes 2 to 5 dimensions");
  for (const size_t parameter : {1, 2, 3, 4}) {
    ExpectRefused(op, with(parameter, at::ones({4})), "must be 3 floats");
    ExpectRefused(op, with(parameter, at::ones({3}, at::kDouble)),
                  "must be 3 floats");
  }
  ExpectRefused(op, with(6, 0.0), "positive and finite");
  ExpectRefused(op, with(7, int64_t{256}), "must be 0 to 255");
}

}  // namespace
}  // namespace ns

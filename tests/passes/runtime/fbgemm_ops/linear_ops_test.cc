#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "gtest/gtest.h"
#include "passes/runtime/fbgemm_ops/fbgemm_linear.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();
// onednn rounds biases to 32-bit sums, fbgemm does not.
constexpr double kBiasesRounded = 0.02;

c10::IValue Layer(const at::Tensor& weight, const at::Tensor& bias = {}) {
  return c10::make_intrusive<FbgemmLinear>(weight, bias,
                                           kernels::SaturationMode::kExact);
}

at::Tensor Packed(const std::string& op, const at::Tensor& x,
                  const at::Tensor& weight, const at::Tensor& bias,
                  Arguments rest) {
  std::vector<c10::IValue> stack = {weight,
                                    bias.defined() ? bias : c10::IValue()};
  const c10::IValue packed = PackedBy("quantized::linear_prepack", stack);
  rest.insert(rest.begin(), {x, packed});
  return Output("quantized::" + op, rest);
}

class LinearOpsTest : public ::testing::Test {
 protected:
  LinearOpsTest() {
    at::globalContext().setQEngine(at::kONEDNN);
    at::manual_seed(1);
  }
};

TEST_F(LinearOpsTest, GiveLibTorchsCodes) {
  for (const int64_t k : {1, 3, 64, 130}) {
    for (const int64_t n : {1, 5, 48, 97}) {
      for (const int64_t zero_point : {0, 77, 255}) {
        for (const auto& weight :
             {RandomWeight({n, k}), RandomWeightPerChannel({n, k})}) {
          for (const auto& bias : {at::Tensor(), at::randn({n})}) {
            SCOPED_TRACE(std::to_string(k) + " to " + std::to_string(n) +
                         " of zero point " + std::to_string(zero_point));
            const at::Tensor x = RandomCodes({9, k}, 0.03, zero_point);
            const Arguments rest = {0.3, 255 - zero_point};
            for (const std::string op : {"linear", "linear_relu"}) {
              ExpectNearCodes(
                  Output("ns::fbgemm_" + op,
                         {x, Layer(weight, bias), 0.3, 255 - zero_point}),
                  Packed(op, x, weight, bias, rest), kBiasesRounded);
            }
          }
        }
      }
    }
  }
}

// Kernels round it to float; the tensor does not.
TEST_F(LinearOpsTest, GiveTheScaleTheyAreGiven) {
  const at::Tensor y =
      Output("ns::fbgemm_linear",
             {RandomCodes({2, 3}), Layer(RandomWeight({4, 3}), at::Tensor()),
              0.1, int64_t{80}});
  EXPECT_EQ(y.q_scale(), 0.1);
}

TEST_F(LinearOpsTest, TakeAllLayoutsAndRanks) {
  const at::Tensor weight = RandomWeightPerChannel({11, 6});
  const at::Tensor bias = at::randn({11});
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {6}, {1, 6}, {4, 6}, {2, 3, 6}, {2, 3, 4, 6}, {2, 3, 2, 2, 6}}) {
    for (const auto& [name, x] : Layouts(RandomCodes(sizes))) {
      SCOPED_TRACE(name);
      const at::Tensor out =
          Output("ns::fbgemm_linear", {x, Layer(weight, bias), 0.3, 101});
      if (sizes.size() > 1) {
        ExpectNearCodes(out,
                        Packed("linear", x, weight, bias, {0.3, int64_t{101}}),
                        kBiasesRounded);
      }
      ExpectSameCodes(out,
                      Output("ns::fbgemm_linear",
                             {x.contiguous(), Layer(weight, bias), 0.3, 101}));
    }
  }
}

TEST_F(LinearOpsTest, TakeInputsWithoutRows) {
  const c10::IValue layer = Layer(RandomWeight({5, 4}));
  EXPECT_EQ(
      Output("ns::fbgemm_linear", {RandomCodes({0, 4}), layer, 0.1, 0}).sizes(),
      at::IntArrayRef({0, 5}));
  EXPECT_EQ(Output("ns::fbgemm_linear_dynamic",
                   {at::ones({3, 0, 4}), layer, false, false})
                .sizes(),
            at::IntArrayRef({3, 0, 5}));
  EXPECT_EQ(
      Output("ns::fbgemm_linear_float", {RandomCodes({0, 4}), layer}).sizes(),
      at::IntArrayRef({0, 5}));
}

TEST_F(LinearOpsTest, GiveBiasesForInputsWithoutColumns) {
  const at::Tensor bias = at::arange(5, at::kFloat);
  const c10::IValue layer = Layer(RandomWeight({5, 0}), bias);
  ExpectSameCodes(
      Output("ns::fbgemm_linear", {RandomCodes({2, 0}), layer, 0.5, 7}),
      at::quantize_per_tensor(bias.expand({2, 5}), 0.5, 7, at::kQUInt8));
}

TEST_F(LinearOpsTest, TakeLayersWithoutOutputs) {
  const c10::IValue layer = Layer(RandomWeight({0, 4}));
  EXPECT_EQ(
      Output("ns::fbgemm_linear", {RandomCodes({3, 4}), layer, 0.1, 0}).sizes(),
      at::IntArrayRef({3, 0}));
}

TEST_F(LinearOpsTest, ClampAsAClampBehindThemDoes) {
  const at::Tensor weight = RandomWeightPerChannel({40, 20});
  const at::Tensor x = RandomCodes({30, 20});
  const c10::IValue layer = Layer(weight, at::randn({40}));
  const at::Tensor plain = Output("ns::fbgemm_linear", {x, layer, 0.05, 100});
  const std::vector<std::pair<double, double>> bounds = {
      {0, 6}, {-1, 1}, {3, -3}, {-kInf, 1}, {-2, kInf}, {-1e30, 1e30}};
  for (const auto& [min, max] : bounds) {
    ExpectSameCodes(
        Output("ns::fbgemm_linear_clamp", {x, layer, 0.05, 100, min, max}),
        Output("ns::fbgemm_clamp", {plain, min, max}));
  }
}

// The codes of x, multiplied in double.
at::Tensor DynamicReference(const at::Tensor& x, const at::Tensor& weight,
                            const at::Tensor& bias, bool reduce_range) {
  const auto [scale, zero_point] =
      at::_choose_qparams_per_tensor(x, reduce_range);
  const at::Tensor codes =
      at::quantize_per_tensor(x, scale, zero_point, at::kQUInt8);
  const at::Tensor values = at::matmul(codes.dequantize().to(at::kDouble),
                                       weight.dequantize().to(at::kDouble).t());
  return (bias.defined() ? values + bias : values).to(at::kFloat);
}

void ExpectNear(const at::Tensor& ours, const at::Tensor& theirs) {
  ASSERT_EQ(ours.sizes(), theirs.sizes());
  EXPECT_EQ(ours.scalar_type(), at::kFloat);
  const float largest = theirs.abs().max().item<float>();
  EXPECT_LE(ours.sub(theirs).abs().max().item<float>(), 1e-6f * largest)
      << "of " << largest;
}

TEST_F(LinearOpsTest, AreDynamicAsLibTorchs) {
  for (const bool reduce_range : {false, true}) {
    for (const int64_t k : {1, 7, 64}) {
      for (const auto& bias : {at::Tensor(), at::randn({33})}) {
        for (const auto& base :
             {at::randn({6, k}), at::rand({6, k}) + 1, -at::rand({6, k}) - 1,
              at::zeros({6, k}), at::randn({6, k}) * 1e-6,
              at::randn({6, k}) * 1e30}) {
          const at::Tensor weight = RandomWeightPerChannel({33, k});
          for (const at::Tensor& x : {base, base.t().contiguous().t()}) {
            SCOPED_TRACE(std::to_string(k) + " columns from " +
                         std::to_string(x.min().item<float>()) + " to " +
                         std::to_string(x.max().item<float>()) +
                         (reduce_range ? " in 7 bits" : " in 8 bits"));
            const at::Tensor ours =
                Output("ns::fbgemm_linear_dynamic",
                       {x, Layer(weight, bias), reduce_range, false});
            const at::Tensor reference =
                DynamicReference(x, weight, bias, reduce_range);
            ExpectNear(ours, reference);
            EXPECT_TRUE(Output("ns::fbgemm_linear_relu_dynamic",
                               {x, Layer(weight, bias), reduce_range, false})
                            .equal(ours.relu()));
            {
              SCOPED_TRACE("LibTorch");
              ExpectNear(
                  Packed("linear_dynamic", x, weight, bias, {reduce_range}),
                  reference);
            }
          }
        }
      }
    }
  }
}

TEST_F(LinearOpsTest, GiveFloatsThatAreNeitherRoundedNorClipped) {
  for (const int64_t k : {1, 64, 130}) {
    for (const auto& weight :
         {RandomWeight({37, k}), RandomWeightPerChannel({37, k})}) {
      for (const auto& bias : {at::Tensor(), at::randn({37})}) {
        for (const auto& [name, x] : Layouts(RandomCodes({2, 5, k}, 0.3, 77))) {
          SCOPED_TRACE(std::to_string(k) + " columns, " + name);
          const at::Tensor values =
              at::matmul(x.dequantize().to(at::kDouble),
                         weight.dequantize().to(at::kDouble).t());
          const at::Tensor ours =
              Output("ns::fbgemm_linear_float", {x, Layer(weight, bias)});
          ExpectNear(ours,
                     (bias.defined() ? values + bias : values).to(at::kFloat));
          EXPECT_TRUE(
              Output("ns::fbgemm_linear_relu_float", {x, Layer(weight, bias)})
                  .equal(ours.relu()));
        }
      }
    }
  }
}

TEST_F(LinearOpsTest, ClampFloatsToBoundsAsTheyAre) {
  const at::Tensor x = RandomCodes({30, 20});
  const c10::IValue layer = Layer(RandomWeight({40, 20}), at::randn({40}));
  const at::Tensor plain = Output("ns::fbgemm_linear_float", {x, layer});
  const std::vector<std::pair<double, double>> bounds = {
      {0, 6}, {-0.123, 0.456}, {3, -3}, {-kInf, 1}, {-2, kInf}};
  for (const auto& [min, max] : bounds) {
    EXPECT_TRUE(Output("ns::fbgemm_linear_clamp_float", {x, layer, min, max})
                    .equal(plain.clamp(min, max)))
        << min << " to " << max;
  }
}

TEST_F(LinearOpsTest, AddAsAFloatAddBehindThemDoes) {
  const at::Tensor weight = RandomWeightPerChannel({6, 20});
  const at::Tensor bias = at::randn({6});
  const at::Tensor x = RandomCodes({3, 5, 20});
  const at::Tensor floats =
      at::linear(x.dequantize(), weight.dequantize(), bias);
  for (const auto& sizes : std::vector<std::vector<int64_t>>{
           {3, 5, 6}, {5, 6}, {6}, {1, 5, 1}, {2, 3, 5, 6}}) {
    for (const auto& [name, other] : Layouts(RandomCodes(sizes, 0.05, 30))) {
      SCOPED_TRACE(name);
      const at::Tensor sum = floats + other.dequantize();
      const c10::IValue layer = Layer(weight, bias);
      ExpectNearCodes(
          Output("ns::fbgemm_linear_add", {x, layer, other, 0.2, 80}),
          at::quantize_per_tensor(sum, 0.2, 80, at::kQUInt8), 0.001);
      ExpectNearCodes(
          Output("ns::fbgemm_linear_add_relu", {x, layer, other, 0.2, 80}),
          at::quantize_per_tensor(sum.relu(), 0.2, 80, at::kQUInt8), 0.001);
    }
  }
}

TEST_F(LinearOpsTest, KeepNansOfBiasesInFloats) {
  const c10::IValue layer = Layer(RandomWeight({5, 4}), at::full({5}, kNan));
  const at::Tensor x = RandomCodes({2, 4});
  for (const auto& y :
       {Output("ns::fbgemm_linear_float", {x, layer}),
        Output("ns::fbgemm_linear_relu_float", {x, layer}),
        Output("ns::fbgemm_linear_clamp_float", {x, layer, -1.0, 1.0})}) {
    EXPECT_TRUE(y.isnan().all().item<bool>());
  }
}

// Inputs near a tie: the engine adds the zero point before it rounds.
TEST_F(LinearOpsTest, RoundAsOneDnnWhenToldTo) {
  at::manual_seed(3);
  const at::Tensor weight =
      at::quantize_per_tensor(at::eye(512), 1.0 / 127, 0, at::kQInt8);
  bool differs = false;
  for (const bool reduce_range : {false, true}) {
    for (int i = 0; i < 20; ++i) {
      const at::Tensor x = at::randn({64, 512}) + 0.1 * i;
      const at::Tensor theirs =
          Packed("linear_dynamic", x, weight, at::Tensor(), {reduce_range});
      const at::Tensor as_onednn =
          Output("ns::fbgemm_linear_dynamic",
                 {x, Layer(weight, at::Tensor()), reduce_range, true});
      ExpectNear(as_onednn, theirs);
      const at::Tensor as_fbgemm =
          Output("ns::fbgemm_linear_dynamic",
                 {x, Layer(weight, at::Tensor()), reduce_range, false});
      differs |= !at::allclose(as_fbgemm, theirs, 1e-5, 1e-5);
    }
  }
  EXPECT_TRUE(differs);
}

TEST_F(LinearOpsTest, RefuseInfinitiesWhenDynamic) {
  const c10::IValue layer = Layer(RandomWeight({5, 4}));
  at::Tensor x = at::randn({2, 4});
  x[1][2] = kInf;
  ExpectRefused("ns::fbgemm_linear_dynamic", {x, layer, false, false},
                "holds infinities");
  x[1][2] = -kInf;
  ExpectRefused("ns::fbgemm_linear_dynamic", {x, layer, true, false},
                "holds infinities");
}

TEST_F(LinearOpsTest, SurviveNansWhenDynamic) {
  const c10::IValue layer = Layer(RandomWeight({5, 4}));
  at::Tensor x = at::randn({2, 4});
  x[1][2] = kNan;
  EXPECT_TRUE(Output("ns::fbgemm_linear_dynamic", {x, layer, false, false})[0]
                  .isfinite()
                  .all()
                  .item<bool>());
  Output("ns::fbgemm_linear_dynamic",
         {at::full({2, 4}, kNan), layer, false, false});
}

TEST_F(LinearOpsTest, TakeHugeAndTinyScales) {
  for (const double in : {1e-45, 1e-30, 1e30, 3e38}) {
    for (const double out : {1e-45, 1e-30, 1e30, 3e38}) {
      for (const auto& bias : {at::Tensor(), at::full({5}, kNan),
                               at::full({5}, kInf), at::randn({5})}) {
        EXPECT_EQ(Output("ns::fbgemm_linear",
                         {RandomCodes({3, 4}, in),
                          Layer(RandomWeight({5, 4}), bias), out, 128})
                      .numel(),
                  15);
      }
    }
  }
}

TEST_F(LinearOpsTest, RefuseOtherInputs) {
  const c10::IValue layer = Layer(RandomWeight({5, 4}));
  const at::Tensor per_channel = at::_make_per_channel_quantized_tensor(
      at::ones({2, 4}, at::kByte), at::ones({2}, at::kDouble),
      at::zeros({2}, at::kLong), 0);
  for (const at::Tensor& bad :
       {at::ones({2, 4}), RandomWeight({2, 4}), per_channel, at::Tensor()}) {
    ExpectRefused("ns::fbgemm_linear", {bad, layer, 0.1, 0},
                  "takes quint8 tensors");
  }
  ExpectRefused("ns::fbgemm_linear_add",
                {RandomCodes({2, 4}), layer, at::ones({2, 5}), 0.1, 0},
                "takes quint8 tensors");
  ExpectRefused("ns::fbgemm_linear_add",
                {RandomCodes({2, 4}), layer, RandomCodes({2, 5}), kNan, 0},
                "positive and finite");
  ExpectRefused("ns::fbgemm_linear_float", {at::ones({2, 4}), layer},
                "takes quint8 tensors");
  ExpectRefused("ns::fbgemm_linear", {RandomCodes({2, 5}), layer, 0.1, 0},
                "takes 4 columns");
  ExpectRefused("ns::fbgemm_linear", {RandomCodes({}), layer, 0.1, 0},
                "takes 4 columns");
  for (const double scale : {0.0, -0.5, kInf, kNan}) {
    ExpectRefused("ns::fbgemm_linear", {RandomCodes({2, 4}), layer, scale, 0},
                  "positive and finite");
  }
  ExpectRefused("ns::fbgemm_linear", {RandomCodes({2, 4}), layer, 0.1, 256},
                "must be 0 to 255");
  for (const at::Tensor& bad :
       {RandomCodes({2, 4}), at::ones({2, 4}, at::kDouble),
        at::ones({2, 4}, at::kHalf)}) {
    ExpectRefused("ns::fbgemm_linear_dynamic", {bad, layer, false, false},
                  "takes float tensors");
  }
  ExpectRefused("ns::fbgemm_linear_dynamic",
                {at::ones({2, 3}), layer, false, false}, "takes 4 columns");
  ExpectRefused("ns::fbgemm_linear_dynamic",
                {at::Tensor(), layer, false, false}, "");
}

TEST_F(LinearOpsTest, RefuseOtherClasses) {
  const c10::IValue packed = PackedBy("quantized::linear_prepack",
                                      {RandomWeight({5, 4}), c10::IValue()});
  ExpectRefused("ns::fbgemm_linear", {RandomCodes({2, 4}), packed, 0.1, 0}, "");
}

using State = std::tuple<at::Tensor, c10::optional<at::Tensor>, std::string>;

TEST_F(LinearOpsTest, GiveTheSameCodesWhenLoaded) {
  const at::Tensor x = RandomCodes({7, 20});
  for (const auto& weight :
       {RandomWeight({30, 20}), RandomWeightPerChannel({30, 20}),
        RandomWeight({20, 30}).t()}) {
    for (const auto& bias : {at::Tensor(), at::randn({30})}) {
      const c10::IValue layer = Layer(weight, bias);
      ExpectSameCodes(Output("ns::fbgemm_linear", {x, Reloaded(layer), 0.1, 7}),
                      Output("ns::fbgemm_linear", {x, layer, 0.1, 7}));
    }
  }
}

TEST_F(LinearOpsTest, RefuseDamagedState) {
  const at::Tensor weight = RandomWeight({5, 4});
  const auto refuse = [](State state, const std::string& why) {
    ExpectStateRefused("FbgemmLinear", c10::IValue(std::move(state)), why);
  };
  refuse({at::ones({5, 4}), c10::nullopt, "exact"}, "must be a qint8 matrix");
  refuse({RandomCodes({5, 4}), c10::nullopt, "exact"},
         "must be a qint8 matrix");
  refuse({RandomWeight({5}), c10::nullopt, "exact"}, "must be a qint8 matrix");
  refuse({RandomWeightPerChannel({5, 4}, 1), c10::nullopt, "exact"},
         "each index of dimension 0");
  refuse({weight, at::ones({4}), "exact"}, "bias must be 5 floats");
  refuse({weight, at::ones({5}, at::kLong), "exact"}, "bias must be 5 floats");
  refuse({weight, at::ones({5, 1}), "exact"}, "bias must be 5 floats");
  refuse({weight, c10::nullopt, "magic"}, "unknown numerics 'magic'");
  refuse({at::Tensor(), c10::nullopt, "exact"}, "must be a qint8 matrix");
}

}  // namespace
}  // namespace ns

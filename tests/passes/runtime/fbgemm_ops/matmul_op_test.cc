#include <ATen/Functions.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "gtest/gtest.h"
#include "passes/kernels/gemm/matmul.h"
#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

namespace ns {
namespace {

using Ints = std::vector<int64_t>;
constexpr char kOurs[] = "ns::fbgemm_matmul";
constexpr char kTheirs[] = "quantized::matmul";

void ExpectTheirs(const at::Tensor& a, const at::Tensor& b) {
  const Arguments arguments = {a, b, 0.2137, int64_t{120}};
  // LibTorch adds up in float, which moves ties.
  ExpectNearCodes(Output(kOurs, arguments), Output(kTheirs, arguments), 0.01);
}

// Sizes of operands that aten::matmul takes.
std::vector<std::pair<Ints, Ints>> Sizes() {
  return {
      {{4, 5}, {5, 6}},
      {{2, 3, 17, 64}, {2, 3, 64, 17}},
      {{1, 3, 4, 5}, {2, 3, 5, 6}},
      {{3, 4, 5}, {2, 1, 5, 6}},
      {{4, 5}, {3, 5, 6}},
      {{2, 3, 4, 5}, {5, 6}},
      {{5}, {5}},
      {{5}, {5, 3}},
      {{5}, {2, 5, 3}},
      {{4, 5}, {5}},
      {{2, 3, 4, 5}, {5}},
      {{0, 4, 5}, {0, 5, 6}},
      {{2, 4, 0}, {2, 0, 6}},
      {{2, 0, 5}, {2, 5, 6}},
      {{1, 1, 1, 1}, {1, 1, 1, 1}},
  };
}

TEST(MatMulOpTest, GivesLibTorchsCodesInAllLayouts) {
  for (const auto& [a_sizes, b_sizes] : Sizes()) {
    for (const int64_t zero_point : {0, 77, 128, 255}) {
      const auto a_layouts = Layouts(RandomCodes(a_sizes, 0.05, zero_point));
      const auto b_layouts = Layouts(RandomCodes(b_sizes, 0.02, 130));
      for (const auto& [a_name, a] : a_layouts) {
        for (const auto& [b_name, b] : b_layouts) {
          SCOPED_TRACE(a_name + " by " + b_name);
          ExpectTheirs(a, b);
        }
      }
    }
  }
}

// The views of which attention is made.
TEST(MatMulOpTest, TakesHeadsWhereTheyLie) {
  const auto heads = [](const at::Tensor& x) {
    return x.view({2, 19, 3, 8}).transpose(1, 2);
  };
  const at::Tensor q = RandomCodes({2, 19, 24});
  const at::Tensor k = RandomCodes({2, 19, 24}, 0.03, 100);
  ExpectTheirs(heads(q), heads(k).transpose(2, 3));
  ExpectTheirs(RandomCodes({2, 3, 19, 19}, 1.0 / 256, 0), heads(k));
  ExpectTheirs(heads(q).transpose(2, 3), heads(k));
}

TEST(MatMulOpTest, TakesSumsThatLeaveInt32) {
  const int64_t k = kernels::kMostMatMulK + 1;
  const at::Tensor most = at::_make_per_tensor_quantized_tensor(
      at::full({k}, 255, at::kByte), 1.0, 0);
  const at::Tensor out =
      Output(kOurs, {most, most, 65025.0 * static_cast<double>(k) / 200, 0});
  EXPECT_EQ(out.int_repr().item<int64_t>(), 200);
}

TEST(MatMulOpTest, RefusesOtherInputs) {
  const at::Tensor q = RandomCodes({5, 5});
  for (const at::Tensor& bad :
       {at::ones({5, 5}), RandomWeight({5, 5}), at::Tensor()}) {
    ExpectRefused(kOurs, {bad, q, 0.1, 0}, "takes quint8 tensors");
    ExpectRefused(kOurs, {q, bad, 0.1, 0}, "takes quint8 tensors");
  }
  ExpectRefused(kOurs, {q, RandomCodes({4, 5}), 0.1, 0},
                "multiplies 5 columns by 4 rows");
  ExpectRefused(kOurs, {RandomCodes({2, 5, 5}), RandomCodes({3, 5, 5}), 0.1, 0},
                "must match");
  ExpectRefused(kOurs, {RandomCodes({}), q, 0.1, 0}, "takes vectors");
  ExpectRefused(kOurs, {q, q, 0.0, 0}, "positive and finite");
  ExpectRefused(kOurs, {q, q, 0.1, 256}, "must be 0 to 255");
}

}  // namespace
}  // namespace ns

#include "tools/bench/kernels/embedding_cases.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "passes/kernels/embedding/embedding.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"
#include "tools/bench/kernels/torch_peer.h"

namespace ns::bench {
namespace {

constexpr int64_t kColumns = 128;
constexpr int64_t kBag = 32;

OperatorCase Case(int64_t table_rows, int64_t bags) {
  const at::Tensor packed =
      CallOperator("quantized::embedding_bag_byte_prepack", "",
                   {at::randn({table_rows, kColumns})})[0]
          .toTensor();
  const at::Tensor indices = at::randint(table_rows, {bags * kBag}, at::kLong);
  const at::Tensor offsets = at::arange(0, bags * kBag, kBag, at::kLong);
  const at::Tensor out = at::zeros({bags, kColumns});
  const auto expected = std::make_shared<at::Tensor>();
  const auto ours = [=] {
    const kernels::EmbeddingTable table{packed.data_ptr<uint8_t>(), table_rows,
                                        kColumns, 8};
    kernels::EmbeddingBags<int64_t> all;
    all.indices = indices.data_ptr<int64_t>();
    all.index_count = indices.numel();
    all.offsets = offsets.data_ptr<int64_t>();
    all.offset_count = offsets.numel();
    kernels::EmbeddingBag(table, all, out.data_ptr<float>(), TorchParallel);
  };
  const auto torch = [=] {
    *expected =
        CallOperator("quantized::embedding_bag_byte_rowwise_offsets", "",
                     {packed, indices, offsets, false, 0, false, c10::IValue(),
                      c10::IValue(), false})[0]
            .toTensor();
  };
  const int64_t read = bags * kBag * kernels::EmbeddingRowBytes(8, kColumns);
  const int64_t written = bags * kColumns * 4;
  return {absl::StrCat("embedding_bag_byte ", table_rows >> 10, " Ki"),
          read + written,
          written,
          ours,
          torch,
          [=]() -> std::string {
            return at::allclose(out, *expected, 1e-4, 1e-4) ? ""
                                                            : "sums differ";
          }};
}

}  // namespace

std::vector<OperatorCase> EmbeddingCases(int64_t bags) {
  // Tables of 1/8, 2 and 34 MB.
  return {Case(1 << 10, bags), Case(1 << 14, bags), Case(1 << 18, bags)};
}

}  // namespace ns::bench

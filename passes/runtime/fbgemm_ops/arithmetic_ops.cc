// ns::fbgemm_add, mul and cat, with and without relu: what quantized::add, mul
// and cat take, of tensors.
#include <ATen/ExpandUtils.h>
#include <ATen/Functions.h>
#include <ATen/core/List.h>
#include <torch/library.h>

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "passes/kernels/elementwise/add.h"
#include "passes/kernels/elementwise/clamp.h"
#include "passes/kernels/elementwise/dequantize.h"
#include "passes/kernels/elementwise/dequantize_formula.h"
#include "passes/kernels/elementwise/multiply.h"
#include "passes/kernels/elementwise/quantize.h"
#include "passes/kernels/elementwise/requantize.h"
#include "passes/kernels/parallel.h"
#include "passes/kernels/qparams.h"
#include "passes/runtime/fbgemm_ops/quantized_data.h"
#include "passes/runtime/fbgemm_ops/repeated_operand.h"
#include "passes/runtime/fbgemm_ops/torch_parallel.h"

namespace ns {
namespace {

kernels::QuantizedOperand Operand(const at::Tensor& x) {
  return {QuantizedDataOf(x), QParamsOf(x)};
}

// Gives both one shape, dense in one order of dimensions.
std::tuple<at::Tensor, at::Tensor> Aligned(const at::Tensor& a,
                                           const at::Tensor& b) {
  if (a.sizes() == b.sizes()) {
    const at::Tensor dense = Dense(a);
    return {dense, LaidOutAs(b, dense)};
  }
  const std::vector<at::Tensor> both = at::broadcast_tensors({a, b});
  return {both[0].contiguous(), both[1].contiguous()};
}

using Kernel = void (*)(kernels::QuantizedOperand, kernels::QuantizedOperand,
                        int64_t, bool, kernels::QParams, uint8_t*,
                        kernels::Parallel);

// A kernel of two operands, of which one is broadcast to the sizes of the
// other, if Repeated can. The output is laid out as the other is.
std::optional<at::Tensor> BinaryOfRepeated(Kernel kernel, const at::Tensor& a,
                                           const at::Tensor& b, bool relu,
                                           double scale, int64_t zero_point) {
  const auto sizes = at::infer_size(a.sizes(), b.sizes());
  const bool is_a_whole = a.sizes() == sizes;
  if (!is_a_whole && b.sizes() != sizes) {
    return std::nullopt;
  }
  const at::Tensor whole = Dense(is_a_whole ? a : b);
  const std::optional<RepeatedOperand> repeated =
      Repeated(is_a_whole ? b : a, whole);
  if (!repeated) {
    return std::nullopt;
  }
  at::Tensor out = EmptyQuantizedLike(whole, scale, zero_point);
  const kernels::QParams qparams = QParamsOf(out);
  uint8_t* const to = MutableQuantizedDataOf(out);
  ForRepeated(*repeated, TorchParallel,
              [&](int64_t begin, int64_t count, const uint8_t* values) {
                const kernels::QuantizedOperand operand = {
                    QuantizedDataOf(whole) + begin, QParamsOf(whole)};
                const kernels::QuantizedOperand other = {
                    values, QParamsOf(repeated->values)};
                kernel(is_a_whole ? operand : other,
                       is_a_whole ? other : operand, count, relu, qparams,
                       to + begin, kernels::Serial);
              });
  return out;
}

at::Tensor Binary(const char* op, Kernel kernel, const at::Tensor& a,
                  const at::Tensor& b, bool relu, double scale,
                  int64_t zero_point) {
  CheckQuantized(a, op);
  CheckQuantized(b, op);
  CheckQParams(scale, zero_point, op);
  if (a.sizes() != b.sizes()) {
    if (auto out = BinaryOfRepeated(kernel, a, b, relu, scale, zero_point)) {
      return *std::move(out);
    }
  }
  const auto [x, y] = Aligned(a, b);
  at::Tensor out = EmptyQuantizedLike(x, scale, zero_point);
  kernel(Operand(x), Operand(y), out.numel(), relu, QParamsOf(out),
         MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

// Whether LibTorch adds tensors of one shape in vectors, which read quantized
// values with fma: along the dimension in which its output is dense, both have
// their elements side by side.
bool AddsInVectors(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor dense = Dense(a);
  for (int64_t i = 0; i < dense.dim(); ++i) {
    if (dense.size(i) > 1 && dense.stride(i) == 1) {
      return a.stride(i) == 1 && b.stride(i) == 1;
    }
  }
  return true;
}

at::Tensor ValuesOf(const at::Tensor& dense) {
  at::Tensor values =
      at::empty_strided(dense.sizes(), dense.strides(), at::kFloat);
  kernels::Dequantize(QuantizedDataOf(dense), dense.numel(), QParamsOf(dense),
                      values.data_ptr<float>(), TorchParallel);
  return values;
}

// Adds as LibTorch adds one element after the other: it reads quantized values
// by subtraction.
at::Tensor AddOneByOne(const at::Tensor& a, const at::Tensor& b, bool relu,
                       double scale, int64_t zero_point) {
  const at::Tensor dense = Dense(a);
  at::Tensor sum = ValuesOf(dense).add_(ValuesOf(LaidOutAs(b, dense)));
  sum = relu ? sum.clamp_min_(0) : sum;
  at::Tensor out = EmptyQuantizedLike(dense, scale, zero_point);
  kernels::Quantize(sum.data_ptr<float>(), sum.numel(), QParamsOf(out),
                    MutableQuantizedDataOf(out), TorchParallel);
  return out;
}

template <bool kRelu>
at::Tensor Add(const at::Tensor& a, const at::Tensor& b, double scale,
               int64_t zero_point) {
  CheckQuantized(a, "fbgemm_add");
  CheckQuantized(b, "fbgemm_add");
  CheckQParams(scale, zero_point, "fbgemm_add");
  if (a.sizes() == b.sizes() && !AddsInVectors(a, b)) {
    return AddOneByOne(a, b, kRelu, scale, zero_point);
  }
  return Binary("fbgemm_add", kernels::Add, a, b, kRelu, scale, zero_point);
}

template <bool kRelu>
at::Tensor Multiply(const at::Tensor& a, const at::Tensor& b, double scale,
                    int64_t zero_point) {
  return Binary("fbgemm_mul", kernels::Multiply, a, b, kRelu, scale,
                zero_point);
}

struct CatPlace {
  // Elements of a tensor lie as [rows][length of the dimension * inner].
  int64_t rows = 1;
  int64_t inner = 1;
};

CatPlace PlaceOf(const at::Tensor& out, int64_t dimension) {
  CatPlace place;
  for (int64_t i = 0; i < dimension; ++i) {
    place.rows *= out.size(i);
  }
  for (int64_t i = dimension + 1; i < out.dim(); ++i) {
    place.inner *= out.size(i);
  }
  return place;
}

// The part of a tensor that CopyRequantized takes: `columns` quantized values
// of each row from `begin` on.
struct Part {
  int64_t begin;
  int64_t columns;
  kernels::DequantizeFormula reading;
};

// LibTorch concatenates the channels of channels-last tensors by eights, with
// fma, and what is left of them, as all else, without.
std::vector<Part> PartsOf(int64_t columns, bool by_eights) {
  if (!by_eights) {
    return {{0, columns, kernels::DequantizeFormula::kSubtract}};
  }
  const int64_t eights = columns / 8 * 8;
  return {{0, eights, kernels::DequantizeFormula::kFma},
          {eights, columns - eights, kernels::DequantizeFormula::kSubtract}};
}

// Along `dimension` of tensors that are dense in the order of dimensions.
at::Tensor CatDense(const std::vector<at::Tensor>& tensors, int64_t dimension,
                    double scale, int64_t zero_point, bool by_eights) {
  std::vector<int64_t> sizes = tensors.front().sizes().vec();
  sizes[dimension] = 0;
  for (const at::Tensor& tensor : tensors) {
    for (int64_t i = 0; i < tensor.dim(); ++i) {
      TORCH_CHECK(
          tensor.dim() == tensors.front().dim() &&
              (i == dimension || tensor.size(i) == tensors.front().size(i)),
          "fbgemm_cat: tensors of sizes ", tensors.front().sizes(), " and ",
          tensor.sizes(), " do not fit together");
    }
    sizes[dimension] += tensor.size(dimension);
  }
  at::Tensor out = EmptyQuantized(sizes, scale, zero_point);
  if (out.numel() == 0) {
    return out;  // It may have no memory to point into.
  }
  const CatPlace place = PlaceOf(out, dimension);
  const int64_t row_bytes = sizes[dimension] * place.inner;
  uint8_t* destination = MutableQuantizedDataOf(out);
  for (const at::Tensor& tensor : tensors) {
    const int64_t bytes = tensor.size(dimension) * place.inner;
    for (const Part& part : PartsOf(bytes, by_eights)) {
      kernels::CopyRequantized(QuantizedDataOf(tensor) + part.begin, bytes,
                               place.rows, part.columns, QParamsOf(tensor),
                               destination + part.begin, row_bytes,
                               QParamsOf(out), TorchParallel, part.reading);
    }
    destination += bytes;
  }
  return out;
}

bool IsChannelsLast(const at::Tensor& x) {
  return x.dim() == 4 && x.is_contiguous(at::MemoryFormat::ChannelsLast);
}

// Whether at::cat lays out its output with the channels last.
bool SuggestChannelsLast(const std::vector<at::Tensor>& tensors) {
  const auto format = tensors.front().suggest_memory_format();
  return format != at::MemoryFormat::Contiguous &&
         std::all_of(tensors.begin(), tensors.end(), [&](const at::Tensor& x) {
           return x.suggest_memory_format() == format;
         });
}

// at::cat skips vectors without elements, whatever the others are.
std::vector<at::Tensor> WithoutEmptyVectors(
    const std::vector<at::Tensor>& tensors) {
  std::vector<at::Tensor> kept;
  for (const at::Tensor& tensor : tensors) {
    if (tensor.dim() != 1 || tensor.numel() > 0) {
      kept.push_back(tensor);
    }
  }
  return kept.empty() ? tensors : kept;
}

template <bool kRelu>
at::Tensor Cat(const c10::List<at::Tensor>& list, int64_t dimension,
               c10::optional<double> scale, c10::optional<int64_t> zero_point) {
  constexpr char kOp[] = "fbgemm_cat";
  TORCH_CHECK(!list.empty(), kOp, ": takes at least one tensor");
  for (const at::Tensor& tensor : list.vec()) {
    CheckQuantized(tensor, kOp);
  }
  const double out_scale = scale.value_or(list.get(0).q_scale());
  const int64_t out_zero_point =
      zero_point.value_or(list.get(0).q_zero_point());
  CheckQParams(out_scale, out_zero_point, kOp);
  std::vector<at::Tensor> tensors = WithoutEmptyVectors(list.vec());
  const int64_t rank = tensors.front().dim();
  TORCH_CHECK(dimension >= -rank && dimension < rank, kOp, ": dimension ",
              dimension, " of tensors with ", rank);
  // Not for -3: LibTorch asks for 1 itself.
  const bool by_eights =
      dimension == 1 &&
      std::all_of(tensors.begin(), tensors.end(), IsChannelsLast);
  dimension += dimension < 0 ? rank : 0;
  const bool channels_last = by_eights || SuggestChannelsLast(tensors);
  for (at::Tensor& tensor : tensors) {
    tensor = channels_last ? ChannelsLast(tensor) : tensor.contiguous();
    tensor = channels_last ? tensor.movedim(1, -1) : tensor;
  }
  const int64_t place = !channels_last || dimension == 0 ? dimension
                        : dimension == 1                 ? rank - 1
                                                         : dimension - 1;
  at::Tensor out =
      CatDense(tensors, place, out_scale, out_zero_point, by_eights);
  if (kRelu) {
    kernels::ClampValues(QuantizedDataOf(out), out.numel(),
                         static_cast<uint8_t>(out_zero_point), 255,
                         MutableQuantizedDataOf(out), TorchParallel);
  }
  return channels_last ? out.movedim(-1, 1) : out;
}

TORCH_LIBRARY_FRAGMENT(ns, library) {
  const auto define = [&](const std::string& name, const char* arguments,
                          auto* plain, auto* with_relu) {
    library.def((name + arguments).c_str(), plain);
    library.def((name + "_relu" + arguments).c_str(), with_relu);
  };
  constexpr char kTwo[] =
      "(Tensor a, Tensor b, float scale, int zero_point) -> Tensor";
  define("fbgemm_add", kTwo, Add<false>, Add<true>);
  define("fbgemm_mul", kTwo, Multiply<false>, Multiply<true>);
  define("fbgemm_cat",
         "(Tensor[] tensors, int dim, float? scale, int? zero_point) -> Tensor",
         Cat<false>, Cat<true>);
}

}  // namespace
}  // namespace ns

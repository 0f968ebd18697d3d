#include "tools/bench/kernels/layer.h"

#include "absl/strings/str_cat.h"

namespace ns::bench {
namespace {

int64_t Product(const kernels::Dims& dims) {
  return dims[0] * dims[1] * dims[2];
}

}  // namespace

const char* KindName(LayerKind kind) {
  switch (kind) {
    case LayerKind::kLinear:
      return "linear";
    case LayerKind::kConv:
      return "conv";
    case LayerKind::kFewOutputs:
      return "few_outputs";
    case LayerKind::kDepthwise:
      return "depthwise";
    case LayerKind::kGrouped:
      return "grouped";
  }
  return "";
}

LayerKind KindOf(const Layer& layer) {
  if (layer.linear) {
    return LayerKind::kLinear;
  }
  const kernels::ConvShape& shape = layer.shape;
  if (shape.groups == 1) {
    return shape.out_channels <= 8 ? LayerKind::kFewOutputs : LayerKind::kConv;
  }
  return shape.groups == shape.in_channels && shape.groups == shape.out_channels
             ? LayerKind::kDepthwise
             : LayerKind::kGrouped;
}

int64_t OutputRows(const Layer& layer) {
  return layer.batch * Product(kernels::ConvOutput(layer.shape, layer.input));
}

int64_t ProductsOf(const Layer& layer) {
  return layer.shape.in_channels / layer.shape.groups *
         Product(layer.shape.kernel);
}

int64_t InputBytes(const Layer& layer) {
  return layer.batch * Product(layer.input) * layer.shape.in_channels;
}

int64_t OutputBytes(const Layer& layer) {
  return OutputRows(layer) * layer.shape.out_channels;
}

int64_t WeightBytes(const Layer& layer) {
  return layer.shape.out_channels * ProductsOf(layer);
}

double Operations(const Layer& layer) {
  return 2.0 * static_cast<double>(OutputBytes(layer)) *
         static_cast<double>(ProductsOf(layer));
}

Layer Linear(int64_t m, int64_t n, int64_t k) {
  Layer layer;
  layer.name = absl::StrCat(m, ",", n, ",", k);
  layer.linear = true;
  layer.batch = m;
  layer.shape.in_channels = k;
  layer.shape.out_channels = n;
  return layer;
}

Layer Conv2d(int64_t batch, int64_t kernel, int64_t stride, int64_t in,
             int64_t out, int64_t size, int64_t groups) {
  Layer layer;
  layer.batch = batch;
  layer.input = {1, size, size};
  layer.shape.groups = groups;
  layer.shape.in_channels = in;
  layer.shape.out_channels = out;
  layer.shape.kernel = {1, kernel, kernel};
  layer.shape.stride = {1, stride, stride};
  layer.shape.padding = {0, kernel / 2, kernel / 2};
  const bool depthwise = KindOf(layer) == LayerKind::kDepthwise;
  layer.name = absl::StrCat(
      depthwise ? "depthwise " : "", kernel, "x", kernel, " ",
      stride == 1 ? "" : absl::StrCat("s", stride, " "),
      groups == 1 || depthwise ? "" : absl::StrCat("g", groups, " "), in,
      depthwise ? "" : absl::StrCat("-", out), " @", size);
  return layer;
}

Layer Conv1d(int64_t batch, int64_t kernel, int64_t padding, int64_t in,
             int64_t out, int64_t length) {
  Layer layer;
  layer.batch = batch;
  layer.input = {1, 1, length};
  layer.shape.in_channels = in;
  layer.shape.out_channels = out;
  layer.shape.kernel = {1, 1, kernel};
  layer.shape.padding = {0, 0, padding};
  layer.name = absl::StrCat(
      kernel, padding == 0 ? "" : absl::StrCat(" p", padding), " ", in, "-",
      out, " @", length, batch == 1 ? "" : absl::StrCat(" x", batch));
  return layer;
}

}  // namespace ns::bench

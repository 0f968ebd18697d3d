#include "tools/bench/kernels/onednn_peer.h"

#include <cstring>
#include <dnnl.hpp>
#include <memory>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/bench/kernels/aligned_bytes.h"
#include "tools/bench/kernels/blocks.h"

namespace ns::bench {
namespace {

using dnnl::memory;
using Tag = memory::format_tag;
using Type = memory::data_type;

const dnnl::engine& Cpu() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

// A primitive with all it reads and writes. Executed through the C interface:
// the other one copies its arguments at each call.
struct State {
  dnnl::primitive primitive;
  dnnl::stream stream{Cpu()};
  std::shared_ptr<uint8_t> output;
  std::vector<memory> memories;
  std::vector<dnnl_exec_arg_t> arguments;

  void Add(int index, memory data) {
    arguments.push_back({index, data.get()});
    memories.push_back(std::move(data));
  }
};

// How the activations' zero point is taken care of.
enum class ZeroPoint { kAttribute, kFolded };

// Bias in units of sums, before scales: where oneDNN adds it.
std::vector<float> SumBias(const Problem& problem, ZeroPoint zero_point) {
  const int64_t k = ProductsOf(problem.layer);
  std::vector<float> bias(problem.bias.size());
  for (size_t n = 0; n < bias.size(); ++n) {
    bias[n] = problem.bias[n] / problem.SumScale(static_cast<int64_t>(n));
    int32_t sum = 0;
    for (int64_t i = 0; i < k; ++i) {
      sum += problem.weights[n * k + i];
    }
    if (zero_point == ZeroPoint::kFolded) {
      bias[n] -= static_cast<float>(problem.activation_zero_point * sum);
    }
  }
  return bias;
}

dnnl::primitive_attr Attributes(const Problem& problem, ZeroPoint zero_point,
                                bool output_zero_point_as_post_op) {
  std::vector<float> scales(problem.weight_scales.size());
  for (size_t n = 0; n < scales.size(); ++n) {
    scales[n] =
        problem.SumScale(static_cast<int64_t>(n)) / problem.output_scale;
  }
  dnnl::primitive_attr attributes;
  // Dimension 1 of the output is the channel.
  attributes.set_output_scales(1 << 1, scales);
  if (zero_point == ZeroPoint::kAttribute) {
    attributes.set_zero_points(DNNL_ARG_SRC, 0,
                               {problem.activation_zero_point});
  }
  dnnl::post_ops post_ops;
  if (problem.layer.relu) {
    post_ops.append_eltwise(1, dnnl::algorithm::eltwise_relu, 0, 0);
  }
  if (problem.output_zero_point != 0) {
    if (output_zero_point_as_post_op) {
      post_ops.append_eltwise(1, dnnl::algorithm::eltwise_linear, 1,
                              static_cast<float>(problem.output_zero_point));
    } else {
      attributes.set_zero_points(DNNL_ARG_DST, 0, {problem.output_zero_point});
    }
  }
  attributes.set_post_ops(post_ops);
  return attributes;
}

memory Reordered(const memory::desc& from, const void* data,
                 const memory::desc& to) {
  memory source(from, Cpu(), const_cast<void*>(data));
  memory target(to, Cpu());
  dnnl::stream stream(Cpu());
  dnnl::reorder(source, target).execute(stream, source, target);
  stream.wait();
  return target;
}

// `plain` describes the problem's weights as they are.
template <typename Descriptor>
Implementation Make(const char* name, const Problem& problem,
                    const Descriptor& descriptor, ZeroPoint zero_point,
                    const memory::desc& plain) {
  const auto state = std::make_shared<State>();
  state->primitive = dnnl::primitive(descriptor);
  state->output = AlignedBytes(OutputBytes(problem.layer));
  const memory::desc source = descriptor.src_desc();
  const memory::desc bias = descriptor.bias_desc();
  state->Add(DNNL_ARG_SRC, memory(source, Cpu(), problem.input.get()));
  state->Add(DNNL_ARG_WEIGHTS, Reordered(plain, problem.weights.data(),
                                         descriptor.weights_desc()));
  const std::vector<float> values = SumBias(problem, zero_point);
  memory bias_memory(bias, Cpu());
  std::memcpy(bias_memory.get_data_handle(), values.data(), bias.get_size());
  state->Add(DNNL_ARG_BIAS, std::move(bias_memory));
  state->Add(DNNL_ARG_DST,
             memory(descriptor.dst_desc(), Cpu(), state->output.get()));
  return {
      "onednn",
      [state] {
        dnnl::error::wrap_c_api(
            dnnl_primitive_execute(state->primitive.get(), state->stream.get(),
                                   static_cast<int>(state->arguments.size()),
                                   state->arguments.data()),
            "cannot execute");
      },
      [state] { return state->output.get(); },
      absl::StrCat(name, zero_point == ZeroPoint::kFolded ? ", folded: " : ": ",
                   descriptor.impl_info_str())};
}

Implementation MatMul(const Problem& problem, ZeroPoint zero_point) {
  const int64_t m = problem.layer.batch;
  const int64_t n = problem.layer.shape.out_channels;
  const int64_t k = problem.layer.shape.in_channels;
  const dnnl::matmul::desc descriptor(
      {{m, k}, Type::u8, Tag::ab}, {{k, n}, Type::s8, Tag::any},
      {{1, n}, Type::f32, Tag::ab}, {{m, n}, Type::u8, Tag::ab});
  const dnnl::matmul::primitive_desc chosen(
      descriptor, Attributes(problem, zero_point, false), Cpu());
  return Make("matmul", problem, chosen, zero_point,
              {{k, n}, Type::s8, Tag::ba});
}

Implementation InnerProduct(const Problem& problem) {
  const int64_t m = problem.layer.batch;
  const int64_t n = problem.layer.shape.out_channels;
  const int64_t k = problem.layer.shape.in_channels;
  const dnnl::inner_product_forward::desc descriptor(
      dnnl::prop_kind::forward_inference, {{m, k}, Type::u8, Tag::ab},
      {{n, k}, Type::s8, Tag::any}, {{n}, Type::f32, Tag::a},
      {{m, n}, Type::u8, Tag::ab});
  const dnnl::inner_product_forward::primitive_desc chosen(
      descriptor, Attributes(problem, ZeroPoint::kFolded, true), Cpu());
  return Make("inner product", problem, chosen, ZeroPoint::kFolded,
              {{n, k}, Type::s8, Tag::ab});
}

// The last two of three: layers are of images.
memory::dims HeightAndWidth(const kernels::Dims& dims) {
  return {dims[1], dims[2]};
}

Implementation Convolution(const Problem& problem, ZeroPoint zero_point) {
  const kernels::ConvShape& shape = problem.layer.shape;
  const kernels::Dims& input = problem.layer.input;
  const kernels::Dims output = ConvOutput(shape, input);
  const int64_t batch = problem.layer.batch;
  const int64_t groups = shape.groups;
  memory::dims weights = {shape.out_channels / groups,
                          shape.in_channels / groups, shape.kernel[1],
                          shape.kernel[2]};
  if (groups > 1) {
    weights.insert(weights.begin(), groups);
  }
  memory::dims dilation = HeightAndWidth(shape.dilation);
  for (int64_t& value : dilation) {
    --value;  // oneDNN's are 0 for dense ones.
  }
  const memory::dims padding = HeightAndWidth(shape.padding);
  const dnnl::convolution_forward::desc descriptor(
      dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
      {{batch, shape.in_channels, input[1], input[2]}, Type::u8, Tag::nhwc},
      {weights, Type::s8, Tag::any}, {{shape.out_channels}, Type::f32, Tag::a},
      {{batch, shape.out_channels, output[1], output[2]}, Type::u8, Tag::nhwc},
      HeightAndWidth(shape.stride), dilation, padding, padding);
  const dnnl::convolution_forward::primitive_desc chosen(
      descriptor, Attributes(problem, zero_point, false), Cpu());
  return Make("convolution", problem, chosen, zero_point,
              {weights, Type::s8, groups > 1 ? Tag::goihw : Tag::oihw});
}

// Appends what `make` makes, if oneDNN can; then it says so by an exception.
template <typename Function>
void AddWay(std::vector<Implementation>& ways, const Function& make) {
  try {
    ways.push_back(make());
  } catch (const dnnl::error& error) {
    if (error.status != dnnl_unimplemented) {
      throw;
    }
  }
}

}  // namespace

bool LimitOneDnn(kernels::Isa isa) {
  dnnl::cpu_isa limit = dnnl::cpu_isa::all;
  switch (isa) {
    case kernels::Isa::kScalar:
    case kernels::Isa::kAvx2:
      limit = dnnl::cpu_isa::avx2;
      break;
    case kernels::Isa::kAvxVnni:
      limit = dnnl::cpu_isa::avx2_vnni;
      break;
    case kernels::Isa::kAvx512:
      limit = dnnl::cpu_isa::avx512_core;
      break;
    case kernels::Isa::kAvx512Vnni:
      limit = dnnl::cpu_isa::avx512_core_vnni;
      break;
    case kernels::Isa::kAmx:
      break;
  }
  return dnnl::set_max_cpu_isa(limit) == dnnl::status::success;
}

std::vector<Implementation> OneDnnWays(const Problem& problem) {
  std::vector<Implementation> ways;
  const auto add = [&](auto make) { AddWay(ways, make); };
  if (problem.layer.linear) {
    add([&] { return MatMul(problem, ZeroPoint::kAttribute); });
    add([&] { return MatMul(problem, ZeroPoint::kFolded); });
    add([&] { return InnerProduct(problem); });
    return ways;
  }
  add([&] { return Convolution(problem, ZeroPoint::kAttribute); });
  if (problem.layer.shape.padding == kernels::Dims{0, 0, 0}) {
    add([&] { return Convolution(problem, ZeroPoint::kFolded); });
  }
  return ways;
}

Implementation Fastest(const std::vector<Implementation>& ways,
                       double seconds) {
  if (ways.size() == 1) {
    return ways[0];
  }
  std::vector<Contender> contenders;
  for (const Implementation& way : ways) {
    contenders.push_back({way.choice, way.run});
  }
  BlockOptions options;
  options.seconds = seconds;
  options.rounds = 10;
  const std::vector<Timing> timings = RunInBlocks(contenders, options);
  size_t best = 0;
  for (size_t i = 1; i < ways.size(); ++i) {
    if (timings[i].Seconds() < timings[best].Seconds()) {
      best = i;
    }
  }
  return ways[best];
}

}  // namespace ns::bench

#include "tests/passes/runtime/fbgemm_ops/against_libtorch.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <torch/csrc/jit/runtime/operator.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/custom_class.h>

#include <algorithm>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/kernels/isa.h"

namespace ns {
namespace {

// A copy of `x` that lies in memory with its dimensions in `order`.
at::Tensor InOrder(const at::Tensor& x, const std::vector<int64_t>& order) {
  std::vector<int64_t> back(order.size());
  for (size_t i = 0; i < order.size(); ++i) {
    back[order[i]] = static_cast<int64_t>(i);
  }
  return x.permute(order).contiguous().permute(back);
}

// Of dimensions of more than one: others have any. What takes a view of an
// output fails where LibTorch's strides would let it.
std::vector<int64_t> StridesOf(const at::Tensor& x) {
  std::vector<int64_t> strides;
  for (int64_t i = 0; i < x.dim(); ++i) {
    strides.push_back(x.size(i) > 1 ? x.stride(i) : 0);
  }
  return strides;
}

void ExpectSameQParams(const at::Tensor& ours, const at::Tensor& theirs) {
  ASSERT_TRUE(ours.is_quantized());
  EXPECT_EQ(ours.scalar_type(), at::kQUInt8);
  EXPECT_EQ(ours.sizes(), theirs.sizes());
  // onednn rounds its outputs' scales.
  EXPECT_EQ(static_cast<float>(ours.q_scale()),
            static_cast<float>(theirs.q_scale()));
  EXPECT_EQ(ours.q_zero_point(), theirs.q_zero_point());
}

at::Tensor RandomWeightCodes(at::IntArrayRef sizes) {
  // 2 * 255 * 64 < 2^15
  const int64_t most =
      kernels::IsSupported(kernels::Isa::kAvx512Vnni) ? 127 : 64;
  return at::randint(-most, most + 1, sizes, at::kChar);
}

}  // namespace

at::Tensor RandomCodes(at::IntArrayRef sizes, double scale,
                       int64_t zero_point) {
  return at::_make_per_tensor_quantized_tensor(
      at::randint(0, 256, sizes, at::kByte), scale, zero_point);
}

// oneDNN 2.6 takes the primitive of one linear layer for another that differs
// in its zero points alone: no two scales are equal.
at::Tensor RandomWeight(at::IntArrayRef sizes) {
  return at::_make_per_tensor_quantized_tensor(
      RandomWeightCodes(sizes),
      at::rand({1}, at::kDouble).item<double>() * 0.01 + 0.005, 0);
}

at::Tensor RandomWeightPerChannel(at::IntArrayRef sizes, int64_t axis) {
  const int64_t channels = sizes[axis];
  return at::_make_per_channel_quantized_tensor(
      RandomWeightCodes(sizes), at::rand({channels}, at::kDouble) * 0.02 + 1e-3,
      at::zeros({channels}, at::kLong), axis);
}

std::vector<std::pair<std::string, at::Tensor>> Layouts(const at::Tensor& x) {
  std::vector<std::pair<std::string, at::Tensor>> layouts = {
      {"contiguous", x.contiguous()}};
  if (x.dim() == 3) {
    layouts.emplace_back("channels-last", InOrder(x, {0, 2, 1}));
  }
  if (x.dim() == 4) {
    layouts.emplace_back("channels-last",
                         x.contiguous(at::MemoryFormat::ChannelsLast));
  }
  if (x.dim() == 5) {
    layouts.emplace_back("channels-last",
                         x.contiguous(at::MemoryFormat::ChannelsLast3d));
  }
  if (x.dim() == 0) {
    return layouts;
  }
  std::vector<int64_t> reversed;
  for (int64_t i = x.dim(); i > 0; --i) {
    reversed.push_back(i - 1);
  }
  layouts.emplace_back("reversed", InOrder(x, reversed));
  std::vector<int64_t> wider = x.sizes().vec();
  wider.back() = wider.back() * 2 + 1;
  at::Tensor gaps = at::_empty_affine_quantized(
      wider, at::TensorOptions().dtype(x.scalar_type()), x.q_scale(),
      x.q_zero_point());
  at::Tensor sliced = gaps.slice(-1, 1, wider.back(), 2);
  sliced.copy_(x);
  layouts.emplace_back("sliced", sliced);
  return layouts;
}

c10::IValue PackedBy(const std::string& op, Arguments arguments) {
  for (const auto& candidate :
       torch::jit::getAllOperatorsFor(c10::Symbol::fromQualString(op))) {
    if (candidate->schema().arguments().size() == arguments.size()) {
      candidate->getOperation()(arguments);
      return arguments.front();
    }
  }
  throw std::runtime_error("no overload of " + op + " with as many arguments");
}

at::Tensor Output(const std::string& op, Arguments arguments) {
  return PackedBy(op, std::move(arguments)).toTensor();
}

void ExpectSameCodes(const at::Tensor& ours, const at::Tensor& theirs) {
  ExpectNearCodes(ours, theirs, 0);
}

void ExpectNearCodes(const at::Tensor& ours, const at::Tensor& theirs,
                     double share) {
  ExpectSameQParams(ours, theirs);
  if (ours.sizes() != theirs.sizes() || ours.numel() == 0) {
    return;
  }
  EXPECT_EQ(StridesOf(ours), StridesOf(theirs));
  const at::Tensor apart =
      ours.int_repr().to(at::kInt).sub(theirs.int_repr().to(at::kInt)).abs();
  EXPECT_LE(apart.max().item<int>(), share > 0 ? 1 : 0);
  const double most = std::max(share * ours.numel(), share > 0 ? 1.0 : 0.0);
  EXPECT_LE(apart.ne(0).sum().item<int64_t>(), most)
      << "of " << ours.numel() << " codes";
}

void ExpectRefused(const std::string& op, const Arguments& arguments,
                   const std::string& why) {
  try {
    Output(op, arguments);
    ADD_FAILURE() << op << " took it; expected: " << why;
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what_without_backtrace(), ::testing::HasSubstr(why));
  }
}

c10::IValue Reloaded(const c10::IValue& object) {
  torch::jit::Module module("holder");
  module.register_attribute("held", object.type(), object);
  std::stringstream file;
  module.save(file);
  return torch::jit::load(file).attr("held");
}

c10::IValue FromState(const std::string& name, const c10::IValue& state) {
  const auto type = torch::getCustomClass("__torch__.torch.classes.ns." + name);
  auto object = c10::ivalue::Object::create(
      c10::StrongTypePtr(std::shared_ptr<torch::jit::CompilationUnit>(), type),
      1);
  torch::jit::Stack stack = {object, state};
  type->getMethod("__setstate__").run(stack);
  return object;
}

void ExpectStateRefused(const std::string& name, const c10::IValue& state,
                        const std::string& why) {
  try {
    FromState(name, state);
    ADD_FAILURE() << name << " took the state; expected: " << why;
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what_without_backtrace(), ::testing::HasSubstr(why));
  }
}

}  // namespace ns

// Operators of ours, held against those of LibTorch.
#ifndef TESTS_PASSES_RUNTIME_FBGEMM_OPS_AGAINST_LIBTORCH_H_
#define TESTS_PASSES_RUNTIME_FBGEMM_OPS_AGAINST_LIBTORCH_H_

#include <ATen/core/Tensor.h>
#include <ATen/core/ivalue.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns {

using Arguments = std::vector<c10::IValue>;

// Any quint8 codes, in the order of dimensions.
at::Tensor RandomCodes(at::IntArrayRef sizes, double scale = 0.05,
                       int64_t zero_point = 64);

// Any qint8 weight with one scale, or one for each index of `axis`. Without
// AVX512-VNNI LibTorch's oneDNN adds products in pairs, in 16 bits that
// saturate: there, codes are small enough for it never to happen.
at::Tensor RandomWeight(at::IntArrayRef sizes);
at::Tensor RandomWeightPerChannel(at::IntArrayRef sizes, int64_t axis = 0);

// `x` with the strides of a contiguous tensor, a channels-last one (of three to
// five dimensions), one whose dimensions are reversed in memory, and one with
// gaps; each with its name.
std::vector<std::pair<std::string, at::Tensor>> Layouts(const at::Tensor& x);

// The output of the overload of `op` that takes so many arguments.
at::Tensor Output(const std::string& op, Arguments arguments);

// The object that the prepack operator `op` makes.
c10::IValue PackedBy(const std::string& op, Arguments arguments);

// Sizes, strides, scales and zero points are equal, and codes are: all of them,
// or all but `share` of them (but one of a few), which may be one step apart.
void ExpectSameCodes(const at::Tensor& ours, const at::Tensor& theirs);
void ExpectNearCodes(const at::Tensor& ours, const at::Tensor& theirs,
                     double share);

// The operator throws c10::Error with `why` in its message.
void ExpectRefused(const std::string& op, const Arguments& arguments,
                   const std::string& why);

// `object`, of a class of ours, saved in a module and loaded again.
c10::IValue Reloaded(const c10::IValue& object);

// Loads `state` as the class torch.classes.ns.`name`: the object, or throws.
c10::IValue FromState(const std::string& name, const c10::IValue& state);
void ExpectStateRefused(const std::string& name, const c10::IValue& state,
                        const std::string& why);

}  // namespace ns

#endif  // TESTS_PASSES_RUNTIME_FBGEMM_OPS_AGAINST_LIBTORCH_H_

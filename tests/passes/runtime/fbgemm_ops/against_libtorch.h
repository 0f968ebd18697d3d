// Compares the ops that run ns kernels with LibTorch's ops.
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

// Returns a contiguous quint8 tensor of random quantized values.
at::Tensor RandomCodes(at::IntArrayRef sizes, double scale = 0.05,
                       int64_t zero_point = 64);

// Return a random qint8 weight with one random scale, or one for each index of
// `axis`, and zero points 0. Without AVX512-VNNI, LibTorch's oneDNN adds
// products in pairs, in 16 bits that saturate: there, quantized values are so
// small that this never happens.
at::Tensor RandomWeight(at::IntArrayRef sizes);
at::Tensor RandomWeightPerChannel(at::IntArrayRef sizes, int64_t axis = 0);

// Returns tensors that equal `x`, a per-tensor quantized one, with the names of
// their strides: contiguous, channels-last (of three to five dimensions),
// dimensions reversed in memory, and with gaps.
std::vector<std::pair<std::string, at::Tensor>> Layouts(const at::Tensor& x);

// Runs the first overload of `op` that has as many arguments as are given, and
// returns its output. Throws where there is none.
at::Tensor Output(const std::string& op, Arguments arguments);

// The same for a prepack operator, whose output is an object.
c10::IValue PackedBy(const std::string& op, Arguments arguments);

// Fails the test unless both are quint8 tensors of equal sizes, strides, scales
// and zero points, and have the same quantized values. Of near ones, the share
// `share` of all values, and at least one, may differ by one step.
void ExpectSameCodes(const at::Tensor& ours, const at::Tensor& theirs);
void ExpectNearCodes(const at::Tensor& ours, const at::Tensor& theirs,
                     double share);

// Fails the test unless Output throws a c10::Error with `why` in its message.
void ExpectRefused(const std::string& op, const Arguments& arguments,
                   const std::string& why);

// Returns `object`, of a class torch.classes.ns, saved in a module and loaded
// again.
c10::IValue Reloaded(const c10::IValue& object);

// FromState returns an object of the class torch.classes.ns.`name`, made by
// __setstate__ from `state`, or throws what that throws. ExpectStateRefused
// fails the test unless that is a c10::Error with `why` in its message.
c10::IValue FromState(const std::string& name, const c10::IValue& state);
void ExpectStateRefused(const std::string& name, const c10::IValue& state,
                        const std::string& why);

}  // namespace ns

#endif  // TESTS_PASSES_RUNTIME_FBGEMM_OPS_AGAINST_LIBTORCH_H_

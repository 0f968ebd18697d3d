// Small calls of quantized ops, written so that Python and TorchScript read the
// same text.
#ifndef NS_ENGINE_CHECK_ENGINE_CASE_H_
#define NS_ENGINE_CHECK_ENGINE_CASE_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// A tensor that a case is given. Its values are drawn from the normal
// distribution, in the order of the tensors of the case.
struct CaseTensor {
  enum class Kind {
    kFloat,
    // quint8 with `scale` and `zero_point`. No code is above twice the zero
    // point: with 64, sums of two products fit into 16 bits, as engines need
    // that have no instructions for int8.
    kQuint8,
    // qint8 with the zero point 0 and `scale`, or with a scale for each row,
    // from half of `scale` to all of it. Codes are in [-100, 100].
    kQint8,
    kQint8PerChannel,
  };

  // A name in the texts of the case.
  std::string name;
  Kind kind = Kind::kQuint8;
  std::vector<int64_t> shape;
  double scale = 0.03;
  int64_t zero_point = 64;
  // Whether channels are next to each other in memory, for 4 dimensions.
  bool channels_last = false;
};

// A case: what is called, and what it should give.
//
// Texts are Python. So that TorchScript understands them as well, ops are
// called as `torch.ops.aten.relu(x)` with all arguments by position, and the
// only dtypes are torch.quint8 and torch.qint8.
struct EngineCase {
  // The op that is checked: "quantized::conv2d".
  std::string op;
  // What is special about the call, each in a few words: "stride 2".
  std::vector<std::string> traits;
  std::vector<CaseTensor> tensors;
  // The expression that packs weights; empty for ops without.
  std::string pack;
  // The names by which calls use what it gives: one object for each, as layers
  // have one of their own.
  std::vector<std::string> packed = {"packed"};
  // Lines that call the op; the last one sets `y`.
  std::vector<std::string> call;
  // Whether y is a tensor of float.
  bool gives_float = false;
  // Lines that compute in float, from dequantized tensors, what `y` should be;
  // the last one sets `z`. Unless gives_float, z is then quantized with the
  // scale and zero point of y.
  std::vector<std::string> reference;
};

// Returns the line of EngineCase::call that calls `op`, "quantized::add", with
// `arguments`.
std::string CallLine(absl::string_view op, absl::string_view arguments);

// Returns the tensors of `engine_case`: the same ones in every process.
std::vector<at::Tensor> CaseTensors(const EngineCase& engine_case);

// Returns a Python program that runs `engine_case` on `engine`, in `threads`
// threads, and prints by how many steps the output differs from the reference
// at most, and how many different outputs `repeats` calls give.
std::string CaseInPython(const EngineCase& engine_case,
                         const std::string& engine, int threads, int repeats);

// Returns the number of elements of all tensors: what makes one case simpler
// than another.
int64_t CaseSize(const EngineCase& engine_case);

}  // namespace ns

#endif  // NS_ENGINE_CHECK_ENGINE_CASE_H_

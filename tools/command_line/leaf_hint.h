// Says which modules a comparison would better take as one op.
#ifndef TOOLS_COMMAND_LINE_LEAF_HINT_H_
#define TOOLS_COMMAND_LINE_LEAF_HINT_H_

#include <string>
#include <vector>

#include "ns/batches/batch_reader.h"
#include "ns/suite/compare_options.h"
#include "ns/suite/comparison_result.h"
#include "tools/command_line/model_pair.h"

namespace ns {

// Returns the types of modules (MultiheadAttention, LSTM) that are other
// classes in the quantized model, since eager quantization took them apart, and
// in which no op can be compared: PyTorch 1.13's quantized attention ignores
// batch_first, so that all its tensors have other shapes. Compared as one op,
// such a module has figures. The first of `batches` is compared to find out;
// models without such classes are not run, and a comparison that fails gives no
// types. `options` says how layers are matched.
std::vector<std::string> FindLeaves(const ModelPair& models,
                                    const BatchReader& batches,
                                    const CompareOptions& options);

// Returns a sentence that names the flag --leaf for the modules that eager
// quantization takes apart (MultiheadAttention, LSTM) and in which `result`
// lists unmatched ops; "" where there are none. `models` are those compared.
std::string LeafHint(const ModelPair& models, const ComparisonResult& result);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_LEAF_HINT_H_

// Finds modules that a comparison had better take as one op.
#ifndef NS_COMPARE_LEAF_MODULES_H_
#define NS_COMPARE_LEAF_MODULES_H_

#include <optional>
#include <string>
#include <vector>

#include "ns/batches/batch_reader.h"
#include "ns/compare/compare_notice.h"
#include "ns/compare/load_pair.h"
#include "ns/result/comparison_result.h"
#include "ns/suite/compare_options.h"

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

// Returns the modules that eager quantization takes apart (MultiheadAttention,
// LSTM) and in which `result` lists unmatched ops, with their types
// (kUnmatchedInModules); absent where there are none. `models` are those
// compared.
std::optional<CompareNotice> UnmatchedInModules(const ModelPair& models,
                                                const ComparisonResult& result);

}  // namespace ns

#endif  // NS_COMPARE_LEAF_MODULES_H_

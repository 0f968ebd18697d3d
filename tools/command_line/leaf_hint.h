// Says which modules a comparison would better take as one op.
#ifndef TOOLS_COMMAND_LINE_LEAF_HINT_H_
#define TOOLS_COMMAND_LINE_LEAF_HINT_H_

#include <string>

#include "ns/suite/comparison_result.h"
#include "tools/command_line/model_pair.h"

namespace ns {

// Returns a sentence that names the flag --leaf for the modules that eager
// quantization takes apart (MultiheadAttention, LSTM) and in which `result`
// lists unmatched ops; "" where there are none. `models` are those compared.
std::string LeafHint(const ModelPair& models, const ComparisonResult& result);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_LEAF_HINT_H_

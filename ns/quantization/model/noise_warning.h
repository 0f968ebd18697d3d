// Warns of quantized models whose outputs are mostly noise.
#ifndef NS_QUANTIZATION_MODEL_NOISE_WARNING_H_
#define NS_QUANTIZATION_MODEL_NOISE_WARNING_H_

#include <string>
#include <vector>

#include "ir/model/model_graph.h"
#include "ns/batches/batch_reader.h"
#include "ns/quantization/model/output_error.h"
#include "ns/quantization/model/quantize_options.h"

namespace ns {

// Below this SQNR in dB, the error has more than a tenth of the power of an
// output.
inline constexpr double kNoiseDb = 10;

// Returns the name and the SQNR of the worst of `outputs`, as "output has 0.2
// dB", if that is below kNoiseDb; else an empty string. Outputs of integers and
// those without a figure do not count.
std::string NoisyOutput(const std::vector<OutputError>& outputs);

// Returns a warning that names `noisy`, which NoisyOutput returned, and the
// layer to blame. `quantized` was made of `float_model` with `options`. The
// layers with the lowest SQNR by themselves, three at most, are left in float
// one by one, and the outputs are measured again, all on the last 8 batches:
// the layer to blame is the one that gains most. The warning states the figures
// and whether they are of the last batches alone. Where none of the layers
// gains 1 dB, the warning says that. Where nothing can be measured, it names no
// layer.
std::string NoiseWarning(const std::string& noisy,
                         const ModelGraph& float_model,
                         const ModelGraph& quantized,
                         const BatchReader& batches,
                         const QuantizeOptions& options);

// The same where the layers are not known: for hierarchies of modules and
// models that were made of prepared ones.
std::string NoiseWarning(const std::string& noisy);

}  // namespace ns

#endif  // NS_QUANTIZATION_MODEL_NOISE_WARNING_H_

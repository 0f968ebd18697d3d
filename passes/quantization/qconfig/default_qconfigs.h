// The qconfigs and mappings that PyTorch 1.13 has names for, and by these names
// (torch/ao/quantization/qconfig.py, qconfig_mapping.py).
#ifndef PASSES_QUANTIZATION_QCONFIG_DEFAULT_QCONFIGS_H_
#define PASSES_QUANTIZATION_QCONFIG_DEFAULT_QCONFIGS_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/quantization/qconfig/qconfig.h"
#include "passes/quantization/qconfig/qconfig_mapping.h"

namespace ns {

// Where a quantized model is to run. It decides the defaults: fbgemm and x86
// have kernels whose sums saturate, and get activations of 7 bits; qnnpack
// takes weights of one scale, not one for each channel.
enum class Backend { kFbgemm, kX86, kOnednn, kQnnpack };

// "fbgemm", "x86", "onednn", "qnnpack", in this order.
std::vector<absl::string_view> BackendNames();
absl::string_view BackendName(Backend backend);
// Error: another name; the message lists all.
absl::StatusOr<Backend> BackendNamed(absl::string_view name);

QConfig DefaultQConfig();
QConfig DefaultPerChannelQConfig();
QConfig DefaultDynamicQConfig();
QConfig PerChannelDynamicQConfig();
QConfig Float16DynamicQConfig();
QConfig Float16StaticQConfig();
QConfig FloatQParamsWeightOnlyQConfig();
QConfig FloatQParamsWeightOnlyQConfig4Bit();
QConfig DefaultWeightOnlyQConfig();
QConfig DefaultActivationOnlyQConfig();
QConfig DefaultDebugQConfig();
QConfig DefaultReuseInputQConfig();
QConfig DefaultQatQConfig();
QConfig DefaultQatQConfigV2();
// The observer of its activations keeps the newest batch alone.
QConfig DefaultDynamicQatQConfig();
QConfig DefaultEmbeddingQatQConfig();
QConfig DefaultEmbeddingQatQConfig4Bit();
// Signed activations and weights -127..127, for kernels of XNNPACK.
QConfig DefaultSymmetricQnnpackQConfig();
QConfig DefaultPerChannelSymmetricQnnpackQConfig();
QConfig DefaultSymmetricQnnpackQatQConfig();
QConfig DefaultPerChannelSymmetricQnnpackQatQConfig();

// get_default_qconfig: histogram observers of activations.
QConfig GetDefaultQConfig(Backend backend);

// get_default_qat_qconfig: version 1 fuses observing and quantizing, version 0
// does not. Error: another version.
absl::StatusOr<QConfig> GetDefaultQatQConfig(Backend backend, int version = 1);

// get_default_qconfig_mapping: the global qconfig is that of the backend; on
// fbgemm and x86, transposed convolutions have per-tensor weights; layer norms
// have float ones, reshapes the parameters of their input, and hardsigmoid,
// sigmoid, softmax and tanh fixed parameters. Object types are families of ops,
// where PyTorch lists a module and its functions one by one; of softmax, the
// module alone has fixed parameters, as in PyTorch.
QConfigMapping GetDefaultQConfigMapping(Backend backend);
absl::StatusOr<QConfigMapping> GetDefaultQatQConfigMapping(Backend backend,
                                                           int version = 1);

// The names under which files have qconfigs: those of NamedQConfigs with
// dashes, "fbgemm", "x86", "onednn", "qnnpack" for GetDefaultQConfig and, with
// "-qat" behind them, for GetDefaultQatQConfig; and those of the functions
// above: "default", "default-dynamic", "float16-static", ... Several may name
// one qconfig; the first one is the best known.
std::vector<std::string> PresetNames();
// Error: another name; the message has the nearest one.
absl::StatusOr<QConfig> PresetNamed(absl::string_view name);
// The first of the names of `qconfig`; absent when it has none.
std::optional<std::string> PresetNameOf(const QConfig& qconfig);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_QCONFIG_DEFAULT_QCONFIGS_H_

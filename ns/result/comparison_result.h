// Holds what a comparison of two models found, as plain data, from which the
// table, JSON and CSV are written.
#ifndef NS_RESULT_COMPARISON_RESULT_H_
#define NS_RESULT_COMPARISON_RESULT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ns/result/accuracy.h"
#include "ns/result/class_agreement.h"
#include "ns/result/compared_samples.h"
#include "ns/result/coverage.h"
#include "ns/result/data_flow_graph.h"
#include "ns/result/layer_comparison.h"
#include "ns/result/limit_check.h"
#include "ns/result/task_score.h"
#include "ns/result/time_figures.h"
#include "ns/result/value_figures.h"

namespace ns {

// An op that the other model has nothing for.
struct UnmatchedNode {
  // The model that has it: "float" or "quantized".
  std::string model;
  std::string fqn;
  std::string op;
  std::string reason;
};

// A layer that could not be shadowed, compared with a reference kernel or with
// values of a reference, or emulated.
struct NotShadowed {
  std::string name;
  std::string reason;
};

// A tensor that a module returns besides its first.
struct StubOutput {
  // These are as the fields of OutputComparison with the same names.
  int64_t index = 0;
  std::string name;
  ActivationComparison figures;
};

// A quantized module and the float module that ran beside it, on its inputs.
struct StubComparison {
  // The path of the module.
  std::string name;
  // The qualified types of the two modules.
  std::string float_type;
  std::string quantized_type;
  // The figures of what the modules return, or of the first tensor in it.
  ActivationComparison figures;
  // The other tensors in it, but those that hold integers or truth values.
  std::vector<StubOutput> outputs = {};
};

// The outputs of a module in both models, or of the models, where each model
// runs on its own values.
struct ModuleOutputComparison {
  // The path of the quantized module, "lstm (h_n)" for another tensor than the
  // first that it returns; "output", "output[1]", ... for a tensor of those
  // that the models return.
  std::string name;
  // The qualified types of the modules; empty for what the models return.
  std::string float_type;
  std::string quantized_type;
  ActivationComparison figures;
  // It holds integers or truth values, such as class ids: these have no error
  // of quantization, and no summary counts their figures.
  bool holds_integers = false;
};

// An output of the models that the quantized one returns with two axes in the
// other order.
struct ExchangedOutput {
  std::string name;  // As that of a ModuleOutputComparison.
  AxisExchange axes;
};

// What a second data set shows of the whole model. What it shows of a layer is
// LayerComparison::second_data.
struct SecondData {
  // The paths of its batches, as the user gave them.
  std::vector<std::string> input_paths;
  // Batches run.
  int64_t batches = 0;
  // As ComparisonResult::model_outputs.
  std::vector<ModuleOutputComparison> model_outputs;
};

// What is needed to load the models of a comparison again.
struct LoadOptions {
  std::string method = "forward";
  // The name of the quantized engine; empty where the user named none.
  std::string engine;
  // The module types and script functions whose calls are one op.
  std::vector<std::string> leaves;
};

// A file that a comparison read.
struct FileHash {
  std::string path;
  std::string sha256;  // In hexadecimal digits.
};

struct ComparisonResult {
  // The paths of the models, as the user gave them.
  std::string float_path;
  std::string quantized_path;
  // The paths of the batches, as the user gave them; empty without any.
  std::vector<std::string> input_paths;
  // How the user had the models loaded. Not in JSON.
  LoadOptions load;
  // "aligned" or "strict"; "keys" of state dicts.
  std::string matching;
  // The folder of the values that activations were compared with; empty where
  // the float model ran.
  std::string reference;
  // Batches run; 0 when only weights were compared.
  int64_t batches = 0;
  // False where inputs hold NaN or infinities, those of attention masks aside
  // (ns/suite/non_finite_inputs.h): a warning says where, and no layer is
  // blamed for what comes of them.
  bool inputs_are_finite = true;
  // In order of execution of the quantized model.
  std::vector<LayerComparison> layers;
  std::vector<UnmatchedNode> unmatched;
  std::vector<NotShadowed> not_shadowed;
  // Layers whose quantized op has no reference kernel; empty unless kernels
  // were asked for.
  std::vector<NotShadowed> no_reference;
  // Layers without values in the reference that fit, and values that no layer
  // has; empty without a reference.
  std::vector<NotShadowed> not_referenced;
  // Layers with sums of products that LibTorch computed although another
  // processor was emulated.
  std::vector<NotShadowed> not_emulated;
  // What is quantized, and what is not; absent where nothing was compared, and
  // for state dicts.
  std::optional<Coverage> coverage;
  // Modules and their float stubs, in order of execution; absent when they were
  // not asked for.
  std::optional<std::vector<StubComparison>> stubs;
  // The tensors that both models return, of floats; empty where the float model
  // did not run.
  std::vector<ModuleOutputComparison> model_outputs;
  // The outputs of the models with exchanged axes, those of other shapes, too.
  std::vector<ExchangedOutput> exchanged_outputs;
  // Outputs of modules, in order of execution, then those of the models; absent
  // when they were not asked for.
  std::optional<std::vector<ModuleOutputComparison>> outputs;
  // The files of models that were saved in training mode. Not in JSON, but
  // their warnings.
  std::vector<std::string> in_training_mode;
  // What the user is to know of the comparison, one line each.
  std::vector<std::string> warnings;
  // Whether activations (or shadows) were asked for, so that a table knows its
  // columns even when no layer has them.
  bool has_activations = false;
  bool has_shadows = false;
  bool has_kernels = false;
  // Names of the metrics that the user added, in the order of columns.
  std::vector<std::string> user_metrics;
  // The kernels that were emulated ("fbgemm-avx2"); empty where LibTorch's ran.
  std::string emulated;
  // Names of two layers that run in this order, while in the float model the
  // first takes what the second makes; absent where no two do.
  std::optional<std::pair<std::string, std::string>> swapped;
  // How values flow through both models; absent unless asked for.
  std::optional<DataFlowGraphs> graphs;
  // Where the models ran: the processor's name, and LibTorch's quantized
  // engine; and the models and inputs. Empty unless asked for.
  std::string processor;
  std::string engine;
  std::vector<FileHash> files;
  // Figures held against limits of the user, in the order of the limits and
  // then of the layers; absent when there are no limits.
  std::optional<std::vector<LimitCheck>> limits;
  // Absent unless there was a baseline.
  std::optional<BaselineLayers> baseline;
  // Absent unless there were labels.
  std::optional<Accuracy> accuracy;
  // How far the models agree on classes; absent where the first output does not
  // look like scores of classes (ns/accuracy/agreement_counts.h).
  std::optional<ClassAgreement> agreement;
  // Figures of the task, in the order in which the user named them.
  std::vector<TaskScore> scores;
  // Which batches were compared, in words, where shards of the run are missing;
  // absent where all were.
  std::optional<std::string> partial;
  // Which samples were compared; absent where all were.
  std::optional<ComparedSamples> samples;
  // Absent unless there was a second data set. All other figures belong to the
  // first.
  std::optional<SecondData> second_data;
  // How long the models take. Absent unless times were asked for.
  std::optional<ModelTimes> times;
};

}  // namespace ns

#endif  // NS_RESULT_COMPARISON_RESULT_H_

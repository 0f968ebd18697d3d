// Compares two files of models as `ns compare` does.
#ifndef NS_COMPARE_COMPARE_H_
#define NS_COMPARE_COMPARE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/accuracy/task_figures.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/choose_samples.h"
#include "ns/compare/compare_modules.h"
#include "ns/compare/compare_notice.h"
#include "ns/compare/load_pair.h"
#include "ns/compare/second_data.h"
#include "ns/result/comparison_result.h"
#include "ns/saved/activation_files.h"
#include "ns/suite/compare_options.h"

namespace ns {

// A metric of the user's: a file that LoadUserMetric (ns/suite/user_metrics.h)
// loads.
struct MetricFile {
  std::string name;
  std::string path;
};

struct CompareFilesOptions {
  // Which files, how they are loaded, and by which engine they run.
  ModelPairOptions models;
  // What is compared in each layer. Where weights, activations, shadows and
  // kernels are all false, no layer is compared. `files` and `see_outputs` are
  // set by Compare.
  CompareOptions compare;
  // Which modules are compared as a whole.
  ModuleOptions modules;
  std::vector<MetricFile> metrics;
  // The folder of values that stand for those of the float model, which then
  // does not run (CompareWithReference); empty for none.
  std::string reference;
  // Labels of the batches, and scores, which run on all batches.
  TaskFigureOptions task;
  // Where the compared values are kept; without a directory, nowhere.
  ActivationFiles::Options save;
  // Which samples are compared; absent for all. Those that are chosen by what
  // the models return need activations, and no reference.
  std::optional<SampleChoice> samples;
  // Other batches, on which activations are compared, too. They need
  // `compare.activations`, and no reference.
  SecondInputs second;
  // With CompareOptions::merge: the engine that the shards ran by, instead of
  // models.engine.
  std::string engine_of_shards;
  // Files of the batches, which the result names with `compare.graphs`.
  std::vector<std::string> input_paths;
  // Called for layers, stubs and outputs in turn. CompareOptions::progress is
  // not read.
  StartProgress progress;
  // Words a notice for ComparisonResult::warnings.
  std::function<std::string(const CompareNotice&)> word = NoticeText;
};

// Whether layers are compared while the models run.
bool RunsLayers(const CompareOptions& options);

// Whether `options` compares state dicts: nothing is compared but weights, and
// both files hold state dicts.
bool ComparesStateDicts(const CompareFilesOptions& options);

// Loads both models and compares what `options` asks for: layers
// (CompareModels), modules (CompareStubs and CompareOutputs of ns/eager), the
// accuracy on labelled samples, agreement on classes, and scores. State dicts
// are compared by their keys (CompareStateDicts of ns/eager), which needs no
// batches.
//
// Types of modules that eager quantization takes apart, and in which no op can
// be compared (FindLeaves), are compared as one op each unless `models.leaves`
// are given. `batches` may be empty where nothing runs.
//
// With a shard or a merge (CompareOptions), layers alone are compared, and all
// their samples, without scores, a second data set, a reference, emulation,
// changes that are tried, and values that are saved. All batches of the run are
// given in any case.
//
// Errors: a file that cannot be loaded; samples that the batches lack; those of
// the functions above; that of CompareOptions::check_matches.
absl::StatusOr<ComparisonResult> Compare(const BatchReader& batches,
                                         const CompareFilesOptions& options);

}  // namespace ns

#endif  // NS_COMPARE_COMPARE_H_

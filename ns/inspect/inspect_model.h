// Tells what one model file holds: its kind, methods, layers and scales.
#ifndef NS_INSPECT_INSPECT_MODEL_H_
#define NS_INSPECT_INSPECT_MODEL_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "ns/inspect/model_kind.h"
#include "ns/result/coverage.h"
#include "ns/result/provenance.h"

namespace ns {

// The scale and zero point of a tensor; for weights with one for each channel,
// the lowest and the highest.
struct ScaleRange {
  double lowest = 0;
  double highest = 0;
  // Absent where channels have different ones.
  std::optional<int64_t> zero_point;
  bool per_channel = false;
};

struct InspectedWeight {
  std::string name;
  std::vector<int64_t> shape;
  // "float32", "float16", "qint8", "quint4x2".
  std::string dtype;
  std::optional<ScaleRange> scale;
};

struct InspectedLayer {
  // The path of its module; with the op after it where the module has several,
  // and with a number where those have one name: "add_relu@1". "x.quantize" is
  // what quantizes the argument x.
  std::string name;
  std::string op;
  // Absent for ops that quantize.
  std::optional<RunsIn> runs_in;
  std::vector<InspectedWeight> weights;
  // Of its quantized output, where it is the same in every run.
  std::optional<ScaleRange> output;
  // "quint8"; empty where the output is no quantized tensor.
  std::string output_dtype;
  // The layers whose outputs have one scale and zero point have one number,
  // from 1 on; absent for a scale that no other layer has.
  std::optional<int64_t> scale_group;
};

// A method whose name does not begin with "__".
struct InspectedMethod {
  std::string name;
  // "x: Tensor", "mask: Optional[Tensor] = None".
  std::vector<std::string> arguments;
  std::string returns;
};

struct ModelInspection {
  std::string path;
  int64_t file_bytes = 0;
  ModelKind kind = ModelKind::kFloat;
  // Whether parameters have become constants of the code.
  bool is_frozen = false;
  // The module that keeps the file in training mode, and its class; absent for
  // a file in evaluation mode.
  std::optional<std::string> training_module;
  std::vector<InspectedMethod> methods;
  // In the order of the method's graph.
  std::vector<InspectedLayer> layers;
  // Ops that the table of ops does not know, and how often each is there.
  std::map<std::string, int64_t> unknown_ops;
  // How the file was made, if it says.
  std::optional<Provenance> provenance;
};

// Inspects the file at `path`; layers are those of `method`. Error, naming the
// file: what LoadModule and ModelGraph::FromModule refuse, and weights that
// cannot be unpacked.
absl::StatusOr<ModelInspection> InspectModel(const std::string& path,
                                             const std::string& method);

}  // namespace ns

#endif  // NS_INSPECT_INSPECT_MODEL_H_

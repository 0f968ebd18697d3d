// Writes a float model with shadows, not calibrated yet: all named candidates
// of each subgraph, or a second path in int8.
//
//   save_n_shadows FLOAT.pt OUT.pt candidates|path
#include <cstdio>
#include <string>

#include "ir/base/status.h"
#include "ir/model/model_graph.h"
#include "ns/n_shadows/prepare_n_shadows_add_loggers_model.h"
#include "ns/n_shadows/prepare_n_shadows_model.h"

namespace ns {
namespace {

absl::StatusOr<NShadowsModel> Prepare(const ModelGraph& model,
                                      const std::string& mode) {
  if (mode == "path") {
    return PrepareNShadowsAddLoggersModel(
        model, QConfigMapping().SetGlobal(Int8PerChannelQConfig()));
  }
  QConfigMultiMapping::QConfigs candidates;
  for (const QConfig& qconfig : NamedQConfigs()) {
    candidates.push_back(qconfig);
  }
  return PrepareNShadowsModel(model,
                              QConfigMultiMapping().SetGlobal(candidates));
}

absl::Status Save(const std::string& float_path, const std::string& out_path,
                  const std::string& mode) {
  NS_ASSIGN_OR_RETURN(const ModelGraph model, ModelGraph::FromFile(float_path));
  NS_ASSIGN_OR_RETURN(const NShadowsModel shadows, Prepare(model, mode));
  return shadows.model.Save(out_path);
}

}  // namespace
}  // namespace ns

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "usage: save_n_shadows FLOAT.pt OUT.pt candidates|path\n");
    return 2;
  }
  const absl::Status status = ns::Save(argv[1], argv[2], argv[3]);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", std::string(status.message()).c_str());
    return 1;
  }
  return 0;
}

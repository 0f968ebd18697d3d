#include "ns/compare/load_pair.h"

#include <utility>

#include "ir/base/status.h"
#include "ir/flatten/inline_modules.h"
#include "ns/compare/engines.h"

namespace ns {

absl::Status WithModels(const ModelPairOptions& options,
                        const std::function<absl::Status(ModelPair&)>& use) {
  return WithEngine(options.engine, [&]() -> absl::Status {
    ModelGraphOptions graph_options;
    graph_options.method = options.method;
    if (!options.leaves.empty()) {
      graph_options.is_leaf = LeafTypes(options.leaves);
    }
    NS_ASSIGN_OR_RETURN(
        ModelGraph float_model,
        ModelGraph::FromFile(options.float_path, graph_options));
    NS_ASSIGN_OR_RETURN(
        ModelGraph quantized_model,
        ModelGraph::FromFile(options.quantized_path, graph_options));
    ModelPair pair = {std::move(float_model), std::move(quantized_model)};
    return use(pair);
  });
}

}  // namespace ns

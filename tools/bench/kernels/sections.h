// The tables of bench_kernels.
#ifndef TOOLS_BENCH_KERNELS_SECTIONS_H_
#define TOOLS_BENCH_KERNELS_SECTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tools/bench/kernels/layer.h"

namespace ns::bench {

struct Section {
  std::string name;
  std::vector<Layer> layers;
  // Whether weights are out of the caches before each call.
  bool cold = false;
};

// Names that SectionsOf knows: linear, conv, few_outputs, depthwise, grouped,
// resnet50, mobilenet_v2, bert_base.
std::vector<std::string> LayerSections();

struct SectionOptions {
  // The batch sizes of models; other sections have their own.
  std::vector<int64_t> batches = {1, 8};
  // All sections with cold weights; else "linear" with both, the others warm.
  bool cold = false;
  // Only layers with this in their names.
  std::string filter;
  // Only layers of at most so many operations (Operations of layer.h), and of
  // these only the first so many of each section.
  double most_operations = 1e18;
  size_t most_layers = 1000;
};

// Returns the tables of one name, of a model one for each batch size. Tables
// without layers are left out; a name that is not known has none.
std::vector<Section> SectionsOf(const std::string& name,
                                const SectionOptions& options);

}  // namespace ns::bench

#endif  // TOOLS_BENCH_KERNELS_SECTIONS_H_

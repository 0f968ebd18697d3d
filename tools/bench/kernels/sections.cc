#include "tools/bench/kernels/sections.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tools/bench/kernels/layer_lists.h"

namespace ns::bench {
namespace {

struct Model {
  const char* name;
  std::vector<Layer> (*layers)(int64_t batch);
};

constexpr Model kModels[] = {
    {"resnet50", ResNet50},
    {"mobilenet_v2", MobileNetV2},
    {"bert_base", BertBase},
};

constexpr LayerKind kKinds[] = {LayerKind::kLinear, LayerKind::kConv,
                                LayerKind::kFewOutputs, LayerKind::kDepthwise,
                                LayerKind::kGrouped};

bool IsWanted(const Layer& layer, const SectionOptions& options) {
  return Operations(layer) <= options.most_operations &&
         absl::StrContains(layer.name, options.filter);
}

void Add(std::string name, std::vector<Layer> layers, bool cold,
         const SectionOptions& options, std::vector<Section>& sections) {
  Section section{std::move(name), {}, cold};
  for (Layer& layer : layers) {
    if (section.layers.size() < options.most_layers &&
        IsWanted(layer, options)) {
      section.layers.push_back(std::move(layer));
    }
  }
  if (!section.layers.empty()) {
    sections.push_back(std::move(section));
  }
}

}  // namespace

std::vector<std::string> LayerSections() {
  std::vector<std::string> names;
  for (const LayerKind kind : kKinds) {
    names.emplace_back(KindName(kind));
  }
  for (const Model& model : kModels) {
    names.emplace_back(model.name);
  }
  return names;
}

std::vector<Section> SectionsOf(const std::string& name,
                                const SectionOptions& options) {
  std::vector<Section> sections;
  for (const LayerKind kind : kKinds) {
    if (name == KindName(kind)) {
      Add(name, ShapesOf(kind), options.cold, options, sections);
      if (kind == LayerKind::kLinear && !options.cold) {
        Add(name, ShapesOf(kind), true, options, sections);
      }
    }
  }
  for (const Model& model : kModels) {
    for (const int64_t batch : options.batches) {
      if (name == model.name) {
        Add(absl::StrCat(name, " batch ", batch), model.layers(batch),
            options.cold, options, sections);
      }
    }
  }
  return sections;
}

}  // namespace ns::bench

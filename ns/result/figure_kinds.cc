#include "ns/result/figure_kinds.h"

#include <c10/util/Exception.h>

namespace ns {
namespace {

using Layer = LayerComparison;
using Output = OutputComparison;

constexpr FigureKind kKinds[] = {
    {Figure::kActivation,
     "activation",
     "activation",
     {&Layer::activation},
     {&Output::activation},
     &PairComparers::activation,
     &OtherOutputComparers::activation,
     false},
    {Figure::kShadow,
     "shadow",
     "shadow",
     {&Layer::shadow},
     {&Output::shadow},
     &PairComparers::shadow,
     &OtherOutputComparers::shadow,
     true},
    {Figure::kWeightOnly,
     "weight_only",
     "weight only",
     {nullptr, &Layer::weight_only, &Layer::shadow},
     {},
     &PairComparers::weight_only,
     nullptr,
     true},
    {Figure::kActivationOnly,
     "activation_only",
     "activation only",
     {nullptr, &Layer::activation_only, &Layer::shadow},
     {},
     &PairComparers::activation_only,
     nullptr,
     true},
    {Figure::kInherited,
     "inherited",
     "inherited",
     {nullptr, &Layer::inherited, &Layer::activation},
     {nullptr, &Output::inherited, &Output::activation},
     &PairComparers::inherited,
     &OtherOutputComparers::inherited,
     true},
    {Figure::kKernel,
     "kernel",
     "kernel",
     {&Layer::kernel},
     {},
     &PairComparers::kernel,
     nullptr,
     false},
    {Figure::kSecondData,
     "second_data",
     "second data",
     {&Layer::second_data},
     {&Output::second_data},
     nullptr,
     nullptr,
     false},
};

}  // namespace

absl::Span<const FigureKind> FigureKinds() { return kKinds; }

const FigureKind& KindOf(Figure figure) {
  for (const FigureKind& kind : kKinds) {
    if (kind.figure == figure) {
      return kind;
    }
  }
  TORCH_INTERNAL_ASSERT(false, "weights have no row");
}

absl::string_view FigureName(Figure figure) {
  return figure == Figure::kWeight ? "weight" : KindOf(figure).header;
}

}  // namespace ns

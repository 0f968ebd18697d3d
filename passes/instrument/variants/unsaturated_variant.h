// Describes the version of a layer in which no sum saturates.
#ifndef PASSES_INSTRUMENT_VARIANTS_UNSATURATED_VARIANT_H_
#define PASSES_INSTRUMENT_VARIANTS_UNSATURATED_VARIANT_H_

#include <optional>

#include "passes/instrument/variants/insert_variant.h"

namespace torch::jit {
struct Node;
}  // namespace torch::jit

namespace ns {

// Returns the variant of the layer with the base op `base` that computes all
// sums exactly; nothing where `base` is not a layer on ns kernels that can
// saturate (CheckSaturation), or its weight cannot be packed again.
//
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
// becomes, by InsertVariant,
//   %exact : ns.FbgemmConv = prim::Constant[value=object]()
//   %variant = ns::fbgemm_conv2d(%x, %exact, %scale, %zero_point)
//   %y = ns::fbgemm_conv2d(%x, %layer, %scale, %zero_point)
std::optional<LayerVariant> UnsaturatedVariant(const torch::jit::Node& base);

}  // namespace ns

#endif  // PASSES_INSTRUMENT_VARIANTS_UNSATURATED_VARIANT_H_

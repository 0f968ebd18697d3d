// Which tensors surely are images: [batch, channels, ...] of three dimensions
// or more.
#ifndef PASSES_LOWERING_FOLD_KNOWN_IMAGES_H_
#define PASSES_LOWERING_FOLD_KNOWN_IMAGES_H_

namespace torch::jit {
struct Value;
}  // namespace torch::jit

namespace ns {

// Whether the ops that `value` comes from show it to have three dimensions or
// more. What comes by way of lists, views and control flow is not known to.
bool IsSurelyImage(const torch::jit::Value& value);

}  // namespace ns

#endif  // PASSES_LOWERING_FOLD_KNOWN_IMAGES_H_

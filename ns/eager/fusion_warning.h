// Warns where a fused module is compared with one that is not.
#ifndef NS_EAGER_FUSION_WARNING_H_
#define NS_EAGER_FUSION_WARNING_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// Collects pairs of modules of which only the quantized one is fused: what a
// ConvReLU2d returns is not what the Conv2d returns that it was made from, so
// that their difference tells nothing of quantization. FX graph mode leaves the
// float model unfused.
class FusionWarning {
 public:
  // Adds the pair called `name`, of these qualified types, if it is such a one.
  void Add(absl::string_view name, const std::string& float_type,
           const std::string& quantized_type);

  // Returns the warning, one line without its end; empty where there is none.
  std::string Text() const;

 private:
  std::vector<std::string> names_;
};

}  // namespace ns

#endif  // NS_EAGER_FUSION_WARNING_H_

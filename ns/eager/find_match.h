// Finds which key of a float model belongs to a key of the quantized one.
#ifndef NS_EAGER_FIND_MATCH_H_
#define NS_EAGER_FIND_MATCH_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace ns {

// Returns the first of `keys` that is "<path>.<name>"; where there is none, the
// first that is so for a child of the module at `path`, such as "conv.0.weight"
// for "conv" when fusion wrapped the float module.
std::optional<std::string> FindMatch(const std::vector<std::string>& keys,
                                     absl::string_view path,
                                     absl::string_view name);

// Returns what PyTorch's suite takes for the match of `key`, which ends in
// `postfix`, "weight", "_packed_params" or "stats": the first of `keys`,
// whatever its last part is, whose path or whose parent's is the same once the
// dots are gone. It takes "ab.c.weight" for "a.bc.weight".
std::optional<std::string> FindMatchAsReference(
    const std::vector<std::string>& keys, absl::string_view key,
    absl::string_view postfix);

}  // namespace ns

#endif  // NS_EAGER_FIND_MATCH_H_

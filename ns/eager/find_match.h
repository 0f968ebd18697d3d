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

// Returns the match of `key` by the rules of PyTorch's suite (_find_match).
// `postfix` is "weight", "_packed_params" or "stats"; a key whose last part is
// another has no match. A path is a key without its last part. The match is the
// first of `keys` whose path, or the parent of whose path, equals the path of
// `key` once the dots are left out, whatever the last part: "ab.c.weight" or
// "a.bc.0.bias" for "a.bc.weight". If there is none and `postfix` is
// "_packed_params", the parent of the path of `key` is looked up likewise:
// "fc.weight" for "fc._packed_params._packed_params".
std::optional<std::string> FindMatchAsReference(
    const std::vector<std::string>& keys, absl::string_view key,
    absl::string_view postfix);

}  // namespace ns

#endif  // NS_EAGER_FIND_MATCH_H_

// Finds what a user who misspelt a name may have meant.
#ifndef IR_BASE_NEAREST_NAME_H_
#define IR_BASE_NEAREST_NAME_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// Returns the name among `names` that differs from `name` in the fewest
// letters; empty when none is similar.
absl::string_view NearestName(absl::string_view name,
                              absl::Span<const absl::string_view> names);

// Returns "did you mean 'NEAREST'?" for the end of a message, or `otherwise`
// when none is similar.
std::string DidYouMean(absl::string_view name,
                       absl::Span<const absl::string_view> names,
                       absl::string_view otherwise);

}  // namespace ns

#endif  // IR_BASE_NEAREST_NAME_H_

// Parses pipelines as text, and the options that passes read from it.
#ifndef PASSES_PIPELINE_PASS_OPTIONS_H_
#define PASSES_PIPELINE_PASS_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

// An option of a pass, as the text of a pipeline has it: "fuse=false".
struct PassOption {
  absl::string_view name;
  // What it takes: "true|false", "rescale|keep"; or what may stand there, in
  // capitals: "PATH".
  absl::string_view values;
  // What it is where it is not given.
  absl::string_view otherwise;
  // What it does, in a line without a full stop.
  absl::string_view help;
};

// The options that follow a pass's name in braces, held against those that the
// pass has. The code that makes a pass reads them:
//
//   LowerToFbgemmOptions made;
//   made.fuse = options.Flag("fuse");
class PassOptions {
 public:
  using Values = std::vector<std::pair<std::string, std::string>>;

  // `known` must outlive the object. Error: an option that is not among them,
  // with the nearest one that is, or a value that an option does not take.
  static absl::StatusOr<PassOptions> Create(Values values,
                                            absl::Span<const PassOption> known);

  // Returns what is given, or else PassOption::otherwise. `name` must be among
  // the options that the pass has.
  std::string Text(absl::string_view name) const;
  // Whether that is "true", as it is where the name stands alone.
  bool Flag(absl::string_view name) const { return Text(name) == "true"; }

 private:
  PassOptions(Values values, absl::Span<const PassOption> known)
      : values_(std::move(values)), known_(known) {}

  Values values_;
  absl::Span<const PassOption> known_;
};

// Returns "fuse=true|false", with what it is otherwise first, or
// "exponent=0.5", or "qconfig=PATH" where it is nothing otherwise.
std::string OptionText(const PassOption& option);

// A pass as the text of a pipeline names it.
struct PassSpec {
  std::string name;
  PassOptions::Values options;
};

// Reads "match,lower-to-fbgemm{numerics=exact,fuse=false}"; white
// space around names and values does not count. Error: what was expected, and
// where: braces that do not match, an option or a pass without a name, an
// option that is there twice.
absl::StatusOr<std::vector<PassSpec>> ParsePassSpecs(absl::string_view text);

}  // namespace ns

#endif  // PASSES_PIPELINE_PASS_OPTIONS_H_

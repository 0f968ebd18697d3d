// Parses and documents the flags of a command from one table.
#ifndef TOOLS_COMMAND_LINE_COMMAND_LINE_H_
#define TOOLS_COMMAND_LINE_COMMAND_LINE_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace ns {

struct FlagSpec {
  // The flag's name without the dashes.
  absl::string_view name;
  // What the value is, for the usage text: "PATH". Empty for a switch, a flag
  // that takes no value.
  absl::string_view value;
  // One line for HelpText.
  absl::string_view help;
  // Whether it may be given several times, which is the same as once with a
  // list of the values, with commas.
  bool is_list = false;
};

struct CommandSpec {
  // "compare".
  absl::string_view name;
  // One line, without its end.
  absl::string_view summary;
  // The command line, without "usage: ": "ns compare --float=PATH ...". Where
  // it begins with "ns ", errors refer to "ns help <name>", elsewhere to
  // "<name> --help".
  absl::string_view usage;
  // Lines behind the summary, wrapped by hand, each with its end; may be empty.
  absl::string_view details;
  absl::Span<const FlagSpec> flags;
  // A command line that can be pasted.
  absl::string_view example;
  // How many arguments that are no flags it takes at most, such as files.
  size_t most_arguments = 0;
};

// The flags that were given, as --name=value, or as --name for switches. The
// functions below take names without the dashes.
class Flags {
 public:
  // Parses `arguments`, without the name of the program and of the command.
  // Errors name the flag: it is unknown (the message names the closest one), is
  // given twice and is no list, lacks its value or has an empty one, or is a
  // switch with a value. Also an error: more arguments that are no flags than
  // CommandSpec::most_arguments, and one that begins with a single dash. --help
  // is for the caller to look for.
  static absl::StatusOr<Flags> Parse(absl::Span<const std::string> arguments,
                                     const CommandSpec& command);

  // The arguments that are no flags, in their order.
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Whether the flag or switch was given.
  bool Has(absl::string_view name) const;
  // Returns the flag's value, "true" for a switch, and `otherwise` when it was
  // not given.
  std::string Get(absl::string_view name,
                  absl::string_view otherwise = "") const;

  // Returns the flag's value. Error: the flag was not given.
  absl::StatusOr<std::string> Required(absl::string_view name) const;

  // Returns the parts of the value between commas; an empty list when the flag
  // was not given. Error: an empty part.
  absl::StatusOr<std::vector<std::string>> List(absl::string_view name) const;

  // Returns the value as a whole number of at least `least`, and nullopt when
  // the flag was not given. Error: any other value.
  absl::StatusOr<std::optional<int64_t>> Number(absl::string_view name,
                                                int64_t least) const;

  // Returns the value as a finite number above 0, and nullopt when the flag was
  // not given. Error: any other value.
  absl::StatusOr<std::optional<double>> Positive(absl::string_view name) const;

  // Returns the value, which must be one of `choices`, and the first of these
  // when the flag was not given. There must be one at least. Error: any other
  // value.
  absl::StatusOr<std::string> Choice(
      absl::string_view name,
      absl::Span<const absl::string_view> choices) const;

 private:
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> arguments_;
};

// Returns the text that a user reads for help: "usage: ns compare ...", with
// the summary, the details, every flag and the example.
std::string HelpText(const CommandSpec& command);

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMMAND_LINE_H_

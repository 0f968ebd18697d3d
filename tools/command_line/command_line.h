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
  // Another name by which users may give it; empty for none.
  absl::string_view alias = {};
};

// Returns what stands in a table of flags before those that HelpText lists
// under `title`.
constexpr FlagSpec Heading(absl::string_view title) { return {"", "", title}; }

struct CommandSpec {
  // "compare".
  absl::string_view name;
  // One line, without its end.
  absl::string_view summary;
  // The command line, without "usage: ": "ns compare FLOAT QUANTIZED ...".
  // Where it begins with "ns ", errors refer to "ns help <name>", elsewhere to
  // "<name> --help".
  absl::string_view usage;
  // Lines after the summary, wrapped by hand, each with its end; may be empty.
  absl::string_view details;
  absl::Span<const FlagSpec> flags;
  // A command line that begins with the program's name: "ns compare F.pt ...".
  absl::string_view example;
  // The flags that arguments without dashes stand for, in their order: "float",
  // "quantized". The last one takes all that are left if it is a list.
  absl::Span<const absl::string_view> positionals = {};
  // How many arguments that are no flags the command takes at most, if it has
  // no positionals.
  size_t most_arguments = 0;
};

// The flags that were given, as --name=value or --name value, or as --name for
// switches; -o stands for --out. The functions below take names without the
// dashes.
class Flags {
 public:
  // Parses `arguments`, without the name of the program and of the command.
  // Arguments without dashes become the values of those positionals that are
  // not given as flags. Errors name the flag: it is unknown (the message names
  // the nearest one), is given twice and is no list, lacks its value or has an
  // empty one, or is a switch with a value. Also an error: more arguments
  // without dashes than the command takes, and one that begins with a single
  // dash. --help is for the caller to look for.
  static absl::StatusOr<Flags> Parse(absl::Span<const std::string> arguments,
                                     const CommandSpec& command);

  // The arguments that are neither flags nor positionals, in their order.
  const std::vector<std::string>& arguments() const { return arguments_; }

  // Returns the command line, as a shell takes it: "ns compare a.pt 'b c.pt'".
  std::string CommandText() const;

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
  // value; the message names the nearest choice.
  absl::StatusOr<std::string> Choice(
      absl::string_view name,
      absl::Span<const absl::string_view> choices) const;

 private:
  // Adds a value of the flag `spec`.
  absl::Status Add(const FlagSpec& spec, absl::string_view value);
  // Makes `arguments` the values of `command`'s positionals.
  absl::Status AddPositionals(absl::Span<const std::string> arguments,
                              const CommandSpec& command);

  // The name of the command, and all that stands behind it.
  std::string command_;
  std::vector<std::string> words_;
  std::map<std::string, std::string, std::less<>> values_;
  std::vector<std::string> arguments_;
};

}  // namespace ns

#endif  // TOOLS_COMMAND_LINE_COMMAND_LINE_H_

#include "tools/command_line/completion.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"

namespace ns {
namespace {

// "--json=" or, for a switch, "--quiet".
std::string Word(const FlagSpec& flag) {
  return absl::StrCat("--", flag.name, flag.value.empty() ? "" : "=");
}

// Returns the words of all flags, with spaces between them.
std::string FlagWords(const CommandSpec& command) {
  std::vector<std::string> words;
  for (const FlagSpec& flag : command.flags) {
    if (!flag.name.empty()) {
      words.push_back(Word(flag));
    }
  }
  return absl::StrJoin(words, " ");
}

std::string CommandNames(absl::Span<const CommandSpec* const> commands) {
  return absl::StrJoin(commands, " ",
                       [](std::string* out, const CommandSpec* command) {
                         absl::StrAppend(out, command->name);
                       });
}

// Escapes what separates the parts of a zsh specification, and the quotes
// around it.
std::string ForZsh(absl::string_view text) {
  return absl::StrReplaceAll(text, {{"\\", "\\\\"},
                                    {"'", "'\\''"},
                                    {":", "\\:"},
                                    {"[", "\\["},
                                    {"]", "\\]"}});
}

}  // namespace

std::string BashCompletion(absl::Span<const CommandSpec* const> commands) {
  std::string flags;
  for (const CommandSpec* command : commands) {
    absl::StrAppend(&flags, "    ", command->name, ") flags='",
                    FlagWords(*command), "' ;;\n");
  }
  const std::string names = CommandNames(commands);
  return absl::StrCat(
      "# Completes ns in bash: source <(ns completion bash)\n"
      "_ns() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} flags=\n"
      "  if ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '",
      names,
      " help completion' -- \"$word\"))\n"
      "    return\n"
      "  fi\n"
      "  case ${COMP_WORDS[1]} in\n"
      "    help)\n"
      "      COMPREPLY=($(compgen -W '",
      names,
      "' -- \"$word\"))\n"
      "      return ;;\n"
      "    completion)\n"
      "      COMPREPLY=($(compgen -W 'bash zsh' -- \"$word\"))\n"
      "      return ;;\n",
      flags,
      "  esac\n"
      "  if [[ $word == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
      "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
      "    return\n"
      "  fi\n"
      "  # bash makes a word of the = between a flag and its value.\n"
      "  [[ $word == = ]] && word=\n"
      "  compopt -o filenames 2>/dev/null\n"
      "  COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "}\n"
      "complete -F _ns ns\n");
}

std::string ZshCompletion(absl::Span<const CommandSpec* const> commands) {
  std::string descriptions;
  std::string cases;
  for (const CommandSpec* command : commands) {
    absl::StrAppend(&descriptions, "    '", command->name, ":",
                    ForZsh(command->summary), "'\n");
    absl::StrAppend(&cases, "    ", command->name, ")\n      _arguments \\\n");
    for (const FlagSpec& flag : command->flags) {
      if (flag.name.empty()) {
        continue;
      }
      absl::StrAppend(&cases, "        '", flag.is_list ? "*" : "", Word(flag),
                      "[", ForZsh(flag.help), "]",
                      flag.value.empty()
                          ? ""
                          : absl::StrCat(":", ForZsh(flag.value), ":_files"),
                      "' \\\n");
    }
    absl::StrAppend(&cases, "        '*:file:_files' ;;\n");
  }
  return absl::StrCat(
      "#compdef ns\n"
      "# Completes ns in zsh: source <(ns completion zsh)\n"
      "_ns() {\n"
      "  local -a commands=(\n",
      descriptions,
      "    'help:the flags of a command'\n"
      "    'completion:a script that completes ns in a shell'\n"
      "  )\n"
      "  if ((CURRENT == 2)); then\n"
      "    _describe command commands\n"
      "    return\n"
      "  fi\n"
      "  local command=$words[2]\n"
      "  shift words\n"
      "  ((CURRENT--))\n"
      "  case $command in\n"
      "    help) _values command ",
      CommandNames(commands),
      " ;;\n"
      "    completion) _values shell bash zsh ;;\n",
      cases,
      "  esac\n"
      "}\n"
      "compdef _ns ns\n");
}

}  // namespace ns

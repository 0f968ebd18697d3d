#include "ns/report/table/name_list.h"

#include "ns/result/printable.h"

namespace ns {

std::string NameList(absl::string_view what,
                     const std::vector<std::string>& names) {
  if (names.empty()) {
    return "";
  }
  std::string list = absl::StrCat("\n", names.size(), " ", what, ":\n");
  for (const std::string& name : names) {
    absl::StrAppend(&list, "  ", Printable(name), "\n");
  }
  return list;
}

}  // namespace ns

#include "tools/flags/budget_flag.h"

#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "ns/n_shadows/sensitivity.h"

namespace ns {

absl::StatusOr<double> ParseBudgetDb(const Flags& flags) {
  const std::string text = flags.Get("budget");
  const absl::StatusOr<Budget> budget = ParseBudget(text);
  if (!budget.ok() || budget->kind != Budget::Kind::kSqnr ||
      budget->amount <= 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "--budget=", text, " is no SQNR; use one above 0, as 30dB"));
  }
  return budget->amount;
}

}  // namespace ns

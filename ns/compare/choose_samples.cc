#include "ns/compare/choose_samples.h"

#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "ir/base/status.h"
#include "ns/accuracy/sample_ranking.h"
#include "ns/suite/compare_models.h"

namespace ns {
namespace {

template <typename... Parts>
absl::Status Refused(const Parts&... parts) {
  return absl::InvalidArgumentError(absl::StrCat(parts...));
}

// How many samples each batch has.
absl::StatusOr<std::vector<int64_t>> CountSamples(const BatchReader& batches) {
  std::vector<int64_t> counts;
  for (int64_t i = 0; i < batches.size(); ++i) {
    NS_ASSIGN_OR_RETURN(const Batch batch, batches.Read(i));
    counts.push_back(SamplesOf(batch));
  }
  return counts;
}

// Splits `samples`, ascending, into those of each batch.
absl::StatusOr<ChosenSamples> Split(const std::vector<int64_t>& counts,
                                    std::string chosen,
                                    std::vector<int64_t> samples) {
  ChosenSamples result;
  int64_t first = 0;
  auto next = samples.begin();
  for (size_t i = 0; i < counts.size(); ++i) {
    BatchSamples of_batch = {static_cast<int64_t>(i), counts[i], {}};
    for (; next != samples.end() && *next < first + counts[i]; ++next) {
      of_batch.samples.push_back(*next - first);
    }
    first += counts[i];
    if (!of_batch.samples.empty()) {
      result.selection.push_back(std::move(of_batch));
    }
  }
  if (next != samples.end()) {
    return Refused("--samples: there is no sample ", *next,
                   "; the inputs have ", first, ", counted from 0");
  }
  result.compared = {std::move(chosen), std::move(samples), first};
  return result;
}

// What the first run needs of `compare`.
CompareOptions FirstRun(const CompareOptions& compare) {
  CompareOptions first;
  first.match = compare.match;
  first.exact = compare.exact;
  first.io_types = compare.io_types;
  first.emulate = compare.emulate;
  first.check_matches = compare.check_matches;
  first.progress = compare.progress;
  first.weights = false;
  return first;
}

}  // namespace

absl::StatusOr<SampleChoice> ParseSampleChoice(absl::string_view text) {
  SampleChoice choice;
  if (text == "flipped") {
    choice.kind = SampleChoice::Kind::kFlipped;
    return choice;
  }
  absl::string_view count = text;
  if (absl::ConsumePrefix(&count, "worst:")) {
    choice.kind = SampleChoice::Kind::kWorst;
    return absl::SimpleAtoi(count, &choice.count) && choice.count > 0
               ? absl::StatusOr<SampleChoice>(choice)
               : Refused("'", text,
                         "' has no number of samples of at least 1, such as "
                         "worst:8");
  }
  for (const absl::string_view part : absl::StrSplit(text, ',')) {
    int64_t sample = 0;
    if (!absl::SimpleAtoi(part, &sample) || sample < 0) {
      return Refused("'", part,
                     "' is not flipped, worst:N, or the number of a sample, "
                     "counted from 0");
    }
    choice.samples.push_back(sample);
  }
  absl::c_sort(choice.samples);
  choice.samples.erase(
      std::unique(choice.samples.begin(), choice.samples.end()),
      choice.samples.end());
  return choice;
}

absl::StatusOr<ChosenSamples> ListedSamples(const BatchReader& batches,
                                            const SampleChoice& choice) {
  NS_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, CountSamples(batches));
  return Split(counts, "listed", choice.samples);
}

absl::StatusOr<ChosenSamples> ChooseSamples(const ModelPair& models,
                                            const BatchReader& batches,
                                            const SampleChoice& choice,
                                            const CompareOptions& compare) {
  if (choice.kind == SampleChoice::Kind::kListed) {
    return ListedSamples(batches, choice);
  }
  NS_ASSIGN_OR_RETURN(const std::vector<int64_t> counts, CountSamples(batches));
  const int64_t total = absl::c_accumulate(counts, int64_t{0});
  if (total == 0) {
    return Refused("--samples: the inputs contain no samples");
  }
  SampleRanking ranking;
  CompareOptions first = FirstRun(compare);
  first.see_outputs = [&](int64_t batch, const c10::IValue& of_float,
                          const c10::IValue& of_quantized) {
    return Annotated(absl::StrCat("batch ", batch),
                     ranking.Add(counts[static_cast<size_t>(batch)], of_float,
                                 of_quantized));
  };
  NS_RETURN_IF_ERROR(
      CompareModels(models.float_model, models.quantized_model, batches, first)
          .status());
  if (choice.kind == SampleChoice::Kind::kWorst) {
    return Split(counts, absl::StrCat("worst:", choice.count),
                 ranking.Worst(choice.count));
  }
  NS_ASSIGN_OR_RETURN(std::vector<int64_t> flipped, ranking.Flipped());
  if (flipped.empty()) {
    return Refused(
        "--samples=flipped: no sample flips, both models put all ", total,
        " samples into the same classes; --samples=worst:8 compares those with "
        "the largest error");
  }
  return Split(counts, "flipped", std::move(flipped));
}

}  // namespace ns

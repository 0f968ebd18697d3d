// Chooses the samples of the inputs that are compared.
#ifndef NS_COMPARE_CHOOSE_SAMPLES_H_
#define NS_COMPARE_CHOOSE_SAMPLES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ns/batches/batch.h"
#include "ns/batches/batch_reader.h"
#include "ns/compare/load_pair.h"
#include "ns/result/compared_samples.h"
#include "ns/suite/compare_options.h"

namespace ns {

struct SampleChoice {
  enum class Kind {
    // The samples that the models put into different classes.
    kFlipped,
    // Those with the lowest SQNR of the first output.
    kWorst,
    // Those of `samples`.
    kListed,
  };
  Kind kind = Kind::kListed;
  // How many, for kWorst; at least 1.
  int64_t count = 0;
  // Numbers of samples over all batches, from 0; not empty for kListed.
  std::vector<int64_t> samples;
};

// Reads "flipped", "worst:8", or "3,17". Error: anything else.
absl::StatusOr<SampleChoice> ParseSampleChoice(absl::string_view text);

struct ChosenSamples {
  // The batches with some chosen samples, in order.
  std::vector<BatchSamples> selection;
  ComparedSamples compared;
};

// Returns the samples of `choice` that are kListed. Error: a sample that the
// batches lack, or a batch that cannot be read.
absl::StatusOr<ChosenSamples> ListedSamples(const BatchReader& batches,
                                            const SampleChoice& choice);

// Runs both models on all batches as CompareModels does, and returns the
// samples of any `choice`. Of `compare`, what says how models are matched and
// run counts, and its progress and check_matches. Errors: those of
// CompareModels, SampleRanking and ListedSamples; there is no sample, or none
// flips.
absl::StatusOr<ChosenSamples> ChooseSamples(const ModelPair& models,
                                            const BatchReader& batches,
                                            const SampleChoice& choice,
                                            const CompareOptions& compare);

}  // namespace ns

#endif  // NS_COMPARE_CHOOSE_SAMPLES_H_

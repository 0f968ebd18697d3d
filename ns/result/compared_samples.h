// Holds which samples of the inputs were compared, as plain data.
#ifndef NS_RESULT_COMPARED_SAMPLES_H_
#define NS_RESULT_COMPARED_SAMPLES_H_

#include <cstdint>
#include <string>
#include <vector>

namespace ns {

// Samples are entries of the first dimension of the inputs, counted over all
// batches from 0.
struct ComparedSamples {
  // How they were chosen: "flipped", "worst:8", or "listed".
  std::string chosen;
  // The samples, ascending.
  std::vector<int64_t> samples;
  // How many samples the inputs have.
  int64_t total = 0;
};

}  // namespace ns

#endif  // NS_RESULT_COMPARED_SAMPLES_H_

// Gives what an observer has seen as a histogram, whatever kind keeps it.
#ifndef PASSES_QUANTIZATION_CONVERT_SEEN_HISTOGRAM_H_
#define PASSES_QUANTIZATION_CONVERT_SEEN_HISTOGRAM_H_

#include <vector>

namespace ns {

class Observer;

// Bin i has counts[i] values from least + i * width on. Exact zeros among them
// are in `zeros`, too, as far as the observer tells them apart.
struct SeenHistogram {
  std::vector<double> counts;
  double least = 0;
  double width = 0;
  double zeros = 0;
};

// Without counts where the observer keeps no histogram, or has seen nothing.
// Values that are not finite do not count.
SeenHistogram SeenHistogramOf(const Observer& observer);

}  // namespace ns

#endif  // PASSES_QUANTIZATION_CONVERT_SEEN_HISTOGRAM_H_

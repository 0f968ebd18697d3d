// Figures of compared values, for tests of JSON.
#ifndef TESTS_NS_REPORT_JSON_COMPARED_VALUES_H_
#define TESTS_NS_REPORT_JSON_COMPARED_VALUES_H_

#include <cstdint>
#include <vector>

#include "ns/result/comparison_result.h"

namespace ns {

// Returns figures with the SQNR in dB of each batch and of each trip of a loop.
inline ActivationComparison Figures(const std::vector<int64_t>& shape,
                                    const ErrorFigures& error,
                                    const std::vector<double>& batches,
                                    const std::vector<double>& trips = {}) {
  ActivationComparison figures;
  figures.shape = shape;
  figures.error = error;
  figures.batch_sqnr_db = batches;
  figures.trip_sqnr_db = trips;
  return figures;
}

}  // namespace ns

#endif  // TESTS_NS_REPORT_JSON_COMPARED_VALUES_H_

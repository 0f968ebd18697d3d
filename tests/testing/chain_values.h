// Computes what the float ops of a network return, in float64 and without any
// graph.
#ifndef TESTS_TESTING_CHAIN_VALUES_H_
#define TESTS_TESTING_CHAIN_VALUES_H_

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "tests/testing/random_chain.h"

namespace ns {

// Returns a random float32 input for `chain`: a batch of 3.
at::Tensor ChainInput(const Chain& chain, int64_t seed);

// Returns for each of chain.values what it holds each time it is computed: none
// in an arm that is not run, several in the body of a loop. All ifs run their
// first arm where `flag` is true, and else their second.
std::vector<std::vector<at::Tensor>> ChainValuesInFloat64(
    const Chain& chain, const at::Tensor& input, bool flag);

}  // namespace ns

#endif  // TESTS_TESTING_CHAIN_VALUES_H_

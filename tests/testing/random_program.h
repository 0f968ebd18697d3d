// Makes random TorchScript programs, for property tests.
#ifndef TESTS_TESTING_RANDOM_PROGRAM_H_
#define TESTS_TESTING_RANDOM_PROGRAM_H_

#include <string>

namespace ns {

// Returns the source of a method `forward(self, x: Tensor) -> Tensor` on 4 x 4
// tensors, with control flow that depends on data, lists, and ops that work in
// place; always the same for one `seed`. `alpha` is a number in it that changes
// values and leaves the program's shape as it is.
std::string RandomProgram(int seed, int alpha = 2);

}  // namespace ns

#endif  // TESTS_TESTING_RANDOM_PROGRAM_H_

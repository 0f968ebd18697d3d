// Makes random TorchScript programs of everything that scripted models are
// written in, for property tests.
#ifndef TESTS_TESTING_RANDOM_SCRIPT_H_
#define TESTS_TESTING_RANDOM_SCRIPT_H_

#include <cstdint>
#include <string>

namespace ns {

// Returns the source of a method `forward(self, x: Tensor) -> Tensor` on 4 x 4
// tensors, always the same for one `seed`. Beside the ops of RandomProgram
// (random_program.h), it has
//
// - lists that grow, in loops and arms too, and dicts; also read in a loop
//   before the op that fills them;
// - views of one value that differ only in a constant argument;
// - ops in place that write to a value, or through a view or slice of it;
// - chunk, split and unbind, the parts of which are used in any order;
// - `if` without `else`, optional tensors, `while`, and values that are carried
//   by loops.
//
// Values stay between -8 and 8, so that no figure is infinite or nan.
std::string RandomScript(int64_t seed);

}  // namespace ns

#endif  // TESTS_TESTING_RANDOM_SCRIPT_H_

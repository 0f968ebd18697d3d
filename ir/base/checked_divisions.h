// Makes integer divisions in TorchScript throw where the processor would stop
// the process.
#ifndef IR_BASE_CHECKED_DIVISIONS_H_
#define IR_BASE_CHECKED_DIVISIONS_H_

namespace ns {

// Replaces the operators of LibTorch that divide one integer by another, such
// as `7 % n`. LibTorch divides without a check, also while it folds constants
// of a model that it loads, and the processor ends the process with SIGFPE on
// 7 % 0 and on (-2**63) // -1. Afterwards, the former is an exception, as in
// Python; of the latter, the results that 64 bits hold are returned, and the
// others are an exception. Everything else is computed as before.
//
// Call it before code is loaded that may hold such operators; later calls do
// nothing. Any thread may call it.
void CheckIntegerDivisions();

}  // namespace ns

#endif  // IR_BASE_CHECKED_DIVISIONS_H_

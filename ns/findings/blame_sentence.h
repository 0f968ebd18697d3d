// Says which layer is to blame, and why.
#ifndef NS_FINDINGS_BLAME_SENTENCE_H_
#define NS_FINDINGS_BLAME_SENTENCE_H_

#include <string>

#include "ns/findings/blame.h"
#include "ns/result/comparison_result.h"

namespace ns {

// Returns "fc is to blame (8.7 dB by itself): its bias is off by 0.3 (root
// of the mean square).", with the figures that were measured. `blame` is what
// BlameOf(result) returned. Control characters in names are escaped.
std::string BlameSentence(const ComparisonResult& result, const Blame& blame);

}  // namespace ns

#endif  // NS_FINDINGS_BLAME_SENTENCE_H_

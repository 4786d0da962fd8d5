// The admissions that the rates of a caller, and of the limit of record, count from.
#ifndef ATMOST_RULE_RATES_H
#define ATMOST_RULE_RATES_H

#include "facts.h"

namespace atmost::rule {

// Fills `view`: for the caller's own rate, and for that rate of the limit of record which allows
// the next admission last.
void see_rates(Facts& facts, const Rate& own, const Instant& now, View& view);

}  // namespace atmost::rule

#endif

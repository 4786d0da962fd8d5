// The words about a run that was stopped, or was too fast.
#ifndef ATMOST_CLI_STOPPED_WORDS_H
#define ATMOST_CLI_STOPPED_WORDS_H

#include "report.h"

namespace atmost::cli {

// Behind "the command was stopped": when, and why.
void why_stopped(Sentence& to, const Outcome& outcome, const Request& request,
                 const StoreTraits& traits);
// Behind the lock's name.
void too_fast_words(Sentence& to, const Outcome& outcome, const Request& request);

}  // namespace atmost::cli

#endif

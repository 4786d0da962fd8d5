// getopt without guessing: a long option is what it is called, not the beginning of it. A script
// that says --la would mean something else once there is --label.
#ifndef ATMOST_LIBEXEC_READER_EXACT_OPTION_H
#define ATMOST_LIBEXEC_READER_EXACT_OPTION_H

#include <getopt.h>

namespace atmost::history {

// As getopt_long(3) with its global variables; an abbreviated option is an unknown one ('?'), and
// argv[optind - 1] names it.
int next_option(int argc, char** argv, const char* letters, const option* all);

}  // namespace atmost::history

#endif

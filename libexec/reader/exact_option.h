// getopt without abbreviations: a long option is written in full. A script with --la would get
// another option once there is --label.
#ifndef ATMOST_LIBEXEC_READER_EXACT_OPTION_H
#define ATMOST_LIBEXEC_READER_EXACT_OPTION_H

#include <getopt.h>

namespace atmost::history {

// As getopt_long(3) with its global variables; an abbreviated option is an unknown one ('?'), and
// argv[optind - 1] names it.
int next_option(int argc, char** argv, const char* letters, const option* all);

}  // namespace atmost::history

#endif

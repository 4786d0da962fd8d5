// The place at which to begin in a log of which only the part from some moment on is wanted.
#ifndef ATMOST_LIBEXEC_READER_BEGINNING_H
#define ATMOST_LIBEXEC_READER_BEGINNING_H

#include <cstdint>

namespace atmost::history {

// The offset of a line before which no line is wanted: lines stand in the order of time, but for
// those that are written up to a minute late. Found by halving, so that of a file of 64 MiB about
// half a MiB is read. Lines that stand in another order (a clock was set) lead to an earlier
// offset, unless 48 KiB of them in a row are older. 0 where the file cannot be read.
std::int64_t find_beginning(int fd, std::int64_t size, std::int64_t since_ns);

}  // namespace atmost::history

#endif

// By what a descriptor is recognised whose number may by now be another file's.
#ifndef ATMOST_OS_MARK_H
#define ATMOST_OS_MARK_H

#include <cstdint>

namespace atmost::os {

// A mark on the open file description of a regular file, by which it is recognised if the program
// around us may have closed the descriptor and opened something else under its number. It is the
// file offset, which none of our calls uses: pread and pwrite do not move it. Each mark is given
// once in a process. 0: the descriptor cannot be marked.
std::int64_t mark_descriptor(int fd);
bool copy_mark(int fd, std::int64_t mark);  // for a second description of the same file
// `none`: it has no mark, as when the program has moved the offset, or is not open.
enum class Marked : std::uint8_t { so, otherwise, none };
Marked marked(int fd, std::int64_t mark);

}  // namespace atmost::os

#endif

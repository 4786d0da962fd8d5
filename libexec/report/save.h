// Files that are replaced as a whole, or stay as they were.
#ifndef ATMOST_LIBEXEC_REPORT_SAVE_H
#define ATMOST_LIBEXEC_REPORT_SAVE_H

#include <string>
#include <string_view>

namespace atmost::report {

// Writes `text` to `path`: to a new file in the same directory, synced, then renamed, so that a
// reader sees the old or the new text and a full disk costs nothing but this. A link is followed;
// a file that is not a regular one (/dev/stdout, a FIFO) is written to as it is. A new file gets
// mode 0666 less the umask, one that is replaced hands its mode on. If the process is killed, a
// file `.NAME.XXXXXX` may stay behind. Throws history::Failure (io, not_permitted).
void save(const std::string& path, std::string_view text);

// To `path`, or to standard output when that is empty. Returns 0, the exit code.
int deliver(const std::string& path, const std::string& text);

}  // namespace atmost::report

#endif

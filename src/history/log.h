// The event log: appended by every atmost on the machine at once, kept under a size, never in the
// way of a job.
#ifndef ATMOST_HISTORY_LOG_H
#define ATMOST_HISTORY_LOG_H

#include <cstddef>
#include <cstdint>

#include "core/event.h"
#include "core/result.h"
#include "core/text.h"
#include "os/fd.h"

namespace atmost::history {

// A file that has grown to this size becomes the old generation, and that one's place is taken: at
// most twice as much and a few lines are kept. 64 MiB are about 200,000 events.
inline constexpr std::int64_t kDefaultCap = std::int64_t{64} << 20;

// What the old generation is called: the file's name with this behind it.
inline constexpr std::string_view kOldEnding = ".1";
inline constexpr std::string_view kDefaultName = "history.jsonl";

struct LogPlace {
  PathText path;
  std::int64_t cap = kDefaultCap;
  unsigned mode = 0600;  // of a file that this process creates, whatever the umask
  // False when whoever opened the lock beside it has done so, or they are the user's own.
  bool check_directories = true;
  // Directories that are missing are made; where neither they nor the file can be, nothing is
  // logged, and that is no error.
  bool optional = false;
  // The descriptors are a program's that may close any of them, and open something else: look
  // before each write.
  bool among_others = false;
};

// One per process; not thread-safe. The file stays open between two events of one run
// (close-on-exec: the command never sees it); it is opened anew when the path leads somewhere else,
// as after a rotation by anybody.
//
// Blocks for the disk, never for another process. Nothing is synced: a power failure may cost the
// last seconds. A process that dies on its way leaves at most one line without its end; the next
// line begins on one of its own.
class Log {
 public:
  explicit Log(const LogPlace& place) : place_(place) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Appends one line with one write(2). The error names the file, what failed and why; the event is
  // then not in the log, or only in part. Four system calls, and one more for each time the file is
  // opened.
  Status append(const Event& event);

  // Closes the file, if it is still ours to close.
  void close();

 private:
  bool still_ours() const;
  Status open();
  Status open_path();
  int create();
  Status check_file();
  Status still_there(bool& there);
  // Whether the file ends in the middle of a line that nobody is writing any more.
  Status look_at_end(bool& torn);
  // `kept` is false when the file was replaced, and replaced again, while we wrote: the line went
  // with it.
  Status write(char* line, std::size_t size, bool& kept);
  void rotate();
  Error failure(Code code, int sys, std::string_view what) const;

  const LogPlace& place_;
  bool nowhere_ = false;  // an optional log, for which there is no place
  os::Fd fd_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::int64_t size_ = 0;  // when last looked at
};

}  // namespace atmost::history

#endif

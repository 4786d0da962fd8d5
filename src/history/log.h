// An event as one line of JSON.
#ifndef ATMOST_HISTORY_LOG_H
#define ATMOST_HISTORY_LOG_H

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/event.h"
#include "core/result.h"
#include "core/text.h"
#include "os/file.h"

namespace atmost::history {

// No line is longer, its newline included.
inline constexpr std::size_t kMaxLine = 24576;

struct Line {
  std::size_t size = 0;
  bool cut = false;  // something did not fit, and the line has "cut":true
};

// Writes the line, newline included: at most `to` and kMaxLine, whatever the event holds. Pure: the
// same event, the same bytes.
Line format_line(const EventValues& event, std::span<char> to);

// "2026-11-21T07:29:17.123456Z". The years are 1677 to 2262, the range of 64 bits of nanoseconds.
Text<40> utc_words(std::int64_t real_ns);

// "TERM" for SIGTERM; "RTMIN+3", or the number alone for a signal without a name. The reader has
// the same table.
Text<16> signal_name(int signal);

// The event log. Every atmost on the machine appends to it, its size is bounded, and it never
// delays a job on account of another process.

// A file that has grown to this size becomes the old generation, and a new one replaces it: at most
// twice as much and a few lines are kept. 64 MiB are about 200,000 events.
inline constexpr std::int64_t kDefaultCap = std::int64_t{64} << 20;

// A program that writes many events examines the path only after so long: a line that comes just
// after a rotation then ends the old generation, as one just before it does.
inline constexpr std::int64_t kLookNs = 10'000'000;

// The old generation has the file's name with this suffix.
inline constexpr std::string_view kOldEnding = ".1";
inline constexpr std::string_view kDefaultName = "history.jsonl";

struct LogPlace {
  std::int64_t cap = kDefaultCap;
  // The mode of a file that this process creates, whatever the umask is; unless it was given, 0660
  // in a directory that a group shares (os/file.h), where members write each other's files.
  unsigned mode = 0600;
  bool mode_given = false;
  // False when the caller that opened the lock beside it has checked already, or when they are the
  // user's own.
  bool check_directories = true;
  // Missing directories are created. If neither they nor the file can be, nothing is logged, and
  // that is not an error.
  bool optional = false;
  // The descriptors belong to a program that may close any of them and open something else under
  // the number: check before each write. The path is then examined once in kLookNs at most.
  bool among_others = false;
  PathText path;  // large, so last
};

// One per process; not thread-safe. The file stays open between two events of one run
// (close-on-exec: the command never sees it); it is opened anew when the path leads somewhere else,
// for example after a rotation by any process.
//
// Blocks for the disk, never for another process. Nothing is synced: a power failure may cost the
// last seconds. A process that dies during a write leaves at most one incomplete line; the next
// event begins on a new line.
class Log {
 public:
  explicit Log(const LogPlace& place) : place_(place) {}
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Appends one line, with one write(2). The error names the file, what failed and why; the
  // event is then not in the log, or only in part; about five system calls each time.
  Status append(const EventValues& event);

  // Closes the file if the descriptor is still ours.
  void close();

 private:
  Status append_text(char* lines, std::size_t size);
  bool still_ours(struct stat& status) const;
  bool just_looked() const;
  Status check_directories() const;
  Status open();
  Status open_path();
  int create();
  Status check_file();
  bool is_of_our_group(const struct stat& status) const;
  Status still_there(bool& there);
  // True if the file ends in an incomplete line that no process is still writing.
  Status look_at_end(bool& torn);
  // `kept` is false when the file was replaced twice while we wrote, so that the line is lost.
  Status write(char* line, std::size_t size, bool& kept);
  void rotate();
  Error failure(Code code, int sys, std::string_view what) const;

  const LogPlace& place_;
  bool nowhere_ = false;  // the log is optional and its file cannot be created
  os::Fd fd_;
  std::uint64_t device_ = 0;
  std::uint64_t inode_ = 0;
  std::int64_t size_ = 0;  // when last examined
  // Only where the descriptors are among others, in a program that may write many events: when the
  // path was last examined, and the size with which our last whole line left the file.
  std::int64_t now_boot_ns_ = 0;  // of this append
  std::int64_t looked_boot_ns_ = 0;
  std::int64_t whole_at_ = -1;
};

}  // namespace atmost::history

#endif

// A log read from its oldest generation on, and on again as it grows and is rotated.
#ifndef ATMOST_LIBEXEC_READER_TAIL_H
#define ATMOST_LIBEXEC_READER_TAIL_H

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "os/file.h"

namespace atmost::history {

// The offset of a line before which no line is wanted: lines stand in the order of time, but for
// those that are written up to a minute late. Found by halving, so that of a file of 64 MiB about
// half a MiB is read. Lines that stand in another order (a clock was set) lead to an earlier
// offset, unless 48 KiB of them in a row are older. 0 where the file cannot be read.
std::int64_t find_beginning(int fd, std::int64_t size, std::int64_t since_ns);

// Called with each line, without its newline; the view is valid during the call only.
using LineSink = std::function<void(std::string_view line)>;

class Tail {
 public:
  // `since_ns`: lines before this moment may be left out.
  explicit Tail(std::string path, std::int64_t since_ns = INT64_MIN);

  // Delivers every whole line that was not delivered yet; blocks for the disk only. Throws Failure
  // when a file is there and cannot be read.
  void advance(const LineSink& sink);
  // The beginning of the last line, if it has no end; afterwards it counts as delivered.
  void finish(const LineSink& sink);

  bool found() const { return found_; }  // true if there was a file at all
  const std::string& path() const { return path_; }

 private:
  // One file that is or was the log: by the time we are at its end it may have another name, or
  // none.
  struct Generation {
    os::Fd fd;
    dev_t device = 0;
    ino_t inode = 0;
    std::int64_t offset = 0;
    std::string begun;  // of a line whose end is not there yet
  };

  bool open(const std::string& path, Generation& to);
  bool is_known(const Generation& one) const;
  void read(Generation& from, const LineSink& sink);
  void deliver(Generation& from, std::string_view piece, const LineSink& sink);

  std::string path_;
  std::int64_t since_ns_;
  std::vector<Generation>
      generations_;  // oldest first; the last one is what the path led to when last looked at
  std::vector<char> buffer_;
  bool found_ = false;
};

}  // namespace atmost::history

#endif

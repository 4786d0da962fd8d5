// The output of a command, kept in a file without a name and shown when the command has ended.
#ifndef ATMOST_RUN_KEPT_OUTPUT_H
#define ATMOST_RUN_KEPT_OUTPUT_H

#include <cstdint>

#include "core/result.h"
#include "core/time.h"
#include "os/file.h"

namespace atmost::run {

// The command writes into the file itself, by its standard output and standard error alike: no
// process copies anything, and the texts of both stay in order. While it runs, trim() frees the
// middle of what was written, so that only the beginning and the end take room. Single-threaded;
// one owner. Touches nothing until open(). If this process dies, the output is lost with the last
// process that has the file open, and until then nothing bounds it.
class KeptOutput {
 public:
  // The part of the output that is kept.
  struct Bound {
    std::int64_t first = 0;  // so many bytes of its beginning
    std::int64_t last = 0;   // and of its end, at least 16 KiB
  };

  // Opens the file, in $TMPDIR or else /tmp. Error (cannot_create): the reason why there is none.
  Status open(const Bound& bound);

  // Close-on-exec; -1 before open().
  int descriptor() const { return file_.get(); }

  // Frees the middle. Returns when to call it next, on the boot clock.
  std::int64_t trim(std::int64_t boot_ns);

  // Opens it for another process, which may only read it. Returns the number of bytes of its end
  // that are whole; 0 if it cannot be opened.
  std::int64_t open_end(os::Fd& to) const;

  // True if the filesystem had room for more to the end. If it had none, output may be missing.
  bool has_room() const;

  // Writes the kept output to this process's standard output, and between beginning and end a line
  // with the number of omitted bytes. Blocks as long as the reader does. Does nothing when the
  // reader is gone.
  void show();

  // Call it last. If processes that the command left behind still write, a process stays that calls
  // trim() until there are none: in a session of its own, without any other descriptor, so without
  // any lock.
  void leave();

 private:
  std::int64_t size() const;
  std::int64_t cut_to(std::int64_t size) const;
  bool copy(std::int64_t from, std::int64_t to) const;

  os::Fd file_;
  Bound bound_;
  std::int64_t block_ = 0;
  std::int64_t freed_to_ = 0;
};

}  // namespace atmost::run

#endif

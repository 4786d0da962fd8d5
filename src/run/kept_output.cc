#include "kept_output.h"

#include <cerrno>
#include <cstring>

#include "core/words.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/helper_process.h"
#include "os/self.h"
#include "os/spawn.h"
#include "os/terminal.h"

namespace atmost::run {
namespace {

constexpr std::int64_t kLookNs = 100'000'000;
// So much of the end is searched for the beginning of a line.
constexpr std::int64_t kLongestLine = 4096;
constexpr int kOutput = 1;

Error no_file(const char* directory, int error) {
  Error failed = error_of(code_for(error), error, "--output: the output cannot be kept in ");
  failed.message.append(directory).append(": ");
  if (error == EOPNOTSUPP) {
    failed.message.append(
        "that filesystem cannot free the middle of a file: set TMPDIR to a directory on another");
  } else if (error == ENOSYS) {
    failed.message.append("this system cannot free the middle of a file: use --output=show");
  } else {
    failed.message.append(errno_words(error)).append(" (TMPDIR names another directory)");
  }
  return failed;
}

}  // namespace

Status KeptOutput::open(const Bound& bound) {
  bound_ = bound;
  const char* directory = os::variable("TMPDIR");
  if (directory == nullptr || directory[0] == '\0') directory = "/tmp";
  struct stat status;
  int error = os::open_unnamed(directory, file_);
  if (error == 0) error = os::file_status(file_.get(), status);
  if (error != 0) return no_file(directory, error);
  block_ = status.st_blksize > 0 && status.st_blksize <= 65536 ? status.st_blksize : 4096;
  bound_.first -= bound_.first % block_;
  freed_to_ = bound_.first;
  return {};
}

std::int64_t KeptOutput::size() const {
  struct stat status;
  return os::file_status(file_.get(), status) == 0 ? status.st_size : 0;
}

// Up to where a file of that size is left out, from bound_.first on: whole blocks.
std::int64_t KeptOutput::cut_to(std::int64_t size) const {
  if (size <= bound_.first + bound_.last) return bound_.first;
  const std::int64_t end = size - bound_.last + block_ - 1;
  return end - end % block_;
}

std::int64_t KeptOutput::trim(std::int64_t boot_ns) {
  const std::int64_t end = cut_to(size());
  if (end < freed_to_) freed_to_ = bound_.first;  // the command has truncated the file
  if (end > freed_to_ && os::free_blocks(file_.get(), freed_to_, end) == 0) freed_to_ = end;
  return boot_ns + kLookNs;
}

std::int64_t KeptOutput::open_end(os::Fd& to) const {
  return os::open_reader(file_, to) == 0 ? bound_.last : 0;
}

bool KeptOutput::has_room() const {
  const int error = os::has_room(file_.get());
  return error != ENOSPC && error != EDQUOT;
}

bool KeptOutput::copy(std::int64_t from, std::int64_t to) const {
  char room[16384];
  while (from < to) {
    const std::int64_t left = to - from;
    const std::size_t most = left < static_cast<std::int64_t>(sizeof room)
                                 ? static_cast<std::size_t>(left)
                                 : sizeof room;
    std::size_t got = 0;
    if (os::read_at(file_.get(), room, most, from, got) != 0 || got == 0) return false;
    if (os::write_stream(kOutput, room, got) != 0) return false;
    from += static_cast<std::int64_t>(got);
  }
  return true;
}

void KeptOutput::show() {
  trim(0);
  const std::int64_t end = size();
  std::int64_t second = cut_to(end);
  if (second == bound_.first) {
    copy(0, end);
    return;
  }
  char line[kLongestLine];
  std::size_t got = 0;
  if (os::read_at(file_.get(), line, sizeof line, second, got) == 0) {
    const void* const newline = std::memchr(line, '\n', got);
    if (newline != nullptr) second += static_cast<const char*>(newline) - line + 1;
  }
  if (!copy(0, bound_.first)) return;
  Text<120> words;
  char last = '\n';
  if (bound_.first > 0) (void)os::read_at(file_.get(), &last, 1, bound_.first - 1, got);
  if (last != '\n') words.push('\n');
  words.append("atmost: ").append_signed(second - bound_.first);
  words.append(" bytes of output are left out here\n");
  const std::string_view text = words;
  if (os::write_stream(kOutput, text.data(), text.size()) == 0) copy(second, end);
}

void KeptOutput::leave() {
  if (!os::has_other_writers(file_)) return;
  os::HelperProcess helper;
  if (helper.start() != 0 || !helper.is_helper()) return;
  const int keep[] = {file_.get()};
  helper.settle(keep, 1);
  do {
    (void)os::sleep_until(trim(os::boot_ns()));
  } while (os::has_other_writers(file_));
  os::exit_now(0);
}

}  // namespace atmost::run

#include "reader/tail.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "history/log.h"
#include "os/file.h"
#include "reader/output.h"
#include "reader/record.h"

namespace atmost::history {
namespace {

constexpr std::int64_t kLate = 60'000'000'000;
// A part of this size has a whole line in it, wherever the part begins.
constexpr std::size_t kBlock = 2 * kMaxLine;

// True if there are whole lines in `text`, behind the end of the first, and all are older.
bool all_older(std::string_view text, std::int64_t than_ns) {
  bool any = false;
  for (std::size_t at = text.find('\n'); at != std::string_view::npos;) {
    const std::size_t end = text.find('\n', at + 1);
    if (end == std::string_view::npos) break;
    Record record;
    if (read_line(text.substr(at + 1, end - at - 1), record) != Reading::foreign) {
      if (record.ns("at") >= than_ns) return false;
      any = true;
    }
    at = end;
  }
  return any;
}

}  // namespace

std::int64_t find_beginning(int fd, std::int64_t size, std::int64_t since_ns) {
  if (since_ns < INT64_MIN + kLate) return 0;
  std::vector<char> block(kBlock);
  std::int64_t low = 0;  // the beginning of a line before which all are older
  for (std::int64_t high = size; high - low > static_cast<std::int64_t>(kBlock);) {
    const std::int64_t middle = low + (high - low) / 2;
    std::size_t got = 0;
    if (os::read_at(fd, block.data(), block.size(), middle, got) != 0) return low;
    const std::string_view text(block.data(), got);
    if (all_older(text, since_ns - kLate)) {
      low = middle + static_cast<std::int64_t>(text.rfind('\n')) + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

namespace {

constexpr std::size_t kBuffer = 1 << 20;
// Text longer than any line of ours, with another torn line before it, is not kept in memory: it
// cannot become a valid line.
constexpr std::size_t kLongest = 4 * kMaxLine;
// The number of generations that are kept open: late writers append to a file that was renamed a
// moment ago.
constexpr std::size_t kKept = 2;

// The next byte at or behind `offset` that lies in no hole: a crash may leave a hole of any size.
std::int64_t behind_hole(int fd, std::int64_t offset) {
  const off_t data = lseek(fd, offset, SEEK_DATA);
  if (data >= 0) return data;
  struct stat status;
  return errno == ENXIO && os::file_status(fd, status) == 0 && status.st_size > offset
             ? status.st_size
             : offset;
}

[[noreturn]] void fail_to_read(const std::string& path, int error) {
  throw Failure(error == EACCES ? Code::not_permitted : Code::io,
                path + ": cannot read: " + std::strerror(error));
}

}  // namespace

Tail::Tail(std::string path, std::int64_t since_ns)
    : path_(std::move(path)), since_ns_(since_ns), buffer_(kBuffer) {}

bool Tail::open(const std::string& path, Generation& to) {
  const int error = os::open_to_read(path.c_str(), to.fd);
  if (error == ENOENT) return false;
  if (error == ELOOP) throw Failure(Code::io, path + ": is a symbolic link, which is not followed");
  if (error != 0) fail_to_read(path, error);
  struct stat status;
  if (const int failed = os::file_status(to.fd.get(), status)) fail_to_read(path, failed);
  if (!S_ISREG(status.st_mode)) throw Failure(Code::io, path + ": is not a regular file");
  to.device = status.st_dev;
  to.inode = status.st_ino;
  found_ = true;
  return true;
}

bool Tail::is_known(const Generation& one) const {
  for (const Generation& known : generations_) {
    if (known.device == one.device && known.inode == one.inode) return true;
  }
  return false;
}

void Tail::advance(const LineSink& sink) {
  // The new one first: should a rotation come in between, it is found again under the old one's
  // name.
  Generation newest;
  Generation old;
  const bool there = open(path_, newest);
  const bool has_old = open(path_ + std::string(kOldEnding), old);
  const auto begin = [&](Generation& one) {
    struct stat status;
    if (os::file_status(one.fd.get(), status) == 0)
      one.offset = find_beginning(one.fd.get(), status.st_size, since_ns_);
    read(one, sink);
    generations_.push_back(std::move(one));
  };
  for (Generation& one : generations_) read(one, sink);
  if (has_old && !is_known(old) &&
      !(there && old.inode == newest.inode && old.device == newest.device))
    begin(old);
  if (there && !is_known(newest)) begin(newest);
  while (generations_.size() > kKept) {
    if (!generations_.front().begun.empty()) sink(generations_.front().begun);
    generations_.erase(generations_.begin());
  }
}

void Tail::finish(const LineSink& sink) {
  for (Generation& one : generations_) {
    if (!one.begun.empty()) sink(one.begun);
    one.begun.clear();
  }
}

void Tail::read(Generation& from, const LineSink& sink) {
  struct stat status;
  if (const int error = os::file_status(from.fd.get(), status)) fail_to_read(path_, error);
  if (status.st_size < from.offset) {  // truncated, as copytruncate does
    from.offset = 0;
    from.begun.clear();
  }
  while (true) {
    if (const std::int64_t data = behind_hole(from.fd.get(), from.offset); data > from.offset) {
      from.offset = data;
      from.begun.push_back('\0');  // as a part of the hole would: it completes no line
    }
    std::size_t got = 0;
    if (const int error =
            os::read_at(from.fd.get(), buffer_.data(), buffer_.size(), from.offset, got)) {
      fail_to_read(path_, error);
    }
    if (got == 0) return;
    from.offset += static_cast<std::int64_t>(got);
    deliver(from, {buffer_.data(), got}, sink);
  }
}

void Tail::deliver(Generation& from, std::string_view piece, const LineSink& sink) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    const std::string_view line = piece.substr(0, end);
    if (end == std::string_view::npos) {
      if (from.begun.size() < kLongest) from.begun.append(line.substr(0, kLongest));
      return;
    }
    if (from.begun.empty()) {
      sink(line);
    } else {
      from.begun.append(line);
      sink(from.begun);
      from.begun.clear();
    }
    piece.remove_prefix(end + 1);
  }
}

}  // namespace atmost::history

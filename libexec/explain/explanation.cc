#include "explanation.h"

#include <cerrno>
#include <cstdio>

#include "core/words.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "os/terminal.h"
#include "policy/schedule.h"
#include "store/local/limit_file.h"
#include "store/local/lock_file.h"
#include "store/local/stats_file.h"

namespace atmost::explain {

Report& Report::text(std::string_view ours) {
  text_.append(ours);
  return *this;
}

Report& Report::shown(std::string_view foreign) {
  constexpr std::size_t kLongestEscape = 6;
  const std::size_t before = text_.size();
  text_.resize(before + foreign.size() * kLongestEscape);
  text_.resize(before + escape(foreign, text_.data() + before, text_.size() - before));
  return *this;
}

Report& Report::hex(std::uint64_t value) {
  char digits[24];
  std::snprintf(digits, sizeof digits, "0x%llx", static_cast<unsigned long long>(value));
  return text(digits);
}

Status Report::finish() {
  const int failed = os::write_stream(fd_, text_.data(), text_.size());
  if (failed == 0) return {};
  Error error = error_of(Code::io, failed, "cannot write the report: ");
  error.message.append(errno_words(failed));
  return error;
}

std::string position_words(std::int64_t byte) {
  for (const int power : {48, 43, 42, 41}) {
    const std::int64_t base = std::int64_t{1} << power;
    if (byte < base) continue;
    const std::string words = "2^" + std::to_string(power);
    return byte > base ? words + "+" + std::to_string(byte - base) : words;
  }
  return std::to_string(byte);
}

namespace {

Error file_error(const std::string& path, Code code, int sys, std::string_view what) {
  Error error = error_of(code, sys, path);
  error.message.append(": ").append(what);
  if (sys != 0) error.message.append(": ").append(errno_words(sys));
  return error;
}

void describe_inode(const Explanation& about, const struct stat& status, Report& out) {
  out.text("  device ").hex(about.identity.device).text(", inode ").count(about.identity.inode);
  out.text(", owner ").count(status.st_uid).text(", mode 0");
  for (int shift = 9; shift >= 0; shift -= 3) {
    const unsigned digit = status.st_mode >> shift & 7;
    if (digit != 0 || shift < 9) out.count(digit);
  }
  out.text(", ").number(status.st_blocks / 2).text(" KiB of disk (it is sparse)\n");
  out.text("  this boot ").hex(about.identity.boot);
  if (about.identity.boot == 0) out.text(" (unknown: nothing stored is taken for this boot's)");
  out.line();
}

void tell_limit(local::LockFile& file, Report& out) {
  static char room[local::kLimitMost + 1];
  RecordedLimit limit;
  bool limited = false;
  const Status read = local::read_limit(file, room, limit, limited);
  if (!read.ok()) {
    out.text("  admits nobody: ").shown(read.error().message).line();
  } else if (limited) {
    out.text("  limit of record: ").text(recorded_words(limit)).line();
  }
}

void describe_file(const Explanation& about, const std::string& path, const struct stat& status,
                   Report& out) {
  const char* filesystem = "";
  const os::Trust trust = os::filesystem_trust(about.fd, &filesystem);
  out.text("file ").shown(path).line();
  if (about.detailed) describe_inode(about, status, out);
  const bool readers = (status.st_mode & (S_IRGRP | S_IROTH)) != 0;
  const bool writers = (status.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  out.text(readers || writers
               ? "  its mode lets users other than its owner open it: they may lock it and keep "
                 "everybody out\n"
               : "  its mode lets only its owner and root open it, and so lock it\n");
  out.text("  filesystem ").text(filesystem);
  out.text(trust == os::Trust::trusted ? ": keeps locks\n"
                                       : ": not trusted to keep locks; see atmost doctor\n");
  local::LockFile as_run_sees_it;
  LockSpec lock;
  lock.path = TextView::of(path);
  Request request;
  request.trust_fs = true;  // reported above
  const Status opened = as_run_sees_it.open(lock, request, local::LockFile::Access::look);
  if (!opened.ok()) {
    out.text("  atmost run refuses it: ").shown(opened.error().message).line();
  } else {
    tell_limit(as_run_sees_it, out);
  }
}

}  // namespace

void Contradictions::add(const std::string& subject, std::uint64_t number,
                         const std::string& text) {
  if (++count_ > kMost) return;
  entries_.push_back(subject + " " + std::to_string(number) + ": " + text);
}

void Contradictions::tell(Report& out) const {
  out.text("\ncontradictions between hints and locks (the locks are right): ");
  if (entries_.empty()) out.text("none");
  out.line();
  for (const std::string& entry : entries_) out.text("  ").text(entry).line();
  if (count_ > kMost) out.text("  and ").count(count_ - kMost).text(" more\n");
}

Status explain(const std::string& path, bool detailed, int fd) {
  Report out(fd);
  os::Fd file;
  int error = os::open_to_read(path.c_str(), file);
  if (error == ENOENT) {
    out.text("file ").shown(path).text(
        "\n  does not exist: nobody holds it, nobody waits; the first caller makes it\n");
    return out.finish();
  }
  if (error == ELOOP)
    return file_error(path, Code::io, 0,
                      "is a symbolic link, which is not followed; name the file itself");
  if (error != 0) return file_error(path, code_for(error), error, "cannot open the lock file");
  struct stat status;
  error = os::file_status(file.get(), status);
  if (error != 0) return file_error(path, Code::io, error, "cannot examine the file");
  if (!S_ISREG(status.st_mode)) return file_error(path, Code::io, 0, "is not a regular file");
  Explanation about;
  about.detailed = detailed;
  about.fd = file.get();
  about.size = status.st_size;
  about.identity = {static_cast<std::uint64_t>(status.st_dev),
                    static_cast<std::uint64_t>(status.st_ino), os::boot_hash()};
  about.now = os::now();
  describe_file(about, path, status, out);
  error = read_header(about.fd, about.identity, about.index, about.header, about.state);
  if (error == 0) error = explain_locks(about, out);
  Report unseen(fd);  // the hints are compared with the locks nevertheless
  if (error == 0) error = explain_hints(about, detailed ? out : unseen);
  if (error == 0 && !detailed) sum_up_hints(about, out);
  if (error != 0) return file_error(path, Code::io, error, "cannot read the lock file");
  const bool circle = explain_circle(about, out);
  if (!circle || about.contradictions.any()) about.contradictions.tell(out);
  if (!detailed) out.text("\nevery byte range and hint: atmost explain -v\n");
  return out.finish();
}

namespace {

// Shows whole octaves: within a factor of two.
void tell_longest(const float (&steps)[kSteps], std::string_view what, Report& out) {
  int longest = kSteps - 1;
  while (longest >= 0 && !(steps[longest] > 0)) --longest;
  if (longest < 0) return;
  const Duration bound = Duration::millis(std::int64_t{1} << (longest / kStepsPerOctave + 1));
  out.text("    ").text(what).text(longest == kSteps - 1 ? " of more than " : " of up to ");
  out.text(duration_words(bound)).line();
}

}  // namespace

void explain_memory(const Explanation& about, Report& out) {
  static LockStats lock_stats;
  out.text("  bytes ").number(kMemoryAt).text(" to ");
  out.number(kMemoryAt + static_cast<std::int64_t>(sizeof(MemoryRecord)) - 1);
  out.text(", the lock's memory, which auto limits are learned from:");
  if (!read_lock_stats(about.fd, lock_stats)) {
    out.text(" nothing\n");
    return;
  }
  out.text("\n    ").count(lock_stats.completed).text(" runs ended by themselves, ");
  out.count(lock_stats.stopped)
      .text(" by a limit, ")
      .count(lock_stats.cut_short)
      .text(" by others\n");
  tell_longest(lock_stats.runs, "runs", out);
  tell_longest(lock_stats.intervals, "intervals between requests", out);
  if (lock_stats.too_soon == 0) return;
  out.text("    ").count(lock_stats.too_soon).text(" requests came too soon, ");
  out.count(lock_stats.spam).text(" of them were spam");
  out.text(policy::is_spammed(lock_stats) ? "; the latest are\n" : "\n");
}

}  // namespace atmost::explain

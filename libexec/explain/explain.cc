#include "explain.h"

#include <cerrno>

#include "core/words.h"
#include "explanation.h"
#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"
#include "store/local/lock_file.h"

namespace atmost::explain {
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
  if (!opened.ok()) out.text("  atmost run refuses it: ").shown(opened.error().message).line();
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

}  // namespace atmost::explain

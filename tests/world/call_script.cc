#include "world/call_script.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace world {
namespace {

constexpr std::size_t kMostOpen = 12;
constexpr int kMostInotify = 2;  // the end of one takes the kernel milliseconds
constexpr std::size_t kPage = 4096;

// As src/os watches a file, and a folder.
constexpr std::uint32_t kOfFile =
    IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB | IN_MOVE_SELF | IN_DELETE_SELF;
constexpr std::uint32_t kOfFolder =
    IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF | IN_ONLYDIR;

template <typename T, std::size_t N>
T draw_of(Draws& draws, const std::array<T, N>& values) {
  return values[draws.below(N)];
}

int draw_int(Draws& draws, int n) {
  return static_cast<int>(draws.below(static_cast<std::uint64_t>(n)));
}

std::string number(std::int64_t value) { return std::to_string(value); }

std::string printable(const char* from, ssize_t size) {
  std::string to(from, static_cast<std::size_t>(size));
  std::ranges::replace(to, '\0', '.');
  return to;
}

std::string text_of(const struct stat& status) {
  return " mode " + number(status.st_mode) + " links " + number(static_cast<int>(status.st_nlink)) +
         " size " + number(status.st_size);
}

}  // namespace

// Must follow the call at once, as errno is what it left.
std::string CallScript::said(const std::string& call, std::int64_t result) {
  return call + ": " + (result < 0 ? std::strerror(errno) : number(result));
}

std::string CallScript::path(Draws& draws) const {
  return folder_ + "/f" + number(draw_int(draws, 3));
}

std::string CallScript::make(std::uint64_t seed, std::uint64_t step) {
  Draws draws(mix(seed) + step, Purpose::scenario, kNobody);
  const std::uint64_t what = draws.below(100);
  if (what < 12) return open(draws);
  if (what < 18) return name(draws);
  if (what < 19) return begin_to_watch();
  if (open_.empty()) return "";
  const auto at = std::next(open_.begin(), draw_int(draws, static_cast<int>(open_.size())));
  const Open open = {at->first, at->second};
  if (what < 38) return descriptor(draws, open);
  if (open.kind == Kind::inotify) {
    return what < 60 ? watch(draws, open.fd) : events(draws, open.fd);
  }
  if (what < 70) return bytes(draws, open.fd);
  if (what < 96) return lock(draws, open.fd);
  return map(draws, open.fd);
}

std::string CallScript::open(Draws& draws) {
  if (open_.size() >= kMostOpen) return "";
  const std::string file = path(draws);
  int flags = draw_of(draws, std::array<int, 6>{O_RDWR, O_RDONLY, O_WRONLY, O_RDWR | O_CREAT,
                                                O_RDWR | O_CREAT | O_EXCL, O_RDWR | O_DIRECTORY});
  if (draws.happens(300'000)) flags |= O_CLOEXEC;
  if (draws.happens(100'000)) flags |= O_APPEND;
  const int fd = calls_.openat(AT_FDCWD, file.c_str(), flags, 0640);
  std::string answer = said("openat " + number(flags), fd);
  if (fd >= 0) open_[fd] = Kind::file;
  return answer;
}

std::string CallScript::name(Draws& draws) {
  const std::string file = path(draws);
  if (draws.happens(150'000)) return said("unlink", calls_.unlink(file.c_str()));
  struct stat status;
  const int result = calls_.stat(file.c_str(), &status);
  std::string answer = said("stat", result);
  return result == 0 ? answer + text_of(status) : answer;
}

std::string CallScript::begin_to_watch() {
  int count = 0;
  for (const auto& [fd, kind] : open_) count += kind == Kind::inotify;
  if (count >= kMostInotify || open_.size() >= kMostOpen) return "";
  const int fd = calls_.inotify_init(IN_NONBLOCK | IN_CLOEXEC);
  open_[fd] = Kind::inotify;
  return said("inotify_init", fd);
}

std::string CallScript::watch(Draws& draws, int fd) {
  const std::string file = draws.happens(150'000) ? folder_ : path(draws);
  const std::uint32_t mask = file == folder_ || draws.happens(50'000) ? kOfFolder : kOfFile;
  if (draws.happens(300'000)) {
    const int watch = 1 + draw_int(draws, 6);
    return said("inotify_rm_watch", calls_.inotify_rm_watch(fd, watch));
  }
  return said("inotify_add_watch", calls_.inotify_add_watch(fd, file.c_str(), mask));
}

std::string CallScript::events(Draws& draws, int fd) {
  if (draws.happens(200'000)) {
    struct pollfd ready = {fd, POLLIN, 0};
    std::string answer = said("poll", calls_.poll(&ready, 1, 0));
    return answer + " " + number(ready.revents);
  }
  alignas(struct inotify_event) char buffer[2048];
  const std::size_t size =
      draw_of(draws, std::array<std::size_t, 4>{sizeof buffer, sizeof buffer, 64, 20});
  const ssize_t got = calls_.read(fd, buffer, size);
  std::string answer = said("read events", got);
  for (ssize_t at = 0; at < got;) {
    struct inotify_event event;
    std::memcpy(&event, buffer + at, sizeof event);
    at += static_cast<ssize_t>(sizeof event);
    answer += " [" + number(event.wd) + " " + number(event.mask);
    if (event.len > 0) answer += std::string(" ") + (buffer + at);
    answer += "]";
    at += static_cast<ssize_t>(event.len);
  }
  return answer;
}

std::string CallScript::bytes(Draws& draws, int fd) {
  char text[16] = "abcdefghijklmno";
  const std::size_t size = 1 + draws.below(sizeof text - 1);
  const off_t at = draw_int(draws, 3) == 0 ? 4090 : draw_int(draws, 20);
  struct stat status;
  switch (draws.below(8)) {
    case 0:
      return said("pwrite", calls_.pwrite(fd, text, size, at));
    case 1:
      return said("write", calls_.write(fd, text, size));
    case 2: {
      const ssize_t got = calls_.pread(fd, text, size, at);
      std::string answer = said("pread", got);
      return got < 0 ? answer : answer + " " + printable(text, got);
    }
    case 3: {
      const ssize_t got = calls_.read(fd, text, size);
      std::string answer = said("read", got);
      return got < 0 ? answer : answer + " " + printable(text, got);
    }
    case 4: {
      const int whence = draw_of(draws, std::array<int, 3>{SEEK_SET, SEEK_CUR, SEEK_END});
      return said("lseek", calls_.seek(fd, at - 5, whence));
    }
    case 5:
      return said("fchmod", calls_.fchmod(fd, draws.happens(500'000) ? 0600 : 0644));
    case 6:
      return said("fdatasync", calls_.fdatasync(fd));
    default: {
      std::string answer = said("fstat", calls_.fstat(fd, &status));
      return answer + text_of(status);
    }
  }
}

std::string CallScript::descriptor(Draws& draws, const Open& open) {
  const bool few = open_.size() < kMostOpen && open.kind == Kind::file;
  switch (draws.below(8)) {
    case 0: {
      if (!few) return "";
      const int from = draw_int(draws, 14);
      const int command = draws.happens(500'000) ? F_DUPFD : F_DUPFD_CLOEXEC;
      const int fd = calls_.control(open.fd, command, from);
      std::string answer = said("F_DUPFD", fd);
      if (fd >= 0) open_[fd] = open.kind;
      return answer;
    }
    case 1: {
      const int to = 3 + draw_int(draws, 12);
      const auto there = open_.find(to);
      if (!few || (there != open_.end() && there->second == Kind::inotify)) return "";
      std::string answer = said("dup2 to " + number(to), calls_.dup2(open.fd, to));
      open_[to] = open.kind;
      return answer;
    }
    case 2:
      return said("F_GETFD", calls_.control(open.fd, F_GETFD, 0));
    case 3:
      return said("F_SETFD", calls_.control(open.fd, F_SETFD, draw_int(draws, 2)));
    default: {
      if (open.kind == Kind::inotify && !draws.happens(5'000)) return "";
      open_.erase(open.fd);
      std::string answer = said("close " + number(open.fd), calls_.close(open.fd));
      return answer + said(", again", calls_.close(open.fd));
    }
  }
}

std::string CallScript::lock(Draws& draws, int fd) {
  if (draws.happens(150'000)) {
    const int operation =
        draw_of(draws, std::array<int, 3>{LOCK_SH | LOCK_NB, LOCK_EX | LOCK_NB, LOCK_UN});
    return said("flock " + number(operation), calls_.flock(fd, operation));
  }
  struct flock range = {};
  const int command =
      draw_of(draws, std::array<int, 4>{F_SETLK, F_OFD_SETLK, F_GETLK, F_OFD_GETLK});
  range.l_type = draw_of(draws, std::array<short, 3>{F_RDLCK, F_WRLCK, F_UNLCK});
  const bool query = command == F_GETLK || command == F_OFD_GETLK;
  if (query && range.l_type == F_UNLCK) range.l_type = F_WRLCK;
  range.l_whence = draw_of(draws, std::array<short, 4>{SEEK_SET, SEEK_SET, SEEK_CUR, SEEK_END});
  range.l_start = draw_int(draws, 12) - draw_int(draws, 2);
  range.l_len = draw_int(draws, 5);
  std::string answer = said("fcntl " + number(command), calls_.lock(fd, command, &range));
  // Of several conflicts each kernel may give another.
  return query ? answer + (range.l_type == F_UNLCK ? " free" : " taken") : answer;
}

std::string CallScript::map(Draws& draws, int fd) {
  if (mapped_ != nullptr) {
    void* const at = mapped_;
    mapped_ = nullptr;
    return said("munmap", calls_.munmap(at, kPage));
  }
  if (!draws.happens(300'000)) return "";
  void* const at = calls_.mmap(nullptr, kPage, PROT_READ, MAP_SHARED, fd, 0);
  std::string answer = said("mmap", at == MAP_FAILED ? -1 : 0);
  if (at != MAP_FAILED) mapped_ = at;
  return answer;
}

}  // namespace world

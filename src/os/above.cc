#include "above.h"

#include <sys/stat.h>

#include <cerrno>

#include "file.h"
#include "self.h"

namespace atmost::os {
namespace {

constexpr std::uint32_t kRoot = 0;
constexpr int kMostLinks = 40;  // as the kernel

// One directory. A symbolic link is Hazard::link, which is followed.
int hazard_of(const char* directory, Standard standard, Hazard& to) {
  struct stat status;
  to = Hazard::none;
  if (const int error = path_status(directory, status, false)) return error;
  if (S_ISLNK(status.st_mode)) {
    to = Hazard::link;
  } else if (standard == Standard::root && status.st_uid != kRoot) {
    to = Hazard::other_user;
  } else if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0) {
    to = Hazard::open_to_all;
  }
  return 0;
}

// Goes down a path. The part that it has passed has no links in it.
class Walk {
 public:
  Walk(Standard standard, Hazard& to, PathText& done) : standard_(standard), to_(to), done_(done) {}

  int run(std::string_view path) {
    rest_.assign(path);
    done_.assign(path.starts_with('/') ? "/" : "");
    if (const int error = hazard_of(done_.empty() ? "." : "/", standard_, to_);
        error != 0 || to_ != Hazard::none) {
      if (done_.empty()) done_.assign(".");
      return error;
    }
    int error = 0;
    while (error == 0 && to_ == Hazard::none && step(error)) continue;
    return error == 0 && done_.truncated() ? ENAMETOOLONG : error;
  }

 private:
  // One component; false: it was the last one.
  bool step(int& error) {
    std::string_view left = not_done();
    while (left.starts_with('/')) left.remove_prefix(1);
    const std::size_t end = left.find('/');
    const std::size_t before = done_.size();
    if (before > 0 && done_.view().back() != '/') done_.push('/');
    done_.append({left.data(), end < left.size() ? end : left.size()});
    if (end == std::string_view::npos) return false;
    at_ = rest_.size() - left.size() + end;
    error = hazard_of(done_.c_str(), standard_, to_);
    if (error != 0 || to_ != Hazard::link) return true;
    error = follow(before);
    return true;
  }

  std::string_view not_done() const {
    std::string_view left = rest_;
    left.remove_prefix(at_);
    return left;
  }

  // The link that is the last component of what is done.
  int follow(std::size_t before) {
    struct stat link;
    PathText text;
    if (const int error = path_status(done_.c_str(), link, false)) return error;
    if (standard_ == Standard::root && link.st_uid != kRoot) return 0;  // the hazard
    if (const int error = read_link(done_.c_str(), text)) return error;
    if (++links_ > kMostLinks) return ELOOP;
    text.append(not_done());
    if (text.truncated()) return ENAMETOOLONG;
    to_ = Hazard::none;
    at_ = 0;
    rest_.assign(text);
    const PathText above(std::string_view(done_.view().data(), before));
    done_.assign(text.view().starts_with('/') ? "/" : above.view());
    return 0;
  }

  const Standard standard_;
  Hazard& to_;
  PathText& done_;
  PathText rest_;
  std::size_t at_ = 0;  // what is before it in `rest_` is done
  int links_ = 0;
};

}  // namespace

int find_hazard(const char* path, Standard standard, Hazard& to, Arena& texts, TextView& which) {
  to = Hazard::none;
  PathText done;
  const int error = Walk(standard, to, done).run(path);
  return texts.keep(done, which) ? error : ENOMEM;
}

Standard own_standard() { return user_id() == kRoot ? Standard::root : Standard::any_user; }

bool is_shared_by_group(const char* file, std::uint32_t& group) {
  constexpr mode_t kAsked = S_ISGID | S_IWGRP | S_IWOTH;
  const std::string_view path(file);
  const std::size_t slash = path.rfind('/');
  PathText directory(slash > path.size() ? "." : std::string_view(file, slash == 0 ? 1 : slash));
  struct stat status;
  if (directory.truncated() || path_status(directory.c_str(), status, true) != 0) return false;
  group = status.st_gid;
  return (status.st_mode & kAsked) == (S_ISGID | S_IWGRP);
}

int make_directories_above(std::string_view path, Arena& texts, TextView& which) {
  const unsigned mode = user_id() == 0 ? 0755 : 0700;
  PathText above;
  for (char c : path) {
    if (c == '/' && !above.empty()) {
      const int error = make_directory(above.c_str(), mode);
      if (error != 0 && error != EEXIST) return texts.keep(above, which) ? error : ENOMEM;
    }
    above.push(c);
  }
  return 0;
}

}  // namespace atmost::os

// LockFile: making a file that is not there yet.
#include <cerrno>

#include "core/words.h"
#include "lock_file.h"
#include "os/above.h"

namespace atmost::local {
namespace {

Error not_made(std::string_view directory, int error) {
  Error failed =
      error_of(error == EACCES ? Code::not_permitted : Code::cannot_create, error, directory);
  failed.message.append(": cannot create the directory: ").append(errno_words(error));
  if (error == EACCES) failed.message.append(kWhereElse);
  return failed;
}

}  // namespace

// Makes the directories above it, if they are wanted, and the file; `error` is EEXIST if another
// caller was first.
Status LockFile::create(const Request& rules, int& error) {
  if (makes_parents(rules)) {
    ScopedArena texts;
    TextView which;
    const int unmade = os::make_directories_above(path_, texts, which);
    if (unmade != 0) return not_made(which, unmade);
  }
  // A refusal leaves nothing behind. If a directory cannot be examined, creating the file shows the
  // reason.
  if (Status directories = check_directories(); !directories.ok() && directories.error().sys == 0)
    return directories;
  if (Status trusted = check_parent_filesystem(rules); !trusted.ok()) return trusted;
  {
    const Opening gate(opening_);
    error = os::create_new(path(), mode_for_new(rules), fd_);
  }
  if (error == 0 || error == EEXIST) return {};
  Error failed = failure(code_for(error), error, "cannot create the lock file");
  if (error == EACCES && makes_parents(rules)) failed.message.append(kWhereElse);
  if (error == ENOENT && !makes_parents(rules))
    failed.message.append("; make its directory first: mkdir -p ").append(parent_of(path_));
  return failed;
}

// Members of the group that shares the directory may rename the lock file there anyway.
unsigned LockFile::mode_for_new(const Request& rules) const {
  constexpr unsigned kForTheGroup = 0660;
  std::uint32_t group = 0;
  if (rules.mode_given) return rules.create_mode;
  return os::is_shared_by_group(path(), group) ? kForTheGroup : rules.create_mode;
}

// Checked before a file is made there, so that a refusal leaves nothing behind. If the directory
// cannot be opened, the file is checked instead.
Status LockFile::check_parent_filesystem(const Request& rules) const {
  os::Fd directory;
  const PathText parent(parent_of(path_));
  if (rules.trust_fs && !rules.with_flock) return {};
  if (os::open_directory(parent.c_str(), directory) != 0) return {};
  return check_filesystem(rules, directory.get());
}

}  // namespace atmost::local

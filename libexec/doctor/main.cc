// atmost doctor
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "core/parse.h"
#include "core/schemes.h"
#include "doctor.h"
#include "options.h"
#include "os/file.h"
#include "os/host.h"
#include "reader/output.h"
#include "store/local/nfs_mount.h"

namespace atmost::doctor {
namespace {

using history::Failure;

constexpr mode_t kShared = S_ISGID | S_IRWXU | S_IRWXG;
constexpr mode_t kAll = S_ISUID | S_ISGID | S_ISVTX | S_IRWXU | S_IRWXG | S_IRWXO;

[[noreturn]] void fail_setup(const std::string& directory, const std::string& what, int error) {
  const Code code = error == EPERM || error == EACCES ? Code::not_permitted : Code::io;
  throw Failure(code, directory + ": " + what + ": " + strerror(error));
}

gid_t number_of(const std::string& group) {
  errno = 0;
  if (const struct group* known = getgrnam(group.c_str())) return known->gr_gid;
  const Result<std::uint64_t> number = parse_count(group, 0, UINT32_MAX - 1);
  if (number.ok()) return static_cast<gid_t>(number.value());
  throw Failure(Code::usage, "--setup-group: there is no group \"" + group + "\": groupadd " +
                                 group + " makes it");
}

bool is_empty(int fd) {
  DIR* const entries = fdopendir(fcntl(fd, F_DUPFD_CLOEXEC, 3));
  if (entries == nullptr) return false;
  bool empty = true;
  while (const dirent* entry = readdir(entries)) {
    const std::string name = entry->d_name;
    empty = empty && (name == "." || name == "..");
  }
  closedir(entries);
  return empty;
}

}  // namespace

// Makes `directory`, or takes it over if it is empty, so that lock files in it are made for the
// group (a name, or a number without one): the set-group-id bit, for owner and group alone. A
// directory that is like that already stays as it is. Throws Failure: usage, no such group, or the
// directory is in use or a symbolic link; not_permitted, this user may not do so; io. A setup that
// failed half-way is left to its owner alone.
void setup_group(const std::string& directory, const std::string& group) {
  const gid_t gid = number_of(group);
  if (mkdir(directory.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    fail_setup(directory, "cannot make it", errno);
  const os::Fd fd(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!fd.open()) fail_setup(directory, "cannot open it", errno);
  struct stat status;
  if (fstat(fd.get(), &status) != 0) fail_setup(directory, "cannot examine it", errno);
  if (status.st_gid == gid && (status.st_mode & kAll) == kShared) return;
  // Locks that are held there would have been made for other rights; /tmp has other files.
  if (!is_empty(fd.get())) {
    throw Failure(Code::usage,
                  directory + ": is in use: --setup-group needs an empty or a new directory");
  }
  if (status.st_gid != gid && fchown(fd.get(), static_cast<uid_t>(-1), gid) != 0)
    fail_setup(directory, "cannot give it to group " + group, errno);
  if (fchmod(fd.get(), kShared) != 0) fail_setup(directory, "cannot change its mode", errno);
  // The kernel drops the bit in silence for a group of which this user is not a member.
  if (fstat(fd.get(), &status) != 0 || (status.st_mode & kAll) != kShared) {
    (void)fchmod(fd.get(), S_IRWXU);
    throw Failure(Code::not_permitted,
                  directory + ": only root or a member of group " + group + " may set it up");
  }
}

namespace {

using history::Failure;

// The path that atmost started us by, else the one that the system reports.
std::string own_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash != std::string::npos ? path.substr(0, slash)
                                    : std::string(program_directory().view());
}

// The program that serves that store is beside this one, and has its own doctor
// (libexec/fleet/main.cc).
[[noreturn]] void become_fleet(std::string url, const Options& options, const char* own_path) {
  const std::string name = "atmost-" + std::string(scheme_of(url)->program);
  std::string path = own_directory(own_path) + "/" + name;
  std::string doctor = "doctor", json = "--json";
  std::vector<char*> all = {path.data(), doctor.data()};
  if (options.json) all.push_back(json.data());
  all.push_back(url.data());
  all.push_back(nullptr);
  const Error error = become_program(all.data());
  if (error.sys != ENOENT) throw Failure(error);
  throw Failure(Code::unavailable,
                name + ", which serves stores of many machines, is not installed");
}

std::string directory_of(const Options& options, const NamingContext& around) {
  if (options.operands.empty()) {
    PathText directory;
    if (const Status found = lock_directory(around, directory); !found.ok())
      throw Failure(found.error());
    return std::string(directory.view());
  }
  const std::string& directory = options.operands[0];
  if (directory.empty() || directory.size() > PathText::capacity() ||
      directory.find("://") != std::string::npos) {
    throw Failure(Code::usage,
                  "doctor examines a directory or a store: atmost doctor [DIR | shared:/DIR | "
                  "etcd://... | postgres://...]");
  }
  return directory;
}

// The front program names the same directory so.
std::string plain_path(const std::string& directory) {
  PathText absolute;
  if (!absolute_path(directory, absolute))
    throw Failure(Code::usage, directory + ": too long a path");
  std::string path(absolute.view());
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

Result<std::string> log_of(const NamingContext& around) {
  const Result<PathParts> found = own_log(around);
  if (!found.ok()) return found.error();
  PathText log;
  found.value().join(log);
  return std::string(log.view());
}

int run_doctor(int argc, char** argv) {
  const Options options = parse_options(argc, argv, kDoctor);
  if (answer_help(options, kDoctor, kDoctorUsage)) return 0;
  const std::string url = doctor_target(options);
  if (!options.setup_group.empty()) {
    if (options.operands.empty() || is_fleet(url))
      throw Failure(Code::usage,
                    "--setup-group: needs a directory: atmost doctor --setup-group GROUP DIR");
    setup_group(options.operands[0], options.setup_group);
  }
  if (is_fleet(url)) become_fleet(url, options, argv[0]);
  const NamingContext around = naming_context(options);
  const std::string directory = directory_of(options, around);
  // By its name: a server that hangs must not hang us before the trials, which have a time limit.
  const std::string path = plain_path(directory);
  if (options.store.empty() && local::is_named_on_good_nfs(path))
    become_fleet("shared:" + path, options, argv[0]);
  diagnosis::Findings findings(1, options.json, directory);
  examine_log(log_of(around), findings);
  if (const Status tried = diagnose(directory, findings); !tried.ok()) throw Failure(tried.error());
  const Result<Code> verdict = findings.verdict();
  if (!verdict.ok()) throw Failure(verdict.error());
  return static_cast<int>(verdict.value());
}

}  // namespace

}  // namespace atmost::doctor

int main(int argc, char** argv) {
  return atmost::history::run_guarded(atmost::doctor::run_doctor, argc, argv);
}

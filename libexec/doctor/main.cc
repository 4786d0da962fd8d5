// atmost doctor
#include <cerrno>

#include "core/schemes.h"
#include "doctor.h"
#include "options.h"
#include "os/host.h"
#include "reader/failure.h"
#include "setup_group.h"
#include "store/local/nfs_mount.h"

namespace atmost::doctor {
namespace {

using history::Failure;

// The path that atmost started us by, else the one that the system reports.
std::string own_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash != std::string::npos ? path.substr(0, slash)
                                    : std::string(program_directory().view());
}

// The program that serves that store is beside this one, and has its own doctor
// (libexec/fleet/doctor.cc).
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

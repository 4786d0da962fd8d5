#include "monitored.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <type_traits>

#include "core/limiter.h"
#include "core/monitor.h"
#include "core/schemes.h"
#include "os/file.h"
#include "os/self.h"
#include "program.h"
#include "say.h"

namespace atmost::pass {
namespace {

// The file begins with it; texts follow, each with its NUL.
struct Head {
  Request request;
  Moment::Span not_since;
  bool has_not_since = false;
  bool quiet = false;
  std::size_t secrets = 0;  // pairs
  std::size_t variables = 0;
  std::size_t words = 0;
};
static_assert(std::is_trivially_copyable_v<Head>);

std::string monitored_name;

void tell_left(const Error& words) {
  complain(monitored_name + ": " + std::string(words.message.view()));
}

void tell_killed() { complain(monitored_name + ": " + kSupervisorKilled); }

void put_text(std::string& to, std::string_view text) { to.append(text).push_back('\0'); }

template <class Pairs>
void put_pairs(std::string& to, const Pairs& pairs) {
  for (const auto& [name, value] : pairs) {
    put_text(to, name);
    put_text(to, value);
  }
}

std::string log_of(const Request& request) {
  PathText path;
  request.log.join(path);
  return std::string(path.view());
}

std::string packed(const Job& job, const Variables& secrets, bool quiet) {
  const Atom& atom = job.atom;
  Head head;
  head.request = job.request;
  head.not_since = job.not_since.value_or(Moment::Span{});
  head.has_not_since = job.not_since.has_value();
  head.quiet = quiet;
  head.secrets = secrets.size();
  head.variables = atom.environment.size();
  head.words = atom.command.size();
  std::string all(reinterpret_cast<const char*>(&head), sizeof head);
  const std::string log = log_of(job.request);
  for (const std::string_view text : {std::string_view(job.store), std::string_view(atom.operation),
                                      std::string_view(atom.operand), std::string_view(atom.user),
                                      std::string_view(atom.directory), job.request.notify,
                                      job.request.ping, std::string_view(log)})
    put_text(all, text);
  for (std::uint32_t i = 0; i < job.request.lock_count; ++i) {
    put_text(all, job.request.locks[i].name);
    put_text(all, job.request.locks[i].path);
  }
  put_pairs(all, secrets);
  put_pairs(all, atom.environment);
  for (const std::string& word : atom.command) put_text(all, word);
  return all;
}

bool read_all(int fd, std::string& to) {
  struct stat found;
  if (fstat(fd, &found) != 0 || found.st_size < static_cast<off_t>(sizeof(Head))) return false;
  to.resize(static_cast<std::size_t>(found.st_size));
  return pread(fd, to.data(), to.size(), 0) == found.st_size && to.back() == '\0';
}

// The texts behind the head, one after the other.
class Texts {
 public:
  explicit Texts(const std::string& all) : all_(all), at_(sizeof(Head)) {}
  std::string_view next() {
    if (at_ >= all_.size()) return {};
    const std::string_view text(all_.c_str() + at_);
    at_ += text.size() + 1;
    return text;
  }

 private:
  const std::string& all_;
  std::size_t at_;
};

// The part before the variables; the head's request borrows from `all`. Puts the store's secrets
// into the environment, from which the store takes them.
std::string unpack(const std::string& all, Head& head, Texts& texts, Atom& atom) {
  memcpy(&head, all.data(), sizeof head);
  std::string store(texts.next());
  for (std::string* text : {&atom.operation, &atom.operand, &atom.user, &atom.directory})
    *text = texts.next();
  head.request.notify = texts.next();
  head.request.ping = texts.next();
  head.request.log = {.directory = texts.next()};
  for (std::uint32_t i = 0; i < head.request.lock_count; ++i) {
    head.request.locks[i].name = TextView::of(texts.next());
    head.request.locks[i].path = TextView::of(texts.next());
  }
  for (std::size_t i = 0; i < head.secrets; ++i) {
    const std::string_view name = texts.next();
    setenv(name.data(), texts.next().data(), 1);
  }
  return store;
}

AtomResult run_monitored(const std::string& all, const StoreService& service) {
  Head head;
  Texts texts(all);
  Atom atom;
  const std::string store = unpack(all, head, texts, atom);
  for (std::size_t i = 0; i < head.variables; ++i) {
    const std::string name(texts.next());
    atom.environment[name] = texts.next();
  }
  for (std::size_t i = 0; i < head.words; ++i) atom.command.emplace_back(texts.next());
  StoreRoom room;
  Result<Store*> opened = open_store(store, room, &service);
  if (!opened.ok()) return failed_result(opened.error());
  Job job{atom, head.request, *opened.value(), store, {}};
  if (head.has_not_since) job.not_since = head.not_since;
  const Result<bool> ran = ran_already(job);
  if (!ran.ok()) return failed_result(ran.error());
  if (ran.value()) return {AtomResult::Kind::repeated, {}};
  return {AtomResult::Kind::answered, run_prepared(job, head.quiet)};
}

}  // namespace

Variables secrets_of(std::string_view store) {
  Variables secrets;
  for (const char* name : scheme_of(store)->secrets) {
    const char* value = name != nullptr ? getenv(name) : nullptr;
    if (value != nullptr) secrets.emplace_back(name, value);
  }
  return secrets;
}

Error monitor_job(const Job& job, const Variables& secrets, bool quiet, int result) {
  PathText path;
  const std::string all = packed(job, secrets, quiet);
  const os::Fd file(memfd_create("atmost pass", 0));
  int error = file.open() ? os::write_all(file.get(), all.data(), all.size()) : errno;
  if (error == 0 && !os::program_path(path)) error = errno;
  if (error != 0) return error_of(Code::internal, error, "cannot hand the job to a supervisor");
  fcntl(result, F_SETFD, 0);
  monitored_name = job.atom.name();
  std::string pass = kPass;
  std::string monitored = kMonitored;
  std::string job_end = std::to_string(file.get());
  std::string result_end = std::to_string(result);
  std::string name = monitored_name;
  std::string end = kEndLease;
  char* const program = const_cast<char*>(path.c_str());
  char* const argv[] = {program,           pass.data(), monitored.data(), job_end.data(),
                        result_end.data(), name.data(), nullptr};
  char* const end_lease[] = {program, pass.data(), end.data(), job_end.data(), nullptr};
  return monitor_program(argv, {.killed = tell_killed, .left = tell_left, .end_lease = end_lease});
}

int end_monitored_lease(char** argv, const StoreService& service) {
  if (argv[0] == nullptr || argv[1] == nullptr) return static_cast<int>(Code::usage);
  const os::Fd file(atoi(argv[0]));
  std::string all;
  if (!read_all(file.get(), all)) return static_cast<int>(Code::usage);
  static Head head;
  Texts texts(all);
  Atom atom;
  const std::string store = unpack(all, head, texts, atom);
  const Status ended = service.end_lease(store, argv[1]);
  if (ended.ok()) return 0;
  complain(atom.name() + ": " + std::string(ended.error().message.view()) +
           "; the lock is free when its lease ends by itself");
  return static_cast<int>(ended.error().code);
}

int be_monitored(char** argv, const StoreService& service) {
  attach_to_monitor();
  if (argv[0] == nullptr || argv[1] == nullptr) return static_cast<int>(Code::usage);
  const os::Fd file(atoi(argv[0]));
  const int answer_fd = atoi(argv[1]);
  std::string all;
  // The command inherits neither descriptor.
  if (fcntl(answer_fd, F_SETFD, FD_CLOEXEC) != 0 || !read_all(file.get(), all))
    return static_cast<int>(Code::usage);
  fcntl(file.get(), F_SETFD, FD_CLOEXEC);
  const AtomResult result = run_monitored(all, service);
  const SentResult sent = {result.kind, SentOutcome(result.outcome)};
  const std::string_view bytes(reinterpret_cast<const char*>(&sent), sizeof sent);
  return os::write_all(answer_fd, bytes.data(), bytes.size()) == 0 ? 0 : static_cast<int>(Code::io);
}

}  // namespace atmost::pass

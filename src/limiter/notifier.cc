#include "notifier.h"

#include <cerrno>

#include "companion.h"
#include "core/programs.h"
#include "core/words.h"
#include "environment.h"
#include "history/log.h"
#include "os/file.h"
#include "os/host.h"
#include "os/self.h"
#include "os/spawn.h"

namespace atmost::limiter {
namespace {

constexpr int kInit = 1;
constexpr int kLongestWaitMs = 10'000;

// They name this run, or another one.
constexpr std::string_view kNotInherited[] = {"ATMOST_EVENT=",   "ATMOST_LOCK=", "ATMOST_CODE=",
                                              "ATMOST_SECONDS=", "ATMOST_PING=", kMonitorName,
                                              tell::kPrefix};

constinit Variables variables;
char line[history::kMaxLine];

std::string_view without_newline(std::string_view text) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

bool is_number(const char* text, std::int64_t number) {
  Text<20> digits;
  return text != nullptr && digits.append_signed(number).view() == text;
}

// True if the end of this process ends all that it has started. A script that is such a main
// process usually ends with the command that it waits for.
bool ends_everything() {
  const std::int64_t self = os::process_id();
  const std::int64_t parent = os::parent_id();
  const char* const unit = os::variable("SYSTEMD_EXEC_PID");
  if (monitored.has_front) return true;  // its monitor ends what is left
  return self == kInit || parent == kInit || is_number(unit, self) || is_number(unit, parent);
}

// As `atmost SUBCOMMAND` finds programs.
int start_somewhere(char* const* envp, const int* inherit, unsigned count, bool silent) {
  PathText places[3];
  const char* const chosen = os::variable("ATMOST_EXEC_PATH");
  if (chosen != nullptr && chosen[0] != '\0') {
    places[0].assign(chosen);
  } else {
    places[0].assign(program_directory());
    places[1] = places[0];
    if (!places[1].empty()) places[1].append("/../libexec/atmost");
    places[2].assign(ATMOST_LIBEXEC);
  }
  int error = ENOENT;
  for (PathText& place : places) {
    if (place.empty()) continue;
    place.append("/").append(tell::kProgram);
    if (place.truncated()) continue;
    char* const argv[] = {const_cast<char*>(place.c_str()), nullptr};
    const os::Program program = {
        .argv = argv, .envp = envp, .inherit = inherit, .inherit_count = count};
    error = os::start_detached(program, silent);
    if (error != ENOENT && error != ENOTDIR) break;
  }
  return error;
}

// A random UUID, RFC 4122, version 4.
Text<36> new_uuid() {
  unsigned char bytes[16] = {};
  (void)os::random_bytes(bytes, sizeof bytes);
  bytes[6] = static_cast<unsigned char>((bytes[6] & 0x0F) | 0x40);
  bytes[8] = static_cast<unsigned char>((bytes[8] & 0x3F) | 0x80);
  constexpr char kDigits[] = "0123456789abcdef";
  Text<36> uuid;
  for (int i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) uuid.push('-');
    uuid.push(kDigits[bytes[i] >> 4]).push(kDigits[bytes[i] & 0x0F]);
  }
  return uuid;
}

}  // namespace

// For that program alone.
std::size_t Journal::describe(const Outcome& outcome, const Lease* lease, std::span<char> to) {
  Event event;
  if (outcome.kind == Outcome::Kind::refused) {
    fill_caller(Event::Kind::denied, event, nullptr);
    fill_denial(outcome, event);
    return history::format_line(event, to).size;
  }
  fill_caller(lease != nullptr ? Event::Kind::admitted : Event::Kind::ended, event,
              &outcome.over_at);
  if (lease != nullptr) {
    tokens_[0] = lease->lock(0).token;
    slots_[0] = lease->lock(0).count > 0 ? lease->lock(0).slots[0] : 0;
    event.time("waited_s", outcome.waited);
  } else {
    fill_end(outcome, event);
  }
  name_hold(0, event);
  return history::format_line(event, to).size;
}

Status Notifier::keep_output() {
  if (request_.output == OutputTo::show) return {};
  const std::int64_t half = request_.output_max / 2;
  return output_.open(request_.output == OutputTo::tail
                          ? run::KeptOutput::Bound{.first = 0, .last = kTailBytes}
                          : run::KeptOutput::Bound{.first = half, .last = half});
}

Status Notifier::prepare(Journal& journal) {
  journal_ = &journal;
  if (!request_.ping.starts_with('@')) return {};
  const char* const file = request_.ping.data() + 1;
  const int error = os::open_to_read(file, url_);
  if (error == 0) return {};
  Error failed = error_of(Code::usage, error, "--ping: cannot read ");
  failed.message.append(file).append(": ").append(errno_words(error));
  return failed;
}

// The variables of a ping.
void Notifier::name_ping(std::string_view what) {
  variables.begin(tell::kPing).append(what);
  variables.begin(tell::kRunId).append(run_id_);
  if (url_.open()) {
    variables.begin(tell::kUrlFrom).append_signed(url_.get());
  } else {
    variables.begin(tell::kUrl).append(request_.ping);
  }
}

void Notifier::begins(const Outcome& admission, const Lease& lease) {
  if (request_.ping.empty()) return;
  variables.clear();
  run_id_ = new_uuid();
  name_ping("start");
  const std::size_t size = journal_->describe(admission, &lease, line);
  variables.begin(tell::kLine).append(without_newline({line, size}));
  start(-1);
}

void Notifier::name_occasion(policy::Occasion occasion, int code, Duration ran) {
  variables.clear();
  variables.begin("ATMOST_EVENT").append(policy::name_of(occasion));
  variables.begin("ATMOST_LOCK").append(request_.locks[0].name);
  variables.begin("ATMOST_CODE").append_signed(code);
  variables.begin("ATMOST_SECONDS").append(duration_seconds(ran));
}

void Notifier::spammed(const Outcome& outcome) {
  name_occasion(policy::Occasion::spam, static_cast<int>(Code::too_soon), {});
  variables.begin(tell::kNotify).append(request_.notify);
  const std::size_t size = journal_->describe(outcome, nullptr, line);
  variables.begin(tell::kLine).append(without_newline({line, size}));
  start(-1);
  wait();
}

void Notifier::ended(const Outcome& outcome, const policy::Messages& messages) {
  if (!messages.notify && request_.ping.empty()) return;
  name_occasion(messages.occasion, end_code(outcome), outcome.ran);
  if (messages.notify) variables.begin(tell::kNotify).append(request_.notify);
  os::Fd end;
  if (!request_.ping.empty()) {
    name_ping(Text<20>().append_signed(end_code(outcome)));
    if (over_.open()) variables.begin(tell::kAfter).append_signed(over_.get());
    const std::int64_t whole = request_.ping_output ? output_.open_end(end) : 0;
    if (whole > 0) {
      variables.begin(tell::kOutput).append_signed(end.get());
      variables.begin(tell::kOutputEnd).append_signed(whole);
    }
  }
  const std::size_t size = journal_->describe(outcome, nullptr, line);
  variables.begin(tell::kLine).append(without_newline({line, size}));
  start(end.get());
}

// Starts the program with the variables that were set. `output`: its descriptor, or -1.
void Notifier::start(int output) {
  if (const history::LogPlace* place = journal_->place()) {
    variables.begin(tell::kLog).append(place->path);
    Variables::Texts& how = variables.begin(tell::kLogMode);
    how.append_unsigned(place->mode).append(place->mode_given ? "g" : "");
    how.append(place->check_directories ? "c" : "").append(place->optional ? "o" : "");
  }
  if (command_.run_as != nullptr) {
    Variables::Texts& words = variables.begin(tell::kRunAs);
    for (char* const* word = command_.run_as; *word != nullptr; ++word)
      words.append(*word).push(tell::kEndOfWord);
  }
  const os::Fd before = static_cast<os::Fd&&>(over_);
  os::Fd end;
  int error = os::open_pipe(over_, end);
  if (error == 0) {
    variables.begin(tell::kEnd).append_signed(end.get());
    char* const* environment = os::environment();
    const std::size_t most = count_words(environment) + Variables::kMost + 1;
    char** const merged = run_arena().array<char*>(most);
    if (merged != nullptr) variables.merge(environment, kNotInherited, merged);
    int inherit[4];
    unsigned count = 0;
    for (const int fd : {end.get(), before.get(), url_.get(), output}) {
      if (fd >= 0) inherit[count++] = fd;
    }
    error =
        merged == nullptr ? ENOMEM : start_somewhere(merged, inherit, count, !ends_everything());
  }
  if (error == 0) return;
  over_.reset();
  Error failed = error_of(Code::internal, error, request_.locks[0].name);
  failed.message.append(": ").append(tell::kProgram).append(", which tells others of the run, ");
  failed.message.append("cannot be started: ").append(errno_words(error));
  if (observer_ != nullptr) observer_->warning(failed);
}

void Notifier::wait() const {
  if (over_.open() && ends_everything()) os::await_hangup(over_.get(), kLongestWaitMs);
}

}  // namespace atmost::limiter

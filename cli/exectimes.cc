// exectimes: the arguments, messages, streams and exit codes of the original, on the original's
// files.
#include <cerrno>
#include <cstdlib>
#include <utility>

#include "core/limiter.h"
#include "core/parse.h"
#include "core/words.h"
#include "os/host.h"
#include "output.h"

namespace atmost::cli {
namespace {

constexpr int kFailure = 1;  // EXIT_FAILURE, for every reason

constinit Request request;

int say(std::string_view message) {
  Output to(2);
  to.escaped(message).text("\n");
  to.flush();
  return kFailure;
}

int usage(int fd, int code) {
  Output to(fd);
  to.text(
      "usage: exectimes LOCKFILE MAX COMMAND [ARG]...  run COMMAND unless MAX run already\n"
      "       exectimes LOCKFILE check                 how many run\n"
      "       exectimes LOCKFILE list                  their slots and process ids\n");
  return to.finish().ok() ? code : kFailure;
}

// As perror(3) prints it: the step that failed, and the system's message, or ours if no system call
// failed.
int report_failure(const Error& error) {
  Text<900> line;
  switch (error.code) {
    case Code::not_executable:
    case Code::not_found:
      line.append("exec failed: ");
      break;
    default:
      line.append("Failed to open file: ");
      break;
  }
  return say(error.sys != 0 ? line.append(errno_words(error.sys)) : line.append(error.message));
}

int refused(const Decision& decision) {
  Text<100> line("Cannot start, ");
  return say(line.append_unsigned(decision.held).append(" instances already running"));
}

class Slots final : public LockVisitor {
 public:
  Slots(Output& to, bool show) : to_(to), show_(show) {}
  bool exists() const { return exists_; }
  void header(const Header& header) override { exists_ = header.exists; }
  void waiter(const WaiterView&) override {}
  void holder(const HolderView& holder) override {
    if (!show_) return;
    to_.text("Slot ")
        .number(holder.slot)
        .text(" held by PID ")
        .signed_number(holder.pid)
        .text("\n");
  }

 private:
  Output& to_;
  bool show_;
  bool exists_ = false;
};

// The original creates a file that does not exist, and fails if it cannot. We do not create it, but
// also fail if it could not be created.
Status could_be_made(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const PathText parent(slash == std::string_view::npos ? "."
                        : slash == 0                    ? "/"
                                                        : path.substr(0, slash));
  Text<255> nothing[1];
  const Result<std::size_t> seen = next_names(parent.c_str(), "/", {}, nothing);
  if (!seen.ok() && seen.error().sys != EACCES) return seen.error();
  return {};
}

[[gnu::noinline]] int show(Store& files, bool list) {
  Output to(1);
  Slots slots(to, list);
  const Result<std::uint32_t> running = files.inspect(request.locks[0], now(), &slots);
  if (!running.ok()) return report_failure(running.error());
  if (!slots.exists()) {
    if (const Status possible = could_be_made(request.locks[0].path); !possible.ok())
      return report_failure(possible.error());
  }
  if (!list) to.number(running.value()).text(" instances running\n");
  const Status written = to.finish();
  if (written.ok()) return 0;
  return say(written.error().message);
}

// Blanks in front (`wc -l` pads), one plus sign, digits: the texts from which the original's
// strtoul(3) reads the number that was meant. A number beyond all limits is the largest one, as in
// the original. Returns false for all other texts.
bool read_max(std::string_view text, std::uint32_t& to) {
  const std::size_t begin = text.find_first_not_of(" \t\n\v\f\r");
  if (begin >= text.size()) return false;
  text.remove_prefix(begin);
  if (text.front() == '+') text.remove_prefix(1);
  if (text.empty() || text.find_first_not_of("0123456789") != std::string_view::npos) return false;
  const Result<std::uint64_t> number = parse_count(text, 0, kMaxSlots);
  to = number.ok() ? static_cast<std::uint32_t>(number.value()) : kMaxSlots;
  return true;
}

int start(Store& files, std::string_view max, char* const* command) {
  LockSpec& lock = request.locks[0];
  if (!read_max(max, lock.max)) {
    Text<900> line("exectimes: MAX: \"");
    return say(line.append(max).append("\" is not a whole number of 0 or more, nor check or list"));
  }
  lock.max_given = true;
  request.exec = true;
  request.until = Until::close;
  request.command = Text<63>(command[0]);
  const Outcome outcome = run_command(files, request, Command{command}, nullptr);
  return outcome.kind == Outcome::Kind::refused ? refused(outcome.decision)
                                                : report_failure(outcome.error);
}

int run_exectimes(int argc, char** argv) {
  if (os::has_raised_rights()) return say("exectimes: refuses to run set-user-id or set-group-id");
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc == 2 && (first == "-h" || first == "--help")) return usage(1, 0);
  if (argc < 3) return usage(2, kFailure);
  LockSpec& lock = request.locks[0];
  lock.path = lock.name = TextView::of(first);
  if (first.size() > PathText::capacity())
    return report_failure(error_of(Code::io, 0, "its path is too long"));
  request.foreign_format = true;
  request.trust_fs = true;  // the original does not check the filesystem
  request.create_mode = 0666;
  request.mode_given = true;
  StoreRoom room;
  const Result<Store*> files = open_store("file:", room);
  if (!files.ok()) return report_failure(files.error());
  const std::string_view second = argv[2];
  if (second == "check" || second == "list") return show(*files.value(), second == "list");
  if (argc < 4) return usage(2, kFailure);
  return start(*files.value(), second, argv + 3);
}

}  // namespace
}  // namespace atmost::cli

int main(int argc, char** argv) { return atmost::cli::run_exectimes(argc, argv); }

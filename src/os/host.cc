#include "host.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <new>

#include "clock.h"
#include "core/words.h"
#include "file.h"
#include "process.h"
#include "self.h"
#include "signals.h"
#include "spawn.h"
#include "terminal.h"

namespace atmost {
namespace {

Error system_error(Code code, int sys, std::string_view what) {
  Error error = error_of(code, sys, what);
  error.message.append(": ").append(errno_words(sys));
  return error;
}

// Keeps the smallest names, sorted, in the caller's array.
struct Names {
  std::string_view ending;
  std::string_view after;
  std::span<Text<255>> kept;
  std::size_t count = 0;

  void offer(std::string_view name) {
    if (!name.ends_with(ending) || name.size() == ending.size() || name <= after) return;
    const auto less = [](const Text<255>& one, std::string_view other) {
      return one.view() < other;
    };
    Text<255>* const end = kept.data() + count;
    Text<255>* const place = std::lower_bound(kept.data(), end, name, less);
    if (count == kept.size()) {
      if (place == end) return;
      std::move_backward(place, end - 1, end);
    } else {
      std::move_backward(place, end, end + 1);
      ++count;
    }
    *place = Text<255>(name);
  }
};

}  // namespace

Text<32> user_name(std::uint32_t user) {
  // A listing asks for the same few users again and again.
  static std::uint32_t known_user = 0;
  static Text<32> known_name;
  if (!known_name.empty() && known_user == user) return known_name;
  Text<32> name(os::user_account(user).view());
  if (name.empty()) name.append_unsigned(user);
  known_user = user;
  known_name = name;
  return name;
}

bool absolute_path(std::string_view path, PathText& to) {
  to.clear();
  const bool relative = path.empty() || path.front() != '/';
  if (relative) {
    ScopedArena texts;
    const char* const directory = os::working_directory(texts);
    if (directory == nullptr) return false;
    to.assign(directory);
    while (path.starts_with("./")) path.remove_prefix(2);
    if (to.view() != "/") to.push('/');
  }
  to.append(path);
  return !to.truncated();
}

TerminalSize terminal_size(int fd) {
  TerminalSize size;
  if (!os::terminal_size(fd, size.columns, size.lines)) return {};
  return size;
}

Status write_text(int fd, std::string_view text) {
  const int error = os::write_stream(fd, text.data(), text.size());
  if (error == 0) return {};
  return system_error(Code::io, error, "cannot write");
}

Status claim_descriptor(int fd) {
  if (const int error = os::check_writable(fd))
    return system_error(Code::usage, error, "not open for writing");
  if (fd <= 2) return {};
  if (const int error = os::make_private(fd))
    return system_error(Code::io, error, "cannot make it close-on-exec");
  return {};
}

Result<std::size_t> next_names(const char* directory, std::string_view ending,
                               std::string_view after, std::span<Text<255>> to) {
  Names names{ending, after, to};
  const int error = os::visit_names(
      directory,
      [](void* context, std::string_view name) { static_cast<Names*>(context)->offer(name); },
      &names);
  if (error != 0)
    return system_error(error == EACCES ? Code::not_permitted : Code::io, error, directory);
  return names.count;
}

PathText program_directory() {
  PathText path;
  if (!os::program_path(path)) return {};
  const std::size_t slash = path.view().rfind('/');
  return slash == std::string_view::npos ? PathText{} : PathText({path.c_str(), slash});
}

Error become_program(char* const* argv) {
  os::Program program;
  program.argv = argv;
  program.envp = os::environment();
  const int error = os::become(program);
  return system_error(error == ENOENT ? Code::not_found : Code::not_executable, error, argv[0]);
}

std::string_view command_line(std::int64_t pid, std::span<char> room) {
  std::size_t size = 0;
  if (os::process_words(pid, room.data(), room.size(), size) != 0) return {};
  return {room.data(), size};
}

int next_signal(Duration span) {
  const std::int64_t end = plus(os::boot_ns(), span);
  do {
    const os::Arrival arrival = os::hold_signals().next(end);
    if (arrival.signal != 0) return arrival.signal;
  } while (os::boot_ns() < end);
  return 0;
}

void obey_signal(int signal) {
  if (os::stops(signal)) {
    os::stop_self(signal);
  } else if (!os::does_nothing(signal)) {
    os::die_of(signal);
    os::exit_now(128 + signal);
  }
}

int accept_signals() {
  int asked = 0;
  for (;;) {
    const os::Arrival arrival = os::hold_signals().next(Duration::kForever, 0);
    if (arrival.signal == 0) break;
    const bool of_taker =
        arrival.source == os::Source::process && arrival.relayed_for == os::kFromTaker;
    if (of_taker) continue;
    if (os::stops(arrival.signal) || os::does_nothing(arrival.signal)) {
      obey_signal(arrival.signal);
    } else {
      asked = arrival.signal;
    }
  }
  os::release_signals();
  return asked;
}

}  // namespace atmost

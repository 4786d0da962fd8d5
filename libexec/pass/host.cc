#include "host.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>

#include "os/clock.h"
#include "os/file.h"
#include "os/self.h"

namespace atmost::pass {
namespace {

// Streams are not used: the first of them prepares all locales, which takes a tenth of the time
// that a pass adds.
std::string text_of(const char* path) {
  std::string text;
  const os::Fd fd(open(path, O_RDONLY | O_CLOEXEC));
  char buffer[4096];
  while (fd.open()) {
    const ssize_t got = read(fd.get(), buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text) result += lower(c);
  return result;
}

// The text before the next of these characters, which is taken from `rest`, too.
std::string_view next_of(std::string_view& rest, std::string_view ends) {
  const std::size_t end = std::min(rest.find_first_of(ends), rest.size());
  const std::string_view part = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return part;
}

// The next word; empty: there is none.
std::string_view next_word(std::string_view& rest) {
  std::string_view word;
  while (word.empty() && !rest.empty()) word = next_of(rest, " \t\v\f\r");
  return word;
}

// os-release(5): NAME=value, the value perhaps in quotes.
std::string release_value(std::string_view text, const std::string& key) {
  while (!text.empty()) {
    const std::string_view line = next_of(text, "\n");
    if (!line.starts_with(key + "=")) continue;
    std::string_view value = line.substr(key.size() + 1);
    if (value.size() >= 2 && (value[0] == '"' || value[0] == '\'') && value.back() == value[0]) {
      value = value.substr(1, value.size() - 2);
    }
    return std::string(value);
  }
  return {};
}

void add_name(std::set<std::string>& to, std::string_view name) {
  for (;;) {
    if (!name.empty()) to.insert(class_name(name));
    const std::size_t dot = name.find('.');
    if (dot == std::string_view::npos) return;
    name.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string full_name_in(std::string_view hosts, const std::string& name) {
  if (name.find('.') != std::string::npos) return name;
  while (!hosts.empty()) {
    std::string_view line = next_of(hosts, "\n");
    line = line.substr(0, line.find('#'));
    std::string_view full;
    bool ours = false;
    (void)next_word(line);  // the address
    for (std::string_view word; !(word = next_word(line)).empty();) {
      ours = ours || lower(word) == lower(name);
      if (full.empty() && lower(word).starts_with(lower(name) + ".")) full = word;
    }
    if (ours && !full.empty()) return std::string(full);
  }
  return name;
}

Host this_host(std::string_view name) {
  Host host;
  host.name = name.empty() ? os::kept_host_name() : name;
  host.full_name = full_name_in(text_of("/etc/hosts"), host.name);
  utsname system = {};
  if (uname(&system) == 0) {
    host.system = system.sysname;
    host.machine = system.machine;
  }
  host.os_release = text_of("/etc/os-release");
  if (host.os_release.empty()) host.os_release = text_of("/usr/lib/os-release");
  return host;
}

std::string class_name(std::string_view text) {
  std::string name(text);
  for (char& c : name) {
    const bool plain = (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z');
    if (!plain) c = '_';
  }
  return name;
}

std::set<std::string> hard_classes(const Host& host) {
  std::set<std::string> classes = {"any"};
  add_name(classes, host.full_name);
  for (const std::string& name :
       {host.name, host.name.substr(0, host.name.find('.')), lower(host.system), host.machine}) {
    if (!name.empty()) classes.insert(class_name(name));
  }
  const std::string id = class_name(release_value(host.os_release, "ID"));
  const std::string version = release_value(host.os_release, "VERSION_ID");
  if (id.empty()) return classes;
  classes.insert(id);
  for (std::size_t end = 0; !version.empty() && end != std::string::npos;) {
    end = version.find('.', end + 1);
    classes.insert(id + "_" + class_name(version.substr(0, end)));
  }
  return classes;
}

namespace {

std::string lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

}  // namespace

bool host_matches(const Host& host, const std::string& pattern) {
  const std::string wanted = lowered(pattern);
  for (const std::string& name :
       {host.name, host.full_name, host.name.substr(0, host.name.find('.'))}) {
    if (fnmatch(wanted.c_str(), lowered(name).c_str(), 0) == 0) return true;
  }
  return false;
}

HostClasses::HostClasses(const Host& host, const std::map<std::string, Group>& groups, Ask ask)
    : host_(host), groups_(groups), ask_(std::move(ask)), hard_(hard_classes(host)) {}

bool HostClasses::group_holds(const std::string& name, const Group& group) {
  const auto known = answered_.find(name);
  if (known != answered_.end()) return known->second;
  const auto ours = [this](const std::string& pattern) { return host_matches(host_, pattern); };
  const bool answer = std::any_of(group.hosts.begin(), group.hosts.end(), ours) ||
                      (!group.command.empty() && ask_(name, group.command));
  answered_[name] = answer;
  return answer;
}

bool HostClasses::has(std::string_view name, const request::CivilTime& time) {
  const request::TimeClass timed = request::time_class(name);
  if (timed.unit != request::TimeUnit::none) return request::covers(timed, time);
  const std::string word(name);
  const auto group = groups_.find(word);
  return group != groups_.end() ? group_holds(word, group->second) : hard_.contains(word);
}

bool HostClasses::holds(const std::string& expression, const request::CivilTime& time) {
  struct At final : request::Classes {
    At(HostClasses& from, const request::CivilTime& when) : classes(from), time(when) {}
    bool has(std::string_view name) override { return classes.has(name, time); }
    HostClasses& classes;
    const request::CivilTime& time;
  } at(*this, time);
  return expression.empty() || request::evaluate(expression, at);
}

std::vector<std::string> HostClasses::all(const request::CivilTime& time) {
  std::vector<std::string> names;
  Text<15> timed[request::kTimeClassCount];
  request::list_time_classes(time, timed);
  for (const auto& name : timed) names.emplace_back(name.view());
  std::set<std::string> others = hard_;
  for (const auto& [name, group] : groups_) {
    others.erase(name);  // a group of that name is what counts
    if (group_holds(name, group)) others.insert(name);
  }
  names.insert(names.end(), others.begin(), others.end());
  return names;
}

namespace {

constexpr std::int64_t kPatienceNs = 10'000'000'000;

// The status of the child, polled less and less often; -1 when the time is over.
int status_of(pid_t child) {
  const std::int64_t end = os::boot_ns() + kPatienceNs;
  for (std::int64_t pause_ns = 500'000;;
       pause_ns = std::min<std::int64_t>(2 * pause_ns, 20'000'000)) {
    int status = 0;
    const pid_t got = waitpid(child, &status, WNOHANG);
    if (got == child) return status;
    if (got < 0 && errno != EINTR) return 1;
    if (os::boot_ns() >= end) return -1;
    const timespec pause = {0, static_cast<long>(pause_ns)};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace

bool ask_command(const std::string& group, const std::vector<std::string>& command,
                 const std::function<void(const std::string&)>& remark) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t streams;
  posix_spawn_file_actions_init(&streams);
  posix_spawn_file_actions_addopen(&streams, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&streams, 1, "/dev/null", O_WRONLY, 0);
  posix_spawnattr_t own_group;
  posix_spawnattr_init(&own_group);
  posix_spawnattr_setflags(&own_group, POSIX_SPAWN_SETPGROUP);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &streams, &own_group, argv.data(), environ);
  posix_spawn_file_actions_destroy(&streams);
  posix_spawnattr_destroy(&own_group);
  if (error != 0) {
    remark("the command of group " + group +
           " cannot be run, so the class is not set: " + command[0] + ": " + strerror(error));
    return false;
  }
  const int status = status_of(child);
  if (status >= 0) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  kill(-child, SIGKILL);
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  remark("the command of group " + group + " was stopped after 10 s, so the class is not set");
  return false;
}

}  // namespace atmost::pass

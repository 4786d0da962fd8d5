#include "tell_request.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <deque>

#include "core/programs.h"
#include "history/log.h"
#include "os/clock.h"
#include "os/file.h"
#include "reader/output.h"
#include "reader/record.h"

namespace atmost::tell {
namespace {

// Returns -1 if there is none.
int take_descriptor(std::string_view name) {
  const std::optional<std::string> number = tell::take(name);
  if (!number) return -1;
  const int fd = atoi(number->c_str());
  return fd > 2 && fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 ? fd : -1;
}

// The first line of the file with the URL. Another process may have the same descriptor open, so
// that its position is not moved.
std::string first_line(int fd) {
  char text[4096];
  const ssize_t size = fd >= 0 ? pread(fd, text, sizeof text, 0) : 0;
  const std::string all(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  return all.substr(0, all.find('\n'));
}

// At most the last `most` bytes of the file, and 64 KiB.
std::string end_of(int fd, std::int64_t most) {
  constexpr std::int64_t kMost = 64 * 1024;
  struct stat status;
  if (fd < 0 || fstat(fd, &status) != 0) return {};
  const std::int64_t size = std::min({std::int64_t{status.st_size}, most, kMost});
  std::string text(static_cast<std::size_t>(std::max<std::int64_t>(size, 0)), '\0');
  const ssize_t got = pread(fd, text.data(), text.size(), status.st_size - size);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace

std::optional<std::string> take(std::string_view name) {
  const std::string variable(name);
  const char* const value = getenv(variable.c_str());
  if (value == nullptr) return std::nullopt;
  std::string taken = value;
  unsetenv(variable.c_str());
  return taken;
}

TellRequest take_request(Clock::time_point deadline) {
  TellRequest request;
  request.deadline = deadline;
  take_descriptor(kEnd);
  request.line = take(kLine).value_or("");
  request.log = take(kLog).value_or("");
  request.log_mode = take(kLogMode).value_or("");
  request.notify = take(kNotify);
  request.ping = take(kPing);
  request.url = take(kUrl).value_or("");
  const int url_from = take_descriptor(kUrlFrom);
  if (url_from >= 0) request.url = first_line(url_from);
  request.run_id = take(kRunId).value_or("");
  request.after = take_descriptor(kAfter);
  request.report = take_descriptor(kReport);
  const int output = take_descriptor(kOutput);
  request.output = end_of(output, atoll(take(kOutputEnd).value_or("0").c_str()));
  if (const char* const event = getenv("ATMOST_EVENT")) request.event = event;
  return request;
}

namespace {

using history::Record;

history::LogPlace place_of(const TellRequest& request) {
  history::LogPlace place;
  place.path.assign(request.log);
  char* flags = nullptr;
  place.mode = static_cast<unsigned>(strtoul(request.log_mode.c_str(), &flags, 10));
  const std::string_view given = flags;
  place.mode_given = given.find('g') != given.npos;
  place.check_directories = given.find('c') != given.npos;
  place.optional = given.find('o') != given.npos;
  return place;
}

}  // namespace

void log_undelivered(const TellRequest& request, const std::string& to, const std::string& why) {
  if (request.report >= 0) {
    const std::string said = to + "\t" + why + "\n";
    (void)os::write_all(request.report, said.data(), said.size());
    return;
  }
  Record record;
  if (request.log.empty() || history::read_line(request.line, record) == history::Reading::foreign)
    return;
  Event event;
  event.begin(Event::Kind::undelivered, os::now());
  std::deque<std::string> texts;
  constexpr TextField kTexts[] = {"host",    "lock", "path", "operator",
                                  "operand", "mode", "id",   "command"};
  constexpr NumberField kNumbers[] = {"max", "take", "slot", "token", "pid", "uid"};
  for (const TextField field : kTexts)
    event.text(field, texts.emplace_back(history::text_of(record.text_at(field.index))));
  for (const NumberField field : kNumbers) {
    if (record.number(field) != Record::kAbsent) event.number(field, record.number(field));
  }
  event.text("to", to).text("why", why);
  const history::LogPlace place = place_of(request);
  (void)history::Log(place).append(event);
}

}  // namespace atmost::tell

#include "undelivered.h"

#include <stdlib.h>

#include "history/log.h"
#include "os/clock.h"
#include "os/file.h"
#include "reader/record.h"
#include "reader/safe_text.h"

namespace atmost::tell {
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

template <class Number>
void copy(std::int64_t from, Number& to) {
  if (from != Record::kAbsent) to = static_cast<Number>(from);
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
  const std::string host = history::text_of(record.host), id = history::text_of(record.id);
  const std::string command = history::text_of(record.command);
  const std::string lock = history::text_of(record.lock), path = history::text_of(record.path);
  const std::string op = history::text_of(record.op), operand = history::text_of(record.operand);
  Event event;
  event.kind = Event::Kind::undelivered;
  event.at = os::now();
  event.host = host;
  event.id = id;
  event.command = command;
  event.lock = lock;
  event.path = path;
  event.op = op;
  event.operand = operand;
  copy(record.pid, event.pid);
  copy(record.uid, event.uid);
  copy(record.max, event.max);
  copy(record.take, event.take);
  copy(record.token, event.token);
  if (record.mode == "shared") event.mode = Mode::shared;
  if (record.mode == "exclusive") event.mode = Mode::exclusive;
  std::uint32_t slot = 0;
  copy(record.slot, slot);
  event.slots = {&slot, slot != 0 ? std::size_t{1} : 0};
  event.undelivered = {to, why};
  const history::LogPlace place = place_of(request);
  (void)history::Log(place).append(event);
}

}  // namespace atmost::tell

#include "undelivered.h"

#include <stdlib.h>

#include <deque>

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

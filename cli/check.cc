// atmost check, atmost wait
#include "core/json_line.h"
#include "core/limiter.h"
#include "core/words.h"
#include "options/table.h"
#include "report.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {
namespace {

int show_count(const Invocation& invocation) {
  const LockSpec& lock = invocation.request.locks[0];
  const Result<std::uint32_t> held = invocation.locks->inspect(lock, now(), nullptr);
  if (!held.ok()) return fail(held.error(), invocation, 1);
  if (held.value() == 0) warn_if_unknown(invocation, lock);
  Output to(1);
  if (invocation.json) {
    char room[kJsonRoom];
    JsonLine line(room);
    to.text(line.text("lock", lock.name).number("held", held.value()).finish());
  } else {
    to.number(held.value()).text("\n");
  }
  return finish(to);
}

// The plain answer is about one more start; the other one is about the number of holders.
bool asks(const Invocation& invocation) {
  const Request& request = invocation.request;
  return given(invocation, "max") || invocation.shared || invocation.exclusive ||
         !request.if_elapsed.is_zero() || request.if_elapsed_auto || request.rate.count > 0;
}

// The exit codes of a monitoring plug-in (Monitoring Plugins Development Guidelines).
enum Plugin : int { kPluginOk = 0, kPluginCritical = 2, kPluginUnknown = 3 };
constexpr std::string_view kPluginWords[] = {"OK", "", "CRITICAL", "UNKNOWN"};

// One line. In the output of a plug-in a bar begins its numbers, so names are shown without bars.
int say_as_plugin(int code, std::string_view lock, std::string_view words, const LastSuccess* last,
                  Duration within) {
  Output to(1);
  to.text("ATMOST ").text(kPluginWords[code]).text(" - ");
  Text<1500> said(lock);
  said.append(words);
  for (std::size_t begin = 0; begin < said.size();) {
    const std::size_t bar = said.view().find('|', begin);
    const std::size_t end = bar == std::string_view::npos ? said.size() : bar;
    to.escaped({said.view().data() + begin, end - begin});
    if (end < said.size()) to.text("!");
    begin = end + 1;
  }
  if (last != nullptr && !last->age.is_forever()) {
    to.text("|age=").text(duration_seconds(last->age).view()).text("s;;");
    if (!within.is_forever()) to.text(duration_seconds(within).view());
    to.text(";0");
  }
  to.text("\n");
  const int failed = finish(to);
  return failed != 0 ? static_cast<int>(kPluginUnknown) : code;
}

int show_success(const Invocation& invocation) {
  const std::string_view lock = invocation.request.locks[0].name;
  const Duration within = invocation.succeeded_within;
  const Result<LastSuccess> asked = last_success(*invocation.locks, invocation.request);
  if (!asked.ok()) {
    if (!invocation.nagios) return fail(asked.error(), invocation, 1);
    Text<1500> words(": ");
    words.append(asked.error().message);
    return say_as_plugin(kPluginUnknown, lock, words.view(), nullptr, within);
  }
  const LastSuccess& last = asked.value();
  const bool recent = !last.age.is_forever() && last.age <= within;
  // A plug-in has one line.
  if (last.age.is_forever() && !invocation.nagios)
    warn_if_unknown(invocation, invocation.request.locks[0]);
  Text<200> words(": ");
  if (last.in_future) {
    words.append("the last success lies in the future: the clock was set back");
  } else if (last.age.is_forever()) {
    words.append("no success is known");
  } else {
    words.append("the last success was ").append(duration_words(last.age)).append(" ago");
  }
  if (invocation.nagios)
    return say_as_plugin(recent ? kPluginOk : kPluginCritical, lock, words.view(), &last, within);
  Output to(1);
  if (invocation.json) {
    char room[kJsonRoom];
    JsonLine line(room);
    line.text("lock", lock).truth("succeeded", recent).micros("age_s", last.age.ns);
    to.text(line.micros("within_s", within.ns).finish());
  } else if (!invocation.quiet) {
    to.escaped(lock).text(words.view()).text("\n");
  }
  const int failed = finish(to);
  return failed != 0 ? failed : recent ? 0 : 1;
}

}  // namespace

int check_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok())
    return fail(placed.error(), invocation, 1);
  if (!invocation.succeeded_within.is_zero()) {
    invocation.request.looks_only = true;
    return show_success(invocation);
  }
  if (!asks(invocation)) return show_count(invocation);
  invocation.request.looks_only = true;
  const Outcome outcome = probe(*invocation.locks, invocation.request);
  if (outcome.kind == Outcome::Kind::ran) warn_if_unknown(invocation, invocation.request.locks[0]);
  report(outcome, invocation, 1);
  report_status(outcome, invocation, {});
  return exit_code(outcome, invocation);
}

int wait_command(Invocation& invocation) {
  if (const Status placed = take_lock(invocation, false); !placed.ok())
    return fail(placed.error(), invocation, 1);
  // A wait for a misspelt lock would return at once, as if the meant one had room.
  if (const Status known = require_lock(invocation, invocation.request.locks[0], true); !known.ok())
    return fail(known.error(), invocation, 1);
  Narrator narrator(invocation);
  const Outcome outcome = wait_for_room(*invocation.locks, invocation.request, &narrator);
  narrator.done();
  report(outcome, invocation, 1);
  report_status(outcome, invocation, {});
  return exit_code(outcome, invocation);
}

}  // namespace atmost::cli

#include "pass.h"

#include "atmost/host.h"
#include "atmost/limiter.h"
#include "crew.h"
#include "job.h"

namespace atmost::pass {
namespace {

// One request at a time is looked at; it is large.
Request request;

Zone zone_of(const PassFile& file) {
  return file.time_zone.empty() ? Zone({}) : Zone::named(file.time_zone).value_or(Zone("UTC0"));
}

// When a lock last admitted somebody, by the wall clock; 0 when it never did.
std::int64_t last_admission(const LockSpec& lock) {
  struct Last final : LockVisitor {
    std::int64_t real_ns = 0;
    void header(const Header& header) override {
      if (header.last.start.known) real_ns = header.last.start.real_ns;
    }
    void holder(const HolderView&) override {}
    void waiter(const WaiterView&) override {}
  } last;
  return inspect(lock, &last).ok() ? last.real_ns : 0;
}

Fate failed(const Error& error) {
  Fate fate;
  fate.outcome.error = error;
  return fate;
}

}  // namespace

Pass::Pass(const Options& options, const PassFile& file, const Host& host, const Surroundings& around)
    : options_(options),
      file_(file),
      around_(around),
      zone_(zone_of(file)),
      classes_(host, file.groups,
               [](const std::string& group, const std::vector<std::string>& command) {
                 return ask_command(group, command, [](const std::string& words) { complain(words); });
               }),
      all_told_(options.verbose || options.json || (!options.quiet && is_terminal(2))) {
  first_.now = now();
  if (options.now_ns) {
    first_.now.real_ns = *options.now_ns;
    first_.now.given = true;
  }
  first_.moment = look_at(zone_, first_.now.real_ns / 1'000'000'000);
}

Pass::Turn Pass::turn() const {
  if (!options_.clock_per_atom || options_.now_ns) return first_;
  Turn turn;
  turn.now = now();
  turn.moment = look_at(zone_, turn.now.real_ns / 1'000'000'000);
  return turn;
}

bool Pass::is_due(const Atom& atom, const Turn& at, Fate& fate) {
  const Moment& moment = at.moment;
  fate.kind = Fate::Kind::not_due;
  if (!classes_.holds(atom.when, moment.time) &&
      !(moment.skipped && classes_.holds(atom.when, *moment.skipped))) {
    return false;
  }
  fate.kind = Fate::Kind::told;
  const Status made = make_request(atom, around_, options_.trust_fs, at.now, request);
  if (!made.ok()) {
    fate = failed(made.error());
    return false;
  }
  if (!moment.first_time || !atom.names_hours) return true;
  const std::int64_t last = last_admission(request.locks[0]) / 1'000'000'000;
  if (last < moment.first_time->begin || last >= moment.first_time->end) return true;
  fate.kind = Fate::Kind::repeated;
  return false;
}

void Pass::tell(const Atom& atom, const Fate& fate) {
  const bool attention = fate.kind == Fate::Kind::told && needs_attention(fate.outcome);
  failed_ = failed_ || attention;
  // Who was told to end knows why; the taker's pass runs it again.
  const bool aloud = attention && fate.outcome.told == 0;
  if (options_.json) {
    put(1, json_of(atom, fate, false));
  } else if (aloud || all_told_) {
    complain(atom.name() + ": " + words_of(atom, fate, false));
  }
}

int Pass::dry_run() {
  for (const Atom& atom : file_.atoms) {
    Fate fate;
    if (is_due(atom, turn(), fate)) fate.outcome = probe(request);
    if (options_.json) {
      put(1, json_of(atom, fate, true));
    } else {
      put(1, escaped(atom.name()) + ": " + escaped(words_of(atom, fate, true)) + "\n");
    }
  }
  return 0;
}

int Pass::show_classes() {
  std::string lines;
  for (const std::string& name : classes_.all(first_.moment.time)) lines += escaped(name) + "\n";
  put(1, lines);
  return 0;
}

int Pass::run() {
  Crew crew(options_.jobs, options_.quiet, [this](const Atom& atom, const Outcome& outcome) {
    tell(atom, {Fate::Kind::told, outcome});
  });
  for (const Atom& atom : file_.atoms) {
    if (told_to_end_ == 0) told_to_end_ = crew.make_room();
    if (told_to_end_ != 0) break;
    Fate fate;
    if (!is_due(atom, turn(), fate)) {
      tell(atom, fate);
    } else if (options_.jobs > 1 || !runs_here(atom)) {
      crew.start(atom, request);
    } else {
      fate.outcome = run_here(atom, request, options_.quiet);
      tell(atom, fate);
      told_to_end_ = fate.outcome.told;
    }
  }
  if (const int signal = crew.finish_all(); told_to_end_ == 0) told_to_end_ = signal;
  if (told_to_end_ != 0) end_as({0, told_to_end_, false});
  return failed_ ? 1 : 0;
}

}  // namespace atmost::pass

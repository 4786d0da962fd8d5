// atmost doctor
#include "core/limiter.h"
#include "output.h"
#include "place.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

std::string_view store_of(const Invocation& it) {
  return it.operand_count > 0 ? std::string_view{it.operands[0]} : it.store;
}

int complained(const Error& error) {
  complain(error);
  return static_cast<int>(error.code);
}

// Where runs of locks that no directory was examined for are logged, or why not: those that are
// given by a path. `directory` is the one that all lines of this doctor's answer name as their
// store.
void tell_history(const Invocation& it, const Surroundings& around, const PathText& directory) {
  PathText log;
  Status can = own_log(around, log);
  if (can.ok()) can = try_own_log(log);
  Text<1024> what("runs of locks that are given by a path are ");
  what.append(can.ok() ? "logged in " : "not logged: ");
  if (can.ok()) {
    what.append(log);
  } else {
    what.append(can.error().message);
  }
  constexpr std::string_view kAdvice = "set HOME or XDG_STATE_HOME, or use --log";
  Output to(1);
  if (it.json) {
    to.text("{\"level\":").json(can.ok() ? "ok" : "warn").text(",\"check\":\"history\",\"what\":");
    to.json(what).text(",\"why\":\"\",\"advice\":").json(can.ok() ? "" : kAdvice);
    to.text(",\"store\":").json(directory).text("}\n");
  } else {
    to.text(can.ok() ? "ok    history         " : "warn  history         ").escaped(what);
    if (!can.ok()) to.text("; ").text(kAdvice);
    to.text("\n");
  }
  to.flush();
}

}  // namespace

int doctor_command(Invocation& it) {
  if (it.operand_count > 1) {
    complain("one directory at a time: atmost doctor [DIR]");
    return static_cast<int>(Code::usage);
  }
  if (is_fleet(store_of(it))) {
    const Result<Code> means = it.service->diagnose(store_of(it), 1, it.json);
    return means.ok() ? static_cast<int>(means.value()) : complained(means.error());
  }
  PathText directory;
  Text<255> host_room;
  const Surroundings around = surroundings(it, host_room);
  if (it.operand_count == 1) {
    directory = PathText(it.operands[0]);
  } else {
    const Status found = lock_directory(around, directory);
    if (!found.ok()) return complained(found.error());
  }
  if (directory.empty() || directory.truncated() ||
      directory.view().find("://") != std::string_view::npos) {
    complain(
        "doctor examines a directory or a store: atmost doctor [DIR | etcd://... | "
        "postgres://...]");
    return static_cast<int>(Code::usage);
  }
  tell_history(it, around, directory);
  const Result<bool> trusted = diagnose(directory, 1, it.json);
  if (!trusted.ok()) return complained(trusted.error());
  return trusted.value() ? 0 : static_cast<int>(Code::io);
}

}  // namespace atmost::cli

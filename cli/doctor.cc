// atmost doctor
#include "atmost/limiter.h"
#include "output.h"
#include "place.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

int complained(const Error& error) {
  complain(error);
  return static_cast<int>(error.code);
}

}  // namespace

int doctor_command(Invocation& it) {
  if (it.operand_count > 1) {
    complain("one directory at a time: atmost doctor [DIR]");
    return static_cast<int>(Code::usage);
  }
  if (is_fleet(it.operand_count == 1 ? std::string_view{it.operands[0]} : it.store)) {
    const Result<Code> means = fleet_store().diagnose(1, it.json);
    return means.ok() ? static_cast<int>(means.value()) : complained(means.error());
  }
  PathText directory;
  if (it.operand_count == 1) {
    directory = PathText(it.operands[0]);
  } else {
    Text<255> host_room;
    const Status found = lock_directory(surroundings(it, host_room), directory);
    if (!found.ok()) return complained(found.error());
  }
  if (directory.empty() || directory.truncated() || directory.view().find("://") != std::string_view::npos) {
    complain("doctor examines a directory or a store: atmost doctor [DIR | etcd://... | postgres://...]");
    return static_cast<int>(Code::usage);
  }
  const Result<bool> trusted = diagnose(directory, 1, it.json);
  if (!trusted.ok()) return complained(trusted.error());
  return trusted.value() ? 0 : static_cast<int>(Code::io);
}

}  // namespace atmost::cli

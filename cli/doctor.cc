// atmost doctor
#include "atmost/limiter.h"
#include "output.h"
#include "place.h"
#include "subcommands.h"

namespace atmost::cli {
namespace {

int told(const Result<bool>& trusted, Code untrusted) {
  if (trusted.ok()) return trusted.value() ? 0 : static_cast<int>(untrusted);
  complain(trusted.error());
  return static_cast<int>(trusted.error().code);
}

}  // namespace

int doctor_command(Invocation& it) {
  if (it.operand_count > 1) {
    complain("one directory at a time: atmost doctor [DIR]");
    return static_cast<int>(Code::usage);
  }
  if (is_fleet(it.operand_count == 1 ? std::string_view{it.operands[0]} : it.store)) {
    return told(fleet_store().diagnose(1, it.json), Code::unavailable);
  }
  PathText directory;
  if (it.operand_count == 1) {
    directory = PathText(it.operands[0]);
  } else {
    Text<255> host_room;
    const Status found = lock_directory(surroundings(it, host_room), directory);
    if (!found.ok()) {
      complain(found.error());
      return static_cast<int>(found.error().code);
    }
  }
  if (directory.empty() || directory.truncated() || directory.view().find("://") != std::string_view::npos) {
    complain("doctor examines a directory or a store: atmost doctor [DIR | etcd://... | postgres://...]");
    return static_cast<int>(Code::usage);
  }
  return told(diagnose(directory, 1, it.json), Code::io);
}

}  // namespace atmost::cli

// One atom on its way through the limiter: the same pipeline as `atmost run`.
#ifndef ATMOST_LIBEXEC_PASS_JOB_H
#define ATMOST_LIBEXEC_PASS_JOB_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "atmost/outcome.h"
#include "atmost/place.h"
#include "os/fd.h"
#include "pass_file.h"

namespace atmost::pass {

// Fills in the request of one atom. About 140 KiB: make it static.
Status make_request(const Atom& atom, const Surroundings& around, bool trust_fs, const Instant& now,
                    Request& to);

// Whether the atom can be run by this very process: nothing of it has to be changed for the command.
bool runs_here(const Atom& atom);

// Runs it here, and returns when it has ended. REQUIRES: runs_here(atom), no children of ours.
Outcome run_here(const Atom& atom, const Request& request, bool quiet);

// An atom under way in a process of its own, which is its supervisor.
struct Child {
  pid_t pid = 0;
  os::Fd result;  // the Outcome in one piece, then the end; the end alone when the supervisor was killed
  os::Fd out;     // what the command writes, when it was captured
  os::Fd err;
};

// Starts it. captured: its standard output and error come through pipes, and its standard input is empty; else it
// has our streams. `mask` is the signal mask it shall have. Errors name what was missing.
Result<Child> start(const Atom& atom, const Request& request, bool captured, bool quiet,
                    const sigset_t& mask);

// The outcome a started atom sent, and the wait for its process. `passed_on`: the signal we sent it, or 0.
Outcome finish(Child& child, int passed_on);

// The hidden way this program starts commands as another user: pass --become USER DIRECTORY COMMAND [ARG]... takes on
// the user's identity, goes to the directory (none: empty) and becomes the command. Returns the exit code if it cannot.
int become_user(char** argv);
inline constexpr const char* kBecome = "--become";

}  // namespace atmost::pass

#endif

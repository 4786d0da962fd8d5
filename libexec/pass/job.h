// One atom on its way through the limiter: the same pipeline as `atmost run`.
#ifndef ATMOST_LIBEXEC_PASS_JOB_H
#define ATMOST_LIBEXEC_PASS_JOB_H

#include <sys/types.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/limiter.h"
#include "core/parse.h"
#include "core/result.h"
#include "options.h"
#include "os/file.h"
#include "pass_file.h"
#include "say.h"
#include "zone.h"

namespace atmost::pass {

struct User {
  std::string name;
  std::string home;
  std::string shell;
  uid_t uid = 0;
  gid_t gid = 0;
};

// Asks the system's directory, which may block. An error unless the user exists and we may be it.
Status find_user(const std::string& name, User& to);

// True if we are that user already.
bool is_ours(const User& user);

// USER, LOGNAME, HOME and SHELL, as cron sets them.
void set_variables(const User& user);

// Where this program is, so that it can start itself.
std::string own_path();

// True if the atom's lock is in the store that many machines share.
inline bool in_fleet(const Atom& atom, const Options& options) {
  return is_fleet(options.store) && !atom.each_host;
}

// Fills in the request of one atom, which borrows the atom's texts and those that are made anew in
// `texts`.
Status make_request(const Atom& atom, const Options& options, const NamingContext& around,
                    const Instant& now, Arena& texts, Settings& to);

// Names and values.
using Variables = std::vector<std::pair<std::string, std::string>>;

// An atom that is due, as far as can be known without its lock.
struct Job {
  const Atom& atom;
  const Request& request;
  Store& locks;       // that keeps its lock
  std::string store;  // the URL of its lock's store, which many machines share; empty: a file
  std::optional<Moment::Span> not_since;  // it is not due if it ran in that time
};

// True if the job ran in that time. Asks its store.
Result<bool> ran_already(const Job& job);

// True if the job can be run by this very process: nothing has to be changed for the command.
bool runs_here(const Job& job);

// Runs it here, and returns when it has ended. REQUIRES: runs_here(job), no children of ours.
Outcome run_here(const Job& job, bool quiet);

// The same in a process for this job alone: it first sets the user, directory and environment that
// the atom gives its command.
Outcome run_prepared(const Job& job, bool quiet);

// An atom that runs in a separate process, its supervisor.
struct Child {
  pid_t pid = 0;
  os::Fd result;  // the SentResult in one piece, then the end; the end alone when the supervisor
                  // was killed
  os::Fd out;     // what the command writes, when it was captured
  os::Fd err;
};

// Starts it. captured: its standard output and error come through pipes, and its standard input is
// empty; else it has our streams. `mask` is the signal mask it shall have. `secrets` are for its
// store. Errors name the thing that was missing.
Result<Child> start(const Job& job, const Variables& secrets, bool captured, bool quiet,
                    const sigset_t& mask);

// The messages of a started atom, and the wait for its process. `passed_on`: the signal we sent it,
// or 0.
AtomResult finish(Child& child, int passed_on);

// A hidden option by which this program starts commands as another user: pass --become USER
// DIRECTORY COMMAND [ARG]... takes on the user's identity, goes to the directory (none: empty) and
// becomes the command. Returns the exit code if it cannot.
int become_user(char** argv);
inline constexpr const char* kBecome = "--become";

}  // namespace atmost::pass

#endif

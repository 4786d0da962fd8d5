// The pipeline, for programs: a Request in, an Outcome out. cli/ and the libraries use this and no
// layer below it.
#ifndef ATMOST_LIMITER_H
#define ATMOST_LIMITER_H

#include <cstdint>
#include <string_view>

#include "core/outcome.h"
#include "core/parse.h"
#include "core/request.h"
#include "core/result.h"
#include "core/stats.h"
#include "core/store.h"

namespace atmost {

// A command to run: argv as execvp takes it, NULL-terminated; the caller's environment is passed on
// with the ATMOST_ variables of atmost-run(1) added. Both are borrowed for the call.
struct Command {
  char* const* argv = nullptr;
  // If the command runs as another user: the words in front of it that see to it, and then to any
  // program that is started for it; NULL-terminated. Null: none.
  char* const* run_as = nullptr;
};

// A process, for messages.
struct HolderName {
  std::int64_t pid = 0;   // 0: not visible from here
  std::string_view host;  // empty: this one
};

// A holder that was stopped and has released its slot. Texts are borrowed; they are hints, like
// everything in a holder's record.
struct StoppedHolder {
  std::uint32_t slot = 0;
  HolderName who;
  std::string_view id, command;
  Duration held = Duration::forever();  // for how long; forever: not known
  StopReason reason = StopReason::overdue;
  Duration limit = Duration::forever();  // overdue: the limit that it exceeded
  const Limits* learned = nullptr;       // set if that limit was learned
  SignalStep last = SignalStep::look;    // the step after which it released the slot
  bool noted = false;                    // a note in the store asked it to stop, not a signal
};

// The message about the stopped holder, without the name of the lock.
Text<700> stopped_words(const LockSpec& lock, const StoppedHolder& holder);

// Is notified of what happens, as it happens; any of the calls may not come. May print; must not
// call back into the limiter.
class Observer {
 public:
  virtual void waiting(const Decision& why) = 0;  // once, before the first wait
  // Before each pause of a wait: the longest pause that it wants.
  virtual Duration still_waiting() { return Duration::forever(); }
  virtual void pausing() {}  // this process is about to stop itself (^Z) while it waits
  virtual void admitted(const Lease& lease, Duration waited) = 0;  // before the command starts
  virtual void warning(const Error& about) = 0;  // something to know that stops nothing
  // A holder is being stopped: INT, then TERM, then KILL.
  virtual void stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                               SignalStep pressure) = 0;
  // A holder has released its slot because it was stopped; once for each hold.
  virtual void holder_stopped(const LockSpec& lock, const StoppedHolder& holder) = 0;

 protected:
  ~Observer() = default;
};

// Storage for a store that every program serves, which has no state of its own.
struct StoreRoom {
  alignas(void*) unsigned char bytes[3 * sizeof(void*)];
};

// A store that only one program serves (schemes.h, `program`). None of these errors repeats the
// URL.
struct StoreService {
  // Opens the store, the only one of this program at a time; asks nothing of a network yet. Removes
  // the secrets of every scheme from the environment, because the command does not need them.
  Result<Store*> (*open)(std::string_view url);
  // Ends the lease that Session::lease_name() of another process named, with everything stored
  // under it, and notifies the next waiter. Also ok when the lease no longer exists. Blocks for at
  // most the timeout of one query. REQUIRES: that process is dead, and nothing that it started
  // under the lease still runs.
  Status (*end_lease)(std::string_view url, std::string_view lease);
  // Examines the store and writes its condition to `fd`, one line a finding. ok for yes; else the
  // code that a caller would get: unavailable, or not_permitted.
  Result<Code> (*diagnose)(std::string_view url, int fd, bool json);
};

// Opens the store that `url` names (schemes.h; empty: file:), in `room` if every program serves it,
// else by `service`, which may be null. Borrows `room`, and lasts as long as that. Error:
// unavailable, when this program does not serve it.
Result<Store*> open_store(std::string_view url, StoreRoom& room,
                          const StoreService* service = nullptr);

// True if locks in the directory belong to a store that other machines share: it is on NFS that
// keeps them as that store needs it. `url` gets the store's URL. Blocks while the server does not
// answer.
bool find_shared_store(std::string_view directory, PathText& url);

// `around` without --dir and $ATMOST_DIR where they are such directories: it leads to what each
// machine has for itself. Blocks as find_shared_store() does, but not for the directory of `store`,
// a URL.
NamingContext without_shared(NamingContext around, std::string_view store);

// In all functions below, the locks of a request are locks of `store`.

// Runs the command when every lock of the request admits it (request.exec: becomes it, and returns
// only if it could not). Blocks as long as request.wait and the command say. While a command runs,
// signals that arrive for this process are passed on to it. Signals that arrive after its end wait
// until accept_signals() (os/host.h), so that the caller can finish its report, whatever comes;
// they are lost if the process ends first.
Outcome run_command(Store& store, const Request& request, const Command& command,
                    Observer* observer);

// True if the request would be admitted now; holds nothing afterwards and creates nothing. Kind
// ran: yes; with victims in the decision, after stopping those.
Outcome probe(Store& store, const Request& request);

// The time since a run of the request's lock last ended with exit code 0; creates nothing. Forever:
// no such run is known, or the clock was set back behind it (`in_future`). REQUIRES: the request
// has no if_elapsed.
struct LastSuccess {
  Duration age = Duration::forever();
  bool in_future = false;
};
Result<LastSuccess> last_success(Store& store, const Request& request);

// Blocks until the request would be admitted, at most request.wait; holds nothing afterwards.
Outcome wait_for_room(Store& store, const Request& request, Observer* observer);

// The holders to stop: all, the one of a slot, the one with a token, or those older than the limit
// in their own records.
struct Victims {
  std::uint32_t slot = 0;   // 0: every slot
  std::uint64_t token = 0;  // 0: every holder; else none when it has left the lock
  bool overdue = false;
  bool dry_run = false;  // stop none; only notify the observer, with SignalStep::look
};

// Stops holders of the request's first lock carefully (request.kill_grace after each of INT, TERM,
// KILL) without taking their place. Kind ran: none of them is left. Refused, Why::survivor: the
// culprit is still there. decision.held: the number of such holders. Creates nothing.
Outcome stop_holders(Store& store, const Request& request, const Victims& wanted,
                     Observer* observer);

// Changes the limit of record of the request's lock, and logs the change. Fails for users other
// than the lock's owner and root; then nothing has changed. `change.from` and `.to` may not be
// null.
Status set_limit(Store& store, const Request& request, const LimitChange& change,
                 Observer* observer);

// The last step of building a request for hold_for(): on behalf of the running process `pid`. Its
// paths become absolute; `texts` keeps them. Error: there is no such process (usage), it is another
// user's (not_permitted), or it cannot be watched (unavailable).
Status complete_hold(Store& store, std::int64_t pid, Arena& texts, Request& request);

// Takes the locks of the request on behalf of its process kept_for (complete_hold()), and leaves a
// keeper process that holds them until kept_for has ended, however it ends; with Until::tree, until
// its marked descendants have ended, too; at most request.keep_at_most. (Where a hold can name
// another process, no keeper is needed.) Blocks for request.wait, but not beyond the end of
// kept_for. Kind ran: held. If this process dies before it returned, nothing is held. Failed: as
// complete_hold(), or kept_for ended meanwhile (busy). `keeper_to`, unless empty: a file to which
// one line is appended, "NAME PID\n", when the keeper can be asked to release the locks and to take
// them again without starting a process (os/request_pipe.h; shell/lock_unlock.sh does that). Such a
// keeper stays for a few seconds after it has released them. A line that cannot be written is not a
// failure.
Outcome hold_for(Store& store, const Request& request, std::string_view keeper_to,
                 Observer* observer);

// Ends the newest hold on the lock that was taken on behalf of `pid`: true once its slots are free.
// False: there is no such hold, or no longer. Error: not_permitted if it is another user's. The
// hold counts as ended at `at_real_ns` (wall clock); 0: now.
Result<bool> release_for(Store& store, const LockSpec& lock, std::int64_t pid,
                         std::int64_t at_real_ns = 0);

// The supervisors that beat() has notified.
enum class Beat : std::uint8_t {
  told,         // at least one supervisor
  unwatched,    // the caller is inside of a command of atmost, and nobody watches it for silence
  outside,      // it is not, or not inside of one that holds that lock
  unreachable,  // a supervisor watches, and cannot be reached from here (another pid namespace)
};

// Tells the supervisors above this process that watch their commands for silence, or that of the
// lock at `path` alone (empty: all), that the command works, and that it may be silent for `eta`
// from now. Error: not_permitted, when a supervisor is another user's and `eta` is not zero. (That
// this process was started is activity that every supervisor sees by itself.) Blocks until they
// have read it, at most two seconds each.
Result<Beat> beat(std::string_view path, Duration eta);
// The longest `eta`.
inline constexpr Duration kLongestEta = Duration::seconds(24 * 86'400);

// The process that started this one.
std::int64_t caller_id();

// The limits that `auto` would choose for the request's first lock now, within request.learned.
// Creates nothing.
Result<Tuning> tune(Store& store, const Request& request);

// Both clocks, now.
Instant now();

}  // namespace atmost

#endif

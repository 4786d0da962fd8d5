// The pipeline, for programs: a Request in, an Outcome out. cli/ and the libraries stand on this
// and nothing below.
#ifndef ATMOST_LIMITER_H
#define ATMOST_LIMITER_H

#include <cstdint>
#include <string_view>

#include "core/outcome.h"
#include "core/request.h"
#include "core/result.h"
#include "core/store.h"
#include "core/tuning.h"

namespace atmost {

// A command to run: argv as execvp takes it, NULL-terminated; the caller's environment is passed on
// with the ATMOST_ variables of atmost(1) added. Both are borrowed for the call.
struct Command {
  char* const* argv = nullptr;
};

// A process, for messages.
struct HolderName {
  std::int64_t pid = 0;   // 0: not visible from here
  std::string_view host;  // empty: this one
};

// A holder that was stopped and has let go. Texts are borrowed, and hints like all that a holder's
// record says.
struct StoppedHolder {
  std::uint32_t slot = 0;
  HolderName who;
  std::string_view id, command;
  Duration held = Duration::forever();  // for how long; forever: not known
  StopReason reason = StopReason::overdue;
  Duration limit = Duration::forever();  // overdue: the limit that it overstepped
  const Limits* learned = nullptr;       // if that was learned
  SignalStep last = SignalStep::look;    // what made it let go
  bool noted = false;                    // which was a note in the store, no signal from here
};

// What is said of it, without the name of the lock.
Text<700> stopped_words(const LockSpec& lock, const StoppedHolder& holder);

// Told what happens while it happens; every call is optional. May print; must not call back into
// the limiter.
class Observer {
 public:
  virtual void waiting(const Decision& why) = 0;                   // once, before the first wait
  virtual void admitted(const Lease& lease, Duration waited) = 0;  // before the command starts
  virtual void warning(const Error& about) = 0;  // something to know that stops nothing
  // An overdue holder is pressed to let go: INT, then TERM, then KILL.
  virtual void stopping_holder(const LockSpec& lock, std::uint32_t slot, const HolderName& who,
                               SignalStep pressure) = 0;
  // One that has let go because of that; once for each hold.
  virtual void holder_stopped(const LockSpec& lock, const StoppedHolder& holder) = 0;

 protected:
  ~Observer() = default;
};

// Room for a store that every program serves, which has no state of its own.
struct StoreRoom {
  alignas(void*) unsigned char bytes[2 * sizeof(void*)];
};

// The store that a program serves and others do not (schemes.h, `program`). None of these errors
// repeats the URL.
struct StoreService {
  // Opens the store; asks nothing of a network yet. Takes the secrets of every scheme out of the
  // environment: the command has no use for them.
  Result<Owned<Store>> (*open)(std::string_view url);
  // Ends the lease that Session::lease_name() of another process named, with all that lies under
  // it, and notifies the next waiter. ok as well when there is no such lease any more. Blocks for
  // at most the timeout of one question. REQUIRES: that process is dead, and nothing runs of what
  // it had started under the lease.
  Status (*end_lease)(std::string_view url, std::string_view lease);
  // Whether the store can be trusted and how it fares, one line a finding, to `fd`. ok for yes;
  // else the code that a caller would get: unavailable, or not_permitted.
  Result<Code> (*diagnose)(std::string_view url, int fd, bool json);
};

// Opens the store that `url` names (schemes.h; empty: file:), in `room` if every program serves it,
// else by `service`, which may be null. Borrows the room. Error: unavailable, when this program
// does not serve it.
Result<Owned<Store>> open_store(std::string_view url, StoreRoom& room,
                                const StoreService* service = nullptr);

// In all that follows the locks of a request are those of `store`.

// Runs the command when every lock of the request admits it (request.exec: becomes it, and returns
// only if it could not). Blocks as long as request.wait and the command say. While a command runs,
// signals that arrive for this process are passed on to it; after return the process's signal state
// is as before.
Outcome run_command(Store& store, const Request& request, const Command& command,
                    Observer* observer);

// Whether the request would be admitted now; holds nothing afterwards and creates nothing. Kind
// ran: yes; with victims in the decision, after stopping those.
Outcome probe(Store& store, const Request& request);

// Blocks until the request would be admitted, at most request.wait; holds nothing afterwards.
Outcome wait_for_room(Store& store, const Request& request, Observer* observer);

// The holders to stop: all, the one of a slot, or those older than the limit in their own records.
struct Victims {
  std::uint32_t slot = 0;  // 0: every slot
  bool overdue = false;
  bool dry_run = false;  // only reported to the observer, with SignalStep::look
};

// Stops holders of the request's first lock carefully (request.kill_grace after each of INT, TERM,
// KILL) without taking their place. Kind ran: none of them is left. Refused, Why::survivor: the
// culprit is still there. Creates nothing.
Outcome stop_holders(Store& store, const Request& request, const Victims& wanted,
                     Observer* observer);

// The last step of building a request for hold_for(): on behalf of the running process `pid`. Its
// paths become absolute. Error: no such process (usage), another user's (not_permitted), it cannot
// be watched (unavailable).
Status complete_hold(Store& store, std::int64_t pid, Request& request);

// Takes the locks of the request on behalf of its process kept_for (complete_hold()), and leaves a
// process behind that keeps them until that one has ended, however it ends; with Until::tree, until
// its marked descendants have too; at most request.keep_at_most. (Where a hold can name another
// process, nobody has to keep it.) Blocks as request.wait says, but not beyond the end of the
// process. Kind ran: held. If this process dies before it returned, nothing is held. Failed: as
// complete_hold(), or it ended meanwhile (busy). `keeper_to`, unless empty: a
// file to which one line is appended, "NAME PID\n", when the keeper can be asked to let go and to
// take the same locks again without a process being started (os/request_pipe.h;
// shell/lock_unlock.sh does). Such a keeper stays for a few seconds when it has let go. That the
// line cannot be written is no failure.
Outcome hold_for(Store& store, const Request& request, std::string_view keeper_to,
                 Observer* observer);

// Ends the newest hold on the lock that was taken on behalf of `pid`: true once its slots are free.
// False: there is none (any more). Error: not_permitted for another user's.
Result<bool> release_for(Store& store, const LockSpec& lock, std::int64_t pid);

// The process that started this one.
std::int64_t caller_id();

// What `auto` would choose for the request's first lock now, within request.learned. Creates
// nothing.
Result<Tuning> tune(Store& store, const Request& request);

// Both clocks, now.
Instant now();

// Ends this process exactly as `status` says: the same exit code, or the same signal (without a
// second core file; 128 + signal if the signal does not end us). Never returns.
[[noreturn]] void end_as(const ExitStatus& status);

}  // namespace atmost

#endif

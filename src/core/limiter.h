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
  SignalStep last = SignalStep::none;    // what made it let go
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

// Runs the command when every lock of the request admits it (request.exec: becomes it, and returns
// only if it could not). Blocks as long as request.wait and the command say. While a command runs,
// signals that arrive for this process are passed on to it; after return the process's signal state
// is as before.
Outcome run_command(const Request& request, const Command& command, Observer* observer);

// Whether the request would be admitted now; holds nothing afterwards and creates nothing. Kind
// ran: yes; with victims in the decision, after stopping those.
Outcome probe(const Request& request);

// Blocks until the request would be admitted, at most request.wait; holds nothing afterwards.
Outcome wait_for_room(const Request& request, Observer* observer);

// Shows one lock to the visitor; returns the number of holders.
Result<std::uint32_t> inspect(const LockSpec& lock, LockVisitor* visitor);

// Whom to stop: every holder, the one of a slot, or those older than the limit in their own
// records.
struct Victims {
  std::uint32_t slot = 0;  // 0: every slot
  bool overdue = false;
  bool dry_run = false;  // only told to the observer, with SignalStep::none
};

// Stops holders of the request's first lock carefully (request.kill_grace after each of INT, TERM,
// KILL) without taking their place. Kind ran: none of them is left. Refused, Why::survivor: the
// culprit is still there. Creates nothing.
Outcome stop_holders(const Request& request, const Victims& wanted, Observer* observer);

// Takes the locks of the request on behalf of the running process `pid`, and leaves a process
// behind that keeps them until that one has ended, however it ends; with Until::tree, until its
// marked descendants have too; at most request.expire_after. (Symlink locks need no keeper: they
// name the process.) Blocks as request.wait says, but not beyond the end of the process. Kind ran:
// held. If this process dies before it returned, nothing is held. Failed: no such process (usage),
// another user's (not_permitted), it ended meanwhile (busy). The request is made the keeper's own:
// its paths become absolute. `keeper_to`, unless empty: a file to which one line is appended, "NAME
// PID\n", when the keeper can be asked to let go and to take the same locks again without a process
// being started (os/keeper.h, Bell; shell/lock_unlock.sh does). Such a keeper stays for a few
// seconds when it has let go. That the line cannot be written is no failure.
Outcome hold_for(Request& request, std::int64_t pid, std::string_view keeper_to,
                 Observer* observer);

// Ends the newest hold on the lock that was taken on behalf of `pid`: true once its slots are free.
// False: there is none (any more). Error: not_permitted for another user's.
Result<bool> release_for(const LockSpec& lock, std::int64_t pid);

// The process that started this one.
std::int64_t caller_id();

Status set_drained(const Request& request, std::uint32_t slot, bool drained);
Status forget(const Request& request);

// What `auto` would choose for the request's first lock now, within request.learned. Creates
// nothing.
Result<Tuning> tune(const Request& request);

// Makes `store` the one that keeps the locks with StoreKind::fleet. Borrowed for good.
void bring_store(FleetStore& store);
// That one. REQUIRES: bring_store() was called.
FleetStore& fleet_store();

// Both clocks, now.
Instant now();

// Ends this process exactly as `status` says: the same exit code, or the same signal (without a
// second core file; 128 + signal if the signal does not end us). Never returns.
[[noreturn]] void end_as(const ExitStatus& status);

}  // namespace atmost

#endif

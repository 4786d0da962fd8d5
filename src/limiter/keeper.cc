#include "keeper.h"

#include "admission.h"
#include "journal.h"
#include "os/clock.h"
#include "os/self.h"
#include "os/spawn.h"
#include "policy/decide.h"
#include "stores.h"

namespace atmost::limiter {
namespace {

// Finds a process that carries the script's mark and is no older than the script: of an earlier process with the same
// number something may be left.
class Marked final : public os::ProcessVisitor {
 public:
  explicit Marked(const Request& request) : request_(request) {}

  bool process(std::int64_t pid, const os::ProcessFacts& facts) override {
    const bool possible = !facts.ended() && facts.start_boot_ns >= request_.kept_for_start_ns;
    if (!possible || pid == os::process_id() || !os::is_marked(pid, kMark, request_.kept_for)) return true;
    os::ProcessFacts again;
    if (found.open(pid) != 0 || os::process_facts(pid, again) != 0) return true;
    any = again.start_boot_ns == facts.start_boot_ns && found.alive();
    return !any;
  }

  bool any = false;
  os::ProcessHandle found;

 private:
  const Request& request_;
};

// A walk may miss a process that is started behind its back by one that ends: only two in a row prove that none is left.
os::Watched watch_tree(const Request& request, os::Watchman& watchman) {
  constexpr int kProof = 2;
  for (int walks_in_vain = 0; walks_in_vain < kProof;) {
    Marked marked(request);
    (void)os::each_process(marked);
    if (!marked.any) {
      ++walks_in_vain;
      continue;
    }
    walks_in_vain = 0;
    const os::Watched watched = watchman.watch(marked.found.descriptor());
    if (watched != os::Watched::ended) return watched;
  }
  return os::Watched::ended;
}

// Tells the starter, and waits until it knows: a lock that nobody was told of must not stay.
bool handed_over(const os::Companion& starter, const Outcome& outcome) {
  char heard = 0;
  return starter.tell(&outcome, sizeof outcome) && starter.hear(&heard, sizeof heard);
}

}  // namespace

void keep(const Request& request, const os::ProcessHandle& script, os::Companion& starter,
          Observer* observer) {
  static_assert(__is_trivially_copyable(Outcome));
  Lease lease;
  const Outcome outcome = admit(store_for(request.locks[0]), request, policy::decide, observer, lease);
  if (lease.held() && observer != nullptr) observer->admitted(lease, outcome.waited);
  starter.stand_alone();
  if (!handed_over(starter, outcome)) lease.release(Ending::unknown, {});
  if (!lease.held()) os::exit_now(0);
  if (request.locks[0].store == StoreKind::symlink) {
    lease.detach();  // the link names the script itself
    os::exit_now(0);
  }

  const std::int64_t admitted_ns = os::boot_ns();
  int kept[kMaxLocks + 1] = {script.descriptor()};
  for (std::uint32_t i = 0; i < request.lock_count; ++i) kept[i + 1] = lease.lock(i).fd;
  os::hide_mark(kMark);
  starter.settle(kept, request.lock_count + 1);
  Journal journal(request, Command{}, nullptr);
  journal.admitted(lease, outcome.waited);

  os::Watchman watchman(plus(admitted_ns, request.keep_at_most));
  os::Watched watched = watchman.watch(script.descriptor());
  if (watched == os::Watched::ended && request.until == Until::tree) watched = watch_tree(request, watchman);
  // How the script ended is for its parent to know; one that lets go by itself has done its work.
  lease.release(watched == os::Watched::told ? Ending::success : Ending::failure, moment(request));
  Outcome end = outcome;
  end.ran = {os::boot_ns() - admitted_ns};
  if (watched == os::Watched::time_up) end.stopped = Stopped::lost;
  journal.ended(end);
  os::exit_now(0);
}

}  // namespace atmost::limiter

// The scenes: everybody who takes the guard, killed at each system call.
#ifndef ATMOST_TESTS_PROCESS_GUARD_KILLS_H
#define ATMOST_TESTS_PROCESS_GUARD_KILLS_H

#include "guard_kit.h"

namespace witness {

// At how many of its calls a victim is killed: at every `stride`-th of those that touch locks, data
// and processes; or, with 0, at each of all that it makes.
class GuardScenes : public GuardKills {
 protected:
  Argv sleeper() const {
    return atmost({"run", "--no-history", lock_, "--", "/bin/sleep", "1000"});
  }

  // One process, which frees the slot when it is killed.
  Argv lone_sleeper() const {
    return atmost({"run", "--no-history", "--exec", lock_, "--", "/bin/sleep", "1000"});
  }

  void run(unsigned stride, const Argv& options) {
    play({}, stride, [=, this] { return leaving_a_daemon(options); });
  }
  void exec(unsigned stride) {
    play({}, stride, [=, this] {
      return atmost({"run", "--no-history", "--exec", lock_, "--", "/bin/true"});
    });
  }
  void tree(unsigned stride) {
    play({}, stride, [=, this] {
      return atmost({"run", "--no-history", "--until=tree", lock_, "--", "/bin/sh", "-c",
                     "sleep 0.01 & exit 0"});
    });
  }
  void waiter(unsigned stride, const Argv& options) {
    Scene scene;
    scene.holder = lone_sleeper();
    scene.idle = [this] { let_the_waiter_in(); };
    play(scene, stride, [=, this] { return leaving_a_daemon(options); });
  }
  void taker(unsigned stride) {
    Scene scene;
    scene.holder = sleeper();
    play(scene, stride, [=, this] {
      return leaving_a_daemon({"--expire-after", "0", "--kill-grace", "5s"});
    });
  }
  void killing(unsigned stride) {
    Scene scene;
    scene.holder = sleeper();
    play(scene, stride, [=, this] { return atmost({"kill", lock_}); });
  }
  void draining(unsigned stride) {
    play({}, stride, [=, this] { return atmost({"resume", lock_}); });
  }
  void hold(unsigned stride) {
    play({}, stride, [=, this] { return hold_for(getpid()); });
  }
  void keeper(unsigned stride) {
    Scene scene;
    scene.follow_child = true;
    scene.idle = [this] {
      if (script_ == 0 || !Probe(lock_).slot_held(1)) return;
      (void)world_.signal_descendant(script_, SIGKILL);
      script_ = 0;
    };
    play(scene, stride, [=, this] {
      script_ = world_.start({"/bin/sleep", "1000"});
      return hold_for(script_);
    });
  }
  void library(unsigned stride) {
    play({}, stride, [=, this] { return Argv{helper("guard_program"), lock_}; });
  }
  // Mostly without a fork in between: guard and slot by one call.
  void library_again(unsigned stride) {
    play({}, stride, [=, this] { return Argv{helper("guard_program"), lock_, "12", "2000"}; });
  }
  void library_that_waits(unsigned stride) {
    Scene scene;
    scene.holder = lone_sleeper();
    scene.idle = [this] { let_the_waiter_in(); };
    play(scene, stride, [=, this] { return Argv{helper("guard_program"), lock_, "1"}; });
  }

 private:
  Argv hold_for(pid_t pid) const {
    return atmost({"hold", "-q", "--no-history", "--for-pid", std::to_string(pid), lock_});
  }
  void play(Scene scene, unsigned stride, const std::function<Argv()>& victim) {
    scene.victim = victim;
    scene.all_calls = stride == 0;
    kill_at_each_call(scene, stride == 0 ? 1 : stride);
  }
  pid_t script_ = 0;
};

}  // namespace witness

#endif

// Steps of processes: when they run, sleep, are disturbed and die.
#include <sys/mman.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>

#include "world/draw.h"
#include "world/kernel.h"

namespace world {

void Kernel::begin_life(Process& process) {
  const std::uint64_t calls = process.calls;
  const bool is_child = process.is_child;
  const int index = process.index;
  Process* const parent = process.parent;
  Program* const program = process.program;
  process = Process{};
  process.index = index;
  process.parent = parent;
  process.program = program;
  process.calls = calls;
  process.is_child = is_child;
  process.began_ns = now_ns_;
  process.state = is_child ? Process::State::unborn : Process::State::ready;
  if (!is_child) process.pid = next_pid_++;
}

void Kernel::fork(Process& parent, Process& child, const std::vector<int>& kept) {
  const Call call("fork");
  if (parent.at_fork.before != nullptr) parent.at_fork.before();
  child.pid = next_pid_++;
  child.began_ns = now_ns_;
  child.state = Process::State::ready;
  for (const int fd : kept) {
    child.descriptors[fd] = parent.descriptors.at(fd);
    ++description(child.descriptors[fd].description).references;
  }
  if (parent.at_fork.in_parent != nullptr) parent.at_fork.in_parent();
}

bool Kernel::can_run(Process& process) {
  if (!process.alive() || process.state == Process::State::held) return false;
  if (process.killed_at_ns <= now_ns_ && !process.dying) return true;
  if (process.stopped || process.frozen_until_ns > now_ns_) return false;
  if (process.state == Process::State::ready || process.deadline_ns <= now_ns_) return true;
  expire_timers(process);
  return deliverable(process) != 0 || wish_granted(process);
}

// Time passes until a process can run. False: none ever can.
bool Kernel::leap() {
  std::int64_t next = kNever;
  bool alive = false;
  for (const auto& each : processes_) {
    if (!each->alive()) continue;
    alive = true;
    std::int64_t at = std::min(each->deadline_ns, each->signals.alarm.due_ns);
    for (const auto& [number, timer] : each->signals.timers) at = std::min(at, timer.due_ns);
    if (each->frozen_until_ns > now_ns_) at = each->frozen_until_ns;
    if (each->stopped) at = kNever;
    if (!each->dying) at = std::min(at, each->killed_at_ns);
    if (at > now_ns_) next = std::min(next, at);
  }
  if (next == kNever) {
    if (alive) stop("deadlock: no process can run");
    return false;
  }
  observer_.idle(next);
  now_ns_ = next;
  return true;
}

Process* Kernel::choose(Process* asks) {
  for (;;) {
    if (!stopped_.empty() || !failed_.empty()) return nullptr;
    std::vector<Process*> able;
    for (const auto& each : processes_) {
      if (can_run(*each)) able.push_back(each.get());
    }
    if (!able.empty()) return schedule_.next(asks, able);
    if (!leap()) return nullptr;
  }
}

Process* Kernel::begin() { return running_ = choose(nullptr); }

// The scheduler may let another process run.
void Kernel::step(Process& process) {
  Process* const next = choose(&process);
  if (next != &process) {
    ++switches_;
    running_ = next;
    backend_.pass(process, next);
  }
  if (process.killed_at_ns <= now_ns_ && !process.dying) {
    trace(process, "killed");
    end(process, SIGKILL);
  }
}

void Kernel::happen(Process& process, const Event& event) {
  switch (event.kind) {
    case Event::Kind::kill:
      process.killed_at_ns = std::min(process.killed_at_ns, now_ns_ + event.value);
      break;
    case Event::Kind::freeze:
    case Event::Kind::stop:
      process.frozen_until_ns = now_ns_ + event.value;
      process.was_frozen = true;
      if (event.kind == Event::Kind::stop) {
        siginfo_t about = {};
        send(process, SIGCONT, about);
      }
      trace(process, "does not run for %.6f s", static_cast<double>(event.value) / 1e9);
      observer_.paused(process, process.frozen_until_ns);
      break;
    case Event::Kind::clock_step:
      real_less_boot_ns_ += event.value;
      trace(process, "the wall clock is set by %.0f s", static_cast<double>(event.value) / 1e9);
      observer_.clock_stepped(event.value);
      break;
    case Event::Kind::no_space:
      process.full_disk = true;
      observer_.disturbed(process);
      break;
    case Event::Kind::interrupt:
      process.interrupted = true;
      break;
    case Event::Kind::lose_event:
      process.loses_event = true;
      observer_.disturbed(process);
      break;
    case Event::Kind::run_next:
    case Event::Kind::choose:
      break;
  }
}

void Kernel::suffer(Process& process, CallKind kind) {
  ++process.calls;
  if (process.dying) return;
  for (const Event& event : schedule_.faults(process, kind)) happen(process, event);
}

void Kernel::enter(Process& process, const char* call, CallKind kind) {
  constexpr std::int64_t kLeastNs = 200;
  constexpr std::uint64_t kMoreNs = 3000;
  process.call = call;
  process.full_disk = process.interrupted = process.loses_event = false;
  ++calls_;
  suffer(process, kind);
  now_ns_ += kLeastNs +
             static_cast<std::int64_t>(below(
                 draw(script_.seed, Purpose::kernel, process.index, process.calls * 4), kMoreNs));
  step(process);
  deliver(process);
}

void Kernel::pause(Process& process) {
  suffer(process, CallKind::sleeps);
  step(process);
}

Slept Kernel::sleep(Process& process, Wanted wanted, std::int64_t deadline_ns) {
  process.wanted = std::move(wanted);
  process.deadline_ns = deadline_ns;
  for (;;) {
    process.state = Process::State::asleep;
    pause(process);
    process.state = Process::State::ready;
    const bool granted = wish_granted(process);
    const bool handled = !granted && deliver(process);
    if (!granted && !handled && deadline_ns > now_ns_) continue;
    process.wanted = Nothing{};
    process.deadline_ns = kNever;
    return granted ? Slept::granted : handled ? Slept::interrupted : Slept::late;
  }
}

void Kernel::orphan_children(const Process& process) {
  for (const auto& each : processes_) {
    if (each->parent != &process) continue;
    each->parent = nullptr;
    if (each->state == Process::State::zombie) each->state = Process::State::ended;
  }
}

void Kernel::unmap_all(Process& process) {
  for (const Mapping& each : process.mappings) munmap(each.at, each.size);
  process.mappings.clear();
}

// exit_files() behind exit_mm(): what is mapped goes first, then the descriptors, one after the
// other; each other process may run between.
void Kernel::release_files(Process& process) {
  while (!process.mappings.empty()) {
    const Mapping last = process.mappings.back();
    process.mappings.pop_back();
    munmap(last.at, last.size);
    if (last.description == 0) continue;
    drop_reference(process, last.description);
    pause(process);
  }
  while (!process.descriptors.empty()) {
    close(process, process.descriptors.begin()->first);
    pause(process);
  }
}

void Kernel::end(Process& process, int status) {
  process.dying = true;
  process.stopped = false;
  // The events that it slept for do not delay its death.
  process.state = Process::State::ready;
  process.wanted = Nothing{};
  process.deadline_ns = kNever;
  process.call = "exit";
  process.status = status;
  process.frozen_until_ns = 0;
  process.signals.timers.clear();
  process.signals.alarm = {};
  observer_.dies(process);
  pause(process);
  release_words(process);
  pause(process);
  release_files(process);
  for (void* each : process.rooms) ::operator delete (each, std::align_val_t{64});
  process.rooms.clear();
  orphan_children(process);
  trace(process, "ended");
  observer_.ended(process);
  process.state = Process::State::ended;
  if (process.parent != nullptr) {
    siginfo_t about = {};
    about.si_code = WIFEXITED(status) ? CLD_EXITED : CLD_KILLED;
    about.si_pid = process.pid;
    process.state = Process::State::zombie;
    send(*process.parent, SIGCHLD, about);
  } else if (process.program->runs_again(process)) {
    begin_life(process);
  }
  ++process.calls;
  running_ = choose(&process);
  backend_.leave(process, running_);
  std::abort();
}

}  // namespace world

// In the place of the C library's, which would register handlers of this process.
extern "C" int pthread_atfork(void (*before)(), void (*in_parent)(), void (*)()) noexcept {
  if (world::kernel != nullptr && world::kernel->runner() != nullptr)
    world::kernel->running().at_fork = {before, in_parent};
  return 0;
}

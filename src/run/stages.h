// Supervision as a table: what happens to a command, and what is done about it.
#ifndef ATMOST_RUN_STAGES_H
#define ATMOST_RUN_STAGES_H

#include <cstdint>

namespace atmost::run {

enum class Stage : std::uint8_t {
  running,       // the command's main process runs
  draining,      // it has ended; its tree keeps the hold (--until=tree)
  interrupting,  // we stop the tree: SIGINT was sent
  terminating,   // SIGTERM was sent
  killing,       // everything below us is sent SIGSTOP, then SIGKILL, except the main process
  finishing,     // SIGKILL was sent to all
  done,
};

enum class Event : std::uint8_t {
  main_ended,    // the main process ended; the hold goes on until the tree has gone
  hold_ended,    // the main process ended, and the hold with it
  others_gone,   // nothing but the main process is left to kill
  tree_gone,     // no process below us is left
  time_up,       // the maximal runtime or a pause is over
  time_up_free,  // the same after the hold has ended
  stop,          // the command is to be stopped before its time limit
};

enum class Action : std::uint8_t {
  none,
  interrupt,    // CONT to stopped processes, then INT to the whole tree; a pause begins
  terminate,    // the same with TERM
  kill_others,  // STOP to all, KILL to all but the main process, again and again; a pause begins
  kill_all,     // KILL to all, again and again; a pause begins
};

struct Step {
  Stage next;
  Action action;
};

inline constexpr int kStages = 6;  // all but done
inline constexpr int kEvents = 7;

// clang-format off
inline constexpr Step kSteps[kStages][kEvents] = {
    // running
    {{Stage::draining, Action::none}, {Stage::done, Action::none}, {Stage::running, Action::none},
     {Stage::done, Action::none}, {Stage::interrupting, Action::interrupt}, {Stage::done, Action::none},
     {Stage::interrupting, Action::interrupt}},
    // draining
    {{Stage::draining, Action::none}, {Stage::done, Action::none}, {Stage::draining, Action::none},
     {Stage::done, Action::none}, {Stage::interrupting, Action::interrupt}, {Stage::done, Action::none},
     {Stage::interrupting, Action::interrupt}},
    // Interrupting: what the main process leaves behind is stopped as well, whether or not the hold
    // goes on
    {{Stage::interrupting, Action::none}, {Stage::interrupting, Action::none},
     {Stage::interrupting, Action::none}, {Stage::done, Action::none},
     {Stage::terminating, Action::terminate}, {Stage::terminating, Action::terminate},
     {Stage::interrupting, Action::none}},
    // terminating
    {{Stage::terminating, Action::none}, {Stage::terminating, Action::none},
     {Stage::terminating, Action::none}, {Stage::done, Action::none},
     {Stage::killing, Action::kill_others}, {Stage::killing, Action::kill_others},
     {Stage::terminating, Action::none}},
    // Killing: the main process is killed last, so that its end means the end of the tree.
    {{Stage::killing, Action::none}, {Stage::killing, Action::none}, {Stage::finishing, Action::kill_all},
     {Stage::done, Action::none}, {Stage::finishing, Action::kill_all}, {Stage::finishing, Action::kill_all},
     {Stage::killing, Action::none}},
    // Finishing: wait only for a main process that survives SIGKILL (disk wait, another user).
    {{Stage::finishing, Action::none}, {Stage::finishing, Action::none}, {Stage::finishing, Action::none},
     {Stage::done, Action::none}, {Stage::finishing, Action::kill_all}, {Stage::done, Action::none},
     {Stage::finishing, Action::none}},
};
// clang-format on

constexpr Step step(Stage stage, Event event) {
  return stage == Stage::done ? Step{Stage::done, Action::none}
                              : kSteps[static_cast<int>(stage)][static_cast<int>(event)];
}

// Whether we are stopping the command, rather than watching it.
constexpr bool stopping(Stage stage) {
  return stage >= Stage::interrupting && stage <= Stage::finishing;
}

}  // namespace atmost::run

#endif

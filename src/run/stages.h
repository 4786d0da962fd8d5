// Supervision as a table: the events of a command, and our actions.
#ifndef ATMOST_RUN_STAGES_H
#define ATMOST_RUN_STAGES_H

#include <cstdint>

namespace atmost::run {

enum class Stage : std::uint8_t {
  running,       // the command's main process runs
  draining,      // it has ended; its tree keeps the hold
  interrupting,  // we stop the tree: SIGINT was sent
  terminating,   // SIGTERM was sent
  killing,       // everything below us is sent SIGKILL, again and again
  done,
};

enum class Event : std::uint8_t {
  main_ended,  // the main process ended; the hold goes on until the tree has gone
  hold_ended,  // the main process ended, and the hold with it
  tree_gone,   // no process below us is left
  time_up,     // the maximal runtime or a pause is over
  stop,        // the command is to be stopped before its time limit
};

enum class Action : std::uint8_t {
  none,
  interrupt,  // CONT to stopped processes, then INT to the whole tree; a pause begins
  terminate,  // the same with TERM
  kill,       // KILL to all, again and again; a pause begins
  name_rest,  // says what is still there
};

struct Step {
  Stage next;
  Action action;
};

inline constexpr int kStages = 5;  // all but done
inline constexpr int kEvents = 5;

// clang-format off
inline constexpr Step kSteps[kStages][kEvents] = {
    // running
    {{Stage::draining, Action::none}, {Stage::done, Action::none}, {Stage::done, Action::none},
     {Stage::interrupting, Action::interrupt}, {Stage::interrupting, Action::interrupt}},
    // draining
    {{Stage::draining, Action::none}, {Stage::done, Action::none}, {Stage::done, Action::none},
     {Stage::interrupting, Action::interrupt}, {Stage::interrupting, Action::interrupt}},
    // Interrupting: processes that the main process leaves behind are stopped as well, and keep the
    // hold.
    {{Stage::interrupting, Action::none}, {Stage::done, Action::none}, {Stage::done, Action::none},
     {Stage::terminating, Action::terminate}, {Stage::interrupting, Action::none}},
    // terminating
    {{Stage::terminating, Action::none}, {Stage::done, Action::none}, {Stage::done, Action::none},
     {Stage::killing, Action::kill}, {Stage::terminating, Action::none}},
    // Killing: it lasts until nothing is left. A process that survives SIGKILL (disk wait, another
    // user) keeps the hold.
    {{Stage::killing, Action::none}, {Stage::done, Action::none}, {Stage::done, Action::none},
     {Stage::killing, Action::name_rest}, {Stage::killing, Action::none}},
};
// clang-format on

constexpr Step step(Stage stage, Event event) {
  return stage == Stage::done ? Step{Stage::done, Action::none}
                              : kSteps[static_cast<int>(stage)][static_cast<int>(event)];
}

// True if we are stopping the command, rather than watching it.
constexpr bool stopping(Stage stage) {
  return stage >= Stage::interrupting && stage <= Stage::killing;
}

}  // namespace atmost::run

#endif

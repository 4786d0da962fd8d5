#include "run/stages.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <vector>

#include "run/run.h"

namespace atmost::run {
namespace {

constexpr Stage kAll[] = {Stage::running,     Stage::draining, Stage::interrupting,
                          Stage::terminating, Stage::killing,  Stage::done};
constexpr Event kEventsAll[] = {Event::main_ended, Event::hold_ended, Event::tree_gone,
                                Event::time_up, Event::stop};

struct Path {
  Stage stage = Stage::running;
  std::vector<Action> actions;

  Path& on(Event event) {
    const Step taken = step(stage, event);
    stage = taken.next;
    if (taken.action != Action::none) actions.push_back(taken.action);
    return *this;
  }
};

TEST(Stages, AnOrdinaryEnd) {
  EXPECT_EQ(Path().on(Event::hold_ended).stage, Stage::done);
  EXPECT_EQ(Path().on(Event::main_ended).stage, Stage::draining);
  EXPECT_EQ(Path().on(Event::main_ended).on(Event::tree_gone).stage, Stage::done);
  EXPECT_TRUE(Path().on(Event::main_ended).on(Event::tree_gone).actions.empty());
}

TEST(Stages, TheWholeEscalation) {
  for (const bool drained : {false, true}) {
    for (const Event first : {Event::time_up, Event::stop}) {
      Path path;
      if (drained) path.on(Event::main_ended);
      path.on(first).on(Event::time_up).on(Event::time_up);
      EXPECT_EQ(path.stage, Stage::killing);
      EXPECT_EQ(path.actions,
                (std::vector<Action>{Action::interrupt, Action::terminate, Action::kill}));
      EXPECT_EQ(path.on(Event::tree_gone).stage, Stage::done);
    }
  }
}

// A process that the main process leaves behind is stopped, and keeps the hold.
TEST(Stages, TheEndOfTheMainProcessDoesNotEndTheStopping) {
  for (const Stage stage : kAll) {
    if (!stopping(stage)) continue;
    EXPECT_EQ(step(stage, Event::main_ended).next, stage);
    EXPECT_EQ(step(stage, Event::stop).next, stage);
    EXPECT_EQ(step(stage, Event::stop).action, Action::none);
  }
}

TEST(Stages, WhatSurvivesTheKillIsNamedAndKeepsTheHold) {
  const Step late = step(Stage::killing, Event::time_up);
  EXPECT_EQ(late.next, Stage::killing);
  EXPECT_EQ(late.action, Action::name_rest);
}

TEST(Stages, AnEmptyTreeIsAlwaysTheEnd) {
  for (const Stage stage : kAll) EXPECT_EQ(step(stage, Event::tree_gone).next, Stage::done);
}

// No event leads back to a milder stage, and the end is the end.
TEST(Stages, NeverBackwards) {
  for (const Stage stage : kAll) {
    for (const Event event : kEventsAll) {
      const Step taken = step(stage, event);
      EXPECT_GE(taken.next, stage);
      EXPECT_TRUE(stage != Stage::done || taken.action == Action::none);
      // Something is done exactly when a stage of stopping begins, or is repeated because its pause
      // is over.
      EXPECT_TRUE(taken.action == Action::none || stopping(taken.next));
      EXPECT_TRUE(taken.next == stage || !stopping(taken.next) || taken.action != Action::none);
    }
  }
}

TEST(ExecCode, CodesOfACommandThatDidNotStart) {
  EXPECT_EQ(exec_code(ENOENT), Code::not_found);
  for (const int error : {EACCES, ENOEXEC, ENOTDIR, E2BIG, ETXTBSY, ELOOP, ENAMETOOLONG, EPERM}) {
    EXPECT_EQ(exec_code(error), Code::not_executable);
  }
}

}  // namespace
}  // namespace atmost::run

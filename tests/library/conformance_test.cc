// The table that every binding runs (bindings/conformance.json), run through the C functions.
#include <signal.h>
#include <sys/wait.h>

#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "library_kit.h"

namespace {

using Json = nlohmann::json;

const std::map<std::string, int> kAnswers = {{"admitted", ATMOST_ADMITTED},
                                             {"usage", ATMOST_USAGE},
                                             {"busy", ATMOST_BUSY},
                                             {"too_soon", ATMOST_TOO_SOON}};
double number(const Json& value) { return value == "infinity" ? INFINITY : value.get<double>(); }

void set(atmost_request* to, const std::string& option, const Json& value) {
  const char* const name = option.c_str();
  if (value.is_array()) {
    for (const Json& each : value) set(to, option, each);
  } else if (value.is_boolean()) {
    (void)atmost_set(to, name, value ? "true" : "false");
  } else if (value.is_number_integer()) {
    (void)atmost_set_number(to, name, value);
  } else if (value == "infinity" || value.is_number()) {
    (void)atmost_set_seconds(to, name, number(value));
  } else {
    (void)atmost_set(to, name, value.get<std::string>().c_str());
  }
}

atmost_request* request_of(const Json& step, const std::string& directory) {
  atmost_request* request = nullptr;
  if (step.contains("atom")) {
    const std::vector<std::string> atom = step.at("atom");
    request = atmost_new_atom(atom[0].c_str(), atom[1].c_str());
  } else {
    request = atmost_new(step.at("lock").get<std::string>().c_str());
  }
  (void)atmost_set(request, "dir", directory.c_str());
  const Json options = step.value("options", Json::object());
  for (const auto& [option, value] : options.items()) set(request, option, value);
  return request;
}

class Conformance : public Library {
 protected:
  // A situation that failed leaves processes that wait to be ended.
  void TearDown() override {
    for (const auto& [name, child] : processes_) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
    Library::TearDown();
  }

  void run(const Json& steps) {
    for (const Json& step : steps) {
      SCOPED_TRACE(step.dump());
      run_step(step);
      if (HasFailure()) return;
    }
  }

  void end_situation() {
    for (const auto& [name, lock] : locks_) atmost_release(lock, 1);
    locks_.clear();
    tokens_.clear();
    std::filesystem::remove_all(directory_);
    std::filesystem::create_directory(directory_);
  }

 private:
  void run_step(const Json& step) {
    const std::string what = step.at("do");
    if (what == "get") {
      get(step);
    } else if (what == "check") {
      check(step);
    } else if (what == "release") {
      atmost_release(locks_.at(step.at("lock")), step.at("success").get<bool>());
      locks_.erase(step.at("lock"));
    } else if (what == "fork") {
      int status = 0;
      waitpid(fork_and_run(step.at("steps"), -1), &status, 0);
      EXPECT_EQ(status, 0);
    } else if (what == "start") {
      start(step);
    } else {
      const pid_t child = processes_.at(step.at("process"));
      if (what == "kill") kill(child, SIGKILL);
      int status = 0;
      EXPECT_TRUE(eventually([&] { return waitpid(child, &status, WNOHANG) == child; }));
      EXPECT_TRUE(WIFSIGNALED(status)) << status;
      processes_.erase(step.at("process"));
    }
  }

  void get(const Json& step) {
    atmost_request* const request = request_of(step, directory_);
    atmost_lock* lock = nullptr;
    const int answer = atmost_get(request, &lock);
    atmost_free(request);
    ASSERT_EQ(answer, kAnswers.at(step.at("answer"))) << atmost_message();
    if (step.contains("why")) {
      EXPECT_EQ(atmost_why(), step.at("why"));
    }
    if (step.contains("retry_in")) {
      const double expected = number(step.at("retry_in"));
      if (std::isinf(expected)) {
        EXPECT_EQ(atmost_retry_in(), expected);
      } else {
        EXPECT_NEAR(atmost_retry_in(), expected, 0.01);
      }
    }
    if (lock == nullptr) return;
    locks_[step.at("as")] = lock;
    tokens_[step.at("as")] = atmost_token(lock);
    if (step.contains("slot")) {
      EXPECT_EQ(atmost_slot(lock), step.at("slot"));
    }
    if (step.contains("token_above")) {
      EXPECT_GT(atmost_token(lock), tokens_.at(step.at("token_above")));
    }
  }

  void check(const Json& step) {
    atmost_request* const request = request_of(step, directory_);
    unsigned held = 0;
    EXPECT_EQ(atmost_check(request, &held), kAnswers.at(step.at("answer"))) << atmost_message();
    EXPECT_EQ(held, step.at("held"));
    unsigned listed = 0;
    const auto count = [](void* to, const atmost_entry*) {
      ++*static_cast<unsigned*>(to);
      return 0;
    };
    EXPECT_EQ(atmost_list(request, count, &listed), ATMOST_ADMITTED) << atmost_message();
    EXPECT_EQ(listed, step.at("held"));
    atmost_free(request);
  }

  // The child reports through `ready` that its steps are done, and then waits; -1: it ends.
  pid_t fork_and_run(const Json& steps, int ready) {
    const pid_t child = fork();
    if (child != 0) return child;
    run(steps);
    if (HasFailure()) _exit(1);
    if (ready < 0) _exit(0);
    if (write(ready, "", 1) != 1) _exit(1);
    for (;;) pause();
  }

  void start(const Json& step) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    processes_[step.at("as")] = fork_and_run(step.at("steps"), ends[1]);
    close(ends[1]);
    char byte;
    EXPECT_EQ(read(ends[0], &byte, 1), 1);
    close(ends[0]);
  }

  std::map<std::string, atmost_lock*> locks_;
  std::map<std::string, std::uint64_t> tokens_;
  std::map<std::string, pid_t> processes_;
};

TEST_F(Conformance, EverySituationOfTheTable) {
  const Json table = Json::parse(std::ifstream(ATMOST_CONFORMANCE));
  ASSERT_FALSE(table.at("situations").empty());
  for (const Json& situation : table.at("situations")) {
    SCOPED_TRACE(situation.at("name"));
    run(situation.at("steps"));
    ASSERT_FALSE(HasFailure());
    end_situation();
  }
}

}  // namespace

// Shared by the tests of `atmost pass`: pass files whose commands write to one append-only log,
// which is the witness.
#ifndef ATMOST_TESTS_PROCESS_PASS_KIT_H
#define ATMOST_TESTS_PROCESS_PASS_KIT_H

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "witness_world.h"

namespace witness {

class PassTest : public ::testing::Test {
 protected:
  PassTest() {
    unsetenv("ATMOST_HELD");
    unsetenv("ATMOST_STORE");
    setenv("LOG", dir_.file("log").c_str(), 1);
    setenv("DIR", dir_.path().c_str(), 1);
    // The front end that a command of a pass calls, with the same locks.
    setenv("PASS", (under_test("atmost") + " pass --dir " + dir_.file("locks")).c_str(), 1);
  }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(dir_.file(name)) << text;
  }

  // One [[atom]] table; its command is a line for the shell. `more`: further keys.
  static std::string atom(const std::string& op, const std::string& line,
                          const std::string& more = "") {
    return "[[atom]]\noperator = \"" + op + "\"\noperand = \"it\"\nshell = true\ncommand = '''" +
           line + "'''\n" + more + "\n";
  }

  // `atmost pass` over a file of ours. `now`: seconds after the test began.
  Argv pass(const std::string& file, double now, const Argv& options = {}) const {
    Argv argv = {under_test("atmost"), "pass",  "--dir",
                 dir_.file("locks"),   "--now", std::to_string(begun_ + now)};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.push_back(dir_.file(file));
    return argv;
  }

  // Runs a pass to its end with its output in files `out` and `err`; its exit code, or -1.
  int run(const Argv& argv) {
    const int status = world_.run(argv, streams());
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }
  pid_t start(const Argv& argv) { return world_.start(argv, streams()); }

  std::vector<std::string> log() const {
    std::istringstream text(read_file(dir_.file("log")));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  // The log without the pids behind its words.
  std::vector<std::string> words_logged() const {
    std::vector<std::string> words = log();
    for (std::string& line : words) line = line.substr(0, line.find(' '));
    return words;
  }
  bool comes(const std::string& word) {
    return eventually(Bound(20'000), [&] {
      for (const std::string& one : words_logged()) {
        if (one == word) return true;
      }
      return false;
    });
  }
  // The pid that was logged with the word for the `nth` time (from 1); 0 when it was not.
  pid_t pid_logged(const std::string& word, int nth = 1) const {
    for (const std::string& line : log()) {
      if (line.rfind(word + " ", 0) == 0 && --nth == 0)
        return std::stoi(line.substr(word.size() + 1));
    }
    return 0;
  }
  std::string said() const { return read_file(dir_.file("out")) + read_file(dir_.file("err")); }
  long said_lines() const {
    const std::string all = said();
    return std::count(all.begin(), all.end(), '\n');
  }

  TempDir dir_;
  World world_;

 private:
  Streams streams() {
    const auto open_new = [this](const char* name) {
      return open(dir_.file(name).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    };
    // Left open to the end of the test: a handful.
    return {-1, open_new("out"), open_new("err")};
  }
  double begun_ = static_cast<double>(std::time(nullptr));
};

}  // namespace witness

#endif

// Holders with habits (run_child), and those who take their slot.
#ifndef ATMOST_TESTS_PROCESS_TAKEOVER_KIT_H
#define ATMOST_TESTS_PROCESS_TAKEOVER_KIT_H

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "traps_stage.h"

namespace witness {

class Takeover : public Stage {
 protected:
  static constexpr int kGraceMs = 200;
  static constexpr Bound kLong{30'000};

  Takeover() {
    for (const char* name : {"ATMOST_HELD", "ATMOST_STORE"}) unsetenv(name);
    setenv("ATMOST_DIR", directory_.path().c_str(),
           1);  // where runs of locks with a path are logged
  }

  std::string file(const std::string& name) const { return directory_.file(name); }
  static Argv join(Argv to, const Argv& more) {
    to.insert(to.end(), more.begin(), more.end());
    return to;
  }
  // run_child WORDS, behind `before`.
  static Argv child(const Argv& before, const Argv& words) {
    return join(join(before, {helper("run_child")}), words);
  }
  std::string hear(const std::string& name) const { return "hear=" + file(name); }
  std::string mark(const std::string& name) const { return "mark=" + file(name); }

  std::vector<std::string> lines(const std::string& name) const {
    std::istringstream text(read_file(file(name)));
    std::vector<std::string> all;
    for (std::string line; std::getline(text, line);) all.push_back(line);
    return all;
  }
  // The pids that marked themselves, when there are `count`.
  std::vector<pid_t> marked(const std::string& name, std::size_t count = 1) {
    EXPECT_TRUE(eventually(kLong, [&] { return lines(name).size() >= count; })) << name;
    std::vector<pid_t> pids;
    for (const std::string& line : lines(name)) pids.push_back(std::stoi(line));
    pids.resize(count, 0);
    return pids;
  }
  // The signals that arrived, one behind the other, without CONT, which comes with each that asks
  // to end.
  std::string heard(const std::string& name) const {
    std::string all;
    for (const std::string& line : lines(name)) {
      if (line != "18") all += (all.empty() ? "" : " ") + line;
    }
    return all;
  }
  // A takeover is reported in one line, which ends with these words.
  static bool is_the_one_line(const std::string& errors, const std::string& end) {
    return errors.find(": stopped process ") != std::string::npos &&
           errors.find('\n') == errors.size() - 1 && errors.find(end + "\n") != std::string::npos;
  }
  bool heard_continue(const std::string& name) const {
    const std::vector<std::string> all = lines(name);
    return std::find(all.begin(), all.end(), "18") != all.end();
  }
  bool gone(const std::vector<pid_t>& pids) {
    return std::none_of(pids.begin(), pids.end(), [](pid_t pid) { return alive(pid); });
  }
  bool becomes(pid_t pid, char state) {
    return eventually(kLong, [&] { return state_of(pid) == state; });
  }

  // `atmost run OPTIONS LOCK -- true` that stops whoever holds.
  Answer take(const Argv& options = {"--expire-after", "0"}) {
    Argv all = {"--kill-grace", std::to_string(kGraceMs) + "ms"};
    all.insert(all.end(), options.begin(), options.end());
    return ask(join(run(all), {"/bin/true"}), kLong);
  }
  // An hour later.
  static Argv an_hour_later() {
    return {"--expire-after", "1m", "--now", std::to_string(time(nullptr) + 3600)};
  }

  std::string history() const { return read_file(file("history.jsonl")); }
  std::size_t events(const std::string& words) const {
    const std::string all = history();
    std::size_t count = 0;
    for (std::size_t at = all.find(words); at != std::string::npos; at = all.find(words, at + 1))
      ++count;
    return count;
  }
};

}  // namespace witness

#endif

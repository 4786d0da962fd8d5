// Shared by the tests of the history: a folder of their own, and an event of each kind.
#ifndef ATMOST_TESTS_UNIT_HISTORY_KIT_H
#define ATMOST_TESTS_UNIT_HISTORY_KIT_H

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "core/event.h"
#include "history/log.h"
#include "reader/record.h"

namespace atmost::history {

class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "atmost-history.XXXXXX";
    path_ = mkdtemp(pattern.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }

  std::string file(const std::string& name = "history.jsonl") const { return path_ + "/" + name; }

 private:
  std::string path_;
};

inline LogPlace place_at(const std::string& path, std::int64_t cap = kDefaultCap) {
  LogPlace place;
  place.path = PathText(path);
  place.cap = cap;
  return place;
}

inline Event ended(std::uint64_t token) {
  Event event;
  event.begin(Event::Kind::ended, {1'795'246'157'123'456'789, 3'121'500'000'000, false});
  event.text("host", "alder").number("pid", 4711).number("uid", 1000);
  event.text("id", "nightly").text("command", "sleep");
  event.text("lock", "backup").text("path", "/var/lib/atmost/backup.lock");
  event.number("max", 2).number("take", 1).known("token", token);
  event.number("exit", 0).time("waited_s", Duration::millis(250)).time("ran_s", {1'000'001'000});
  event.time("cpu_s", {2'500'000}).number("peak_kib", 1234);
  return event;
}

inline std::string line_of(const EventValues& event) {
  std::vector<char> room(kMaxLine);
  return {room.data(), format_line(event, room).size};
}

inline std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::string> lines(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::string> all;
  for (std::string one; std::getline(file, one);) all.push_back(one);
  return all;
}

inline std::vector<std::int64_t> tokens(const std::string& path) {
  std::vector<std::int64_t> all;
  for (const std::string& line : lines(path)) {
    Record record;
    all.push_back(read_line(line, record) == Reading::whole ? record.number("token") : -1);
  }
  return all;
}

}  // namespace atmost::history

#endif

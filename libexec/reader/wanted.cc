#include "reader/wanted.h"

#include <algorithm>
#include <filesystem>

#include "core/parse.h"
#include "os/machine.h"
#include "reader/failure.h"
#include "reader/safe_text.h"

namespace atmost::history {
namespace {

bool stands_for(std::string_view raw, const std::string& text) {
  return raw.find('\\') == std::string_view::npos ? raw == text : text_of(raw) == text;
}

bool is_about(const WantedLock& lock, const Record& record) {
  if (!lock.name.empty() && stands_for(record.text("lock"), lock.name)) return true;
  for (const std::string& path : lock.paths) {
    if (stands_for(record.text("path"), path)) return true;
  }
  // "/a/./b" and the like, from callers that wrote it so.
  if (record.text("path").find("/.") == std::string_view::npos &&
      record.text("path").find("//") == std::string_view::npos)
    return false;
  const std::string plain = std::filesystem::path(text_of(record.text("path"))).lexically_normal();
  return std::find(lock.paths.begin(), lock.paths.end(), plain) != lock.paths.end();
}

std::string near_name(const WantedLock& lock) {
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(
           std::filesystem::path(lock.paths[0]).parent_path(), error)) {
    const std::string file = entry.path().filename();
    if (!file.ends_with(".lock")) continue;
    const std::string name(readable_name(file, os::host_name()).view());
    if (is_misspelling(lock.name, name)) return name;
  }
  return {};
}

}  // namespace

bool is_wanted(const std::vector<WantedLock>& locks, const Record& record) {
  if (locks.empty()) return true;
  for (const WantedLock& lock : locks) {
    if (!is_about(lock, record)) continue;
    lock.seen = true;
    return true;
  }
  return false;
}

void warn_of_unknown(const std::vector<WantedLock>& locks) {
  for (const WantedLock& lock : locks) {
    if (lock.used || lock.seen) continue;
    std::string words = lock.asked + ": nobody has used this lock yet";
    const std::string meant = lock.name.empty() ? std::string() : near_name(lock);
    if (!meant.empty()) words += "; did you mean " + meant + "?";
    complain(words);
  }
}

}  // namespace atmost::history

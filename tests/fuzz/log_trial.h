// One trial of what writes the log with arbitrary texts, used by the fuzzer and by the test of
// fixed inputs.
#ifndef ATMOST_TESTS_FUZZ_LOG_TRIAL_H
#define ATMOST_TESTS_FUZZ_LOG_TRIAL_H

#include <cstddef>
#include <cstdint>
#include <string>

namespace atmost::fuzz {

// A world of its own directory, made once and used for every trial.
class LogTrial {
 public:
  LogTrial();
  LogTrial(const LogTrial&) = delete;
  LogTrial& operator=(const LogTrial&) = delete;
  ~LogTrial();

  // Makes two events of the bytes: their texts have 0 to 64 KiB. Formats the first into memory of
  // an arbitrary size, appends both to a log, and lets atmost-tell append one about a line of
  // theirs. Returns what was wrong, or null: a line beyond its memory or kMaxLine, of which a
  // reader does not get the event and all its numbers, or that was cut and does not say so.
  const char* run(const std::uint8_t* data, std::size_t size);

 private:
  const char* check_log(std::size_t lines);

  std::string directory_;
  std::string path_;
};

}  // namespace atmost::fuzz

#endif

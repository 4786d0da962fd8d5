// One trial of a lock file with arbitrary content, used by the fuzzer and by the test of fixed
// mutations.
#ifndef ATMOST_TESTS_FUZZ_LOCK_FILE_TRIAL_H
#define ATMOST_TESTS_FUZZ_LOCK_FILE_TRIAL_H

#include <cstddef>
#include <cstdint>
#include <string>

#include "store/local/store.h"

namespace atmost::fuzz {

// The content that a lock file is given: pieces of bytes put at the places where the store looks
// for something, so that a few hundred bytes of input reach every part of a file of megabytes.
struct Piece {
  std::int64_t at = 0;
  const std::uint8_t* bytes = nullptr;
  std::size_t size = 0;
};

// A world of its own directory, made once and used for every trial.
class LockFileTrial {
 public:
  LockFileTrial();
  ~LockFileTrial();

  // Writes the pieces into an empty lock file or, with `valid`, over one that this program has
  // written; has a stranger hold slots 2 and 4 of it; then looks, asks with N = 2, 3 and 4, waits
  // in the queue and releases. Returns what was wrong, or null: a grant above N, a grant of a held
  // slot, a refusal beside a free slot, or an error that does not name the file.
  const char* run(const Piece* pieces, std::size_t count, bool valid);

  // The pieces of an unstructured input.
  const char* run_bytes(const std::uint8_t* data, std::size_t size);

 private:
  const char* ask(std::uint32_t max, std::uint32_t take, bool queue);
  const char* look();
  bool drained(std::uint32_t slot) const;

  std::string directory_;
  std::string path_;
  std::string valid_;  // a lock file as this program writes it: everything up to the first records
  int stranger_ = -1;
  local::LocalStore store_;
};

}  // namespace atmost::fuzz

#endif

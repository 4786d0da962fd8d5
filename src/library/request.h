// A lock and the options with which a program asks for it: the C library's atmost_request.
#ifndef ATMOST_LIBRARY_REQUEST_H
#define ATMOST_LIBRARY_REQUEST_H

#include <cstdint>
#include <string_view>

#include "core/text.h"
#include "options/settings.h"
#include "os/threads.h"

namespace atmost::limiter {

// The options of a request, in the words of the command line of `atmost run`.
class Words {
 public:
  static constexpr std::size_t kMost = 96;

  void clear() {
    texts_.clear();
    count_ = 0;
  }
  void add(std::string_view word) { begin().append(word); }
  // "--OPTION=VALUE"
  void add(std::string_view option, std::string_view value) {
    begin().append("--").append(option).append("=").append(value);
  }
  // "--OPTION"
  void add_switch(std::string_view option) { begin().append("--").append(option); }
  // The option, with its value if it has one, of the words from `first` on.
  void drop(std::string_view option, std::size_t first) {
    if (!complete()) return;
    std::size_t left = first;
    for (std::size_t i = first; i < count_; ++i) {
      std::string_view word = at(i);
      word.remove_prefix(2);  // each is an option
      const bool dropped =
          word.starts_with(option) && (word.size() == option.size() || word[option.size()] == '=');
      if (!dropped) starts_[left++] = starts_[i];
    }
    count_ = left;
  }
  // False: they are more than there is room for.
  bool complete() const { return count_ <= kMost && !texts_.truncated(); }
  std::size_t count() const { return count_; }
  // It stays where it is, and ends in NUL, until clear(). REQUIRES: complete().
  std::string_view at(std::size_t nth) const { return {texts_.c_str() + starts_[nth]}; }

 private:
  Text<24'000>& begin() {
    if (count_ > 0) texts_.push('\0');
    if (count_ < kMost) starts_[count_] = texts_.size();
    ++count_;
    return texts_;
  }

  Text<24'000> texts_;  // each ends in NUL
  std::size_t starts_[kMost] = {};
  std::size_t count_ = 0;
};

using OnLostFunction = void (*)(void* context, std::uint64_t token);

// Options are set by one thread, before the first use; from then on nothing changes, and any number
// of threads may ask. Values are kept and reused, as those of LibraryLock are.
class LibraryRequest {
 public:
  // `forks`: every fork waits for it.
  explicit LibraryRequest(os::Mutex& forks) : forks_(forks) {}

  // `nth`: a number that no other request of this process has. `lock`: a LOCK as atmost(1) takes
  // it; with `operand`, which may be null, it is the operator of an atom.
  void begin(std::uint64_t nth, std::string_view lock, const char* operand);

  // Sets an option from its text. ATMOST_ADMITTED, or the answer, which is that of each use, too.
  int set(std::string_view option, std::string_view value);
  int set_seconds(std::string_view option, double seconds);
  int set_number(std::string_view option, std::int64_t value);
  int set_on_lost(OnLostFunction called, void* with);
  int set_interruptible(const void* mask);

  // At each use. ATMOST_ADMITTED, or the fault of the options that were set. The first use fixes
  // the store, too: $ATMOST_STORE, if none was set.
  int complete();

  // After that:

  // 0: the answer comes at once; 1: perhaps a holder is stopped first; 2: perhaps it is waited for.
  int waits() const;

  const Scheme& scheme() const { return scheme_of(settings); }
  // Of an atom: its operator.
  std::string_view lock() const { return words.at(0); }
  std::string_view operand() const { return words.at(1); }
  std::size_t first_option() const { return is_atom ? 2 : 1; }
  // The way in which a taker may end the hold, as the program agrees to it now.
  Eviction eviction() const;

  // Filled by begin() and the functions above; everybody else only reads them.
  std::uint64_t number = 0;
  bool is_atom = false;
  bool interruptible = false;
  const void* wait_mask = nullptr;
  OnLostFunction on_lost = nullptr;
  void* context = nullptr;
  Settings settings;  // its views are of `words`
  Words words;        // the lock, or operator and operand; from first_option() on the options

  LibraryRequest* next_unused = nullptr;

 private:
  int keep(const Status& status);
  Status judge();

  os::Mutex& forks_;
  bool complete_ = false;
  Status wrong_;  // the first thing
};

// A value that has begun; null when there is no memory.
LibraryRequest* fresh_request(std::string_view lock, const char* operand);
void give_back(LibraryRequest* request);

// Sets the value of atmost_may_be_killed(); returns the value before.
bool agree_to_be_killed(bool agreed);

}  // namespace atmost::limiter

#endif

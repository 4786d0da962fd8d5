// The options of a request, in the words of the command line of `atmost run`.
#ifndef ATMOST_LIMITER_LIBRARY_WORDS_H
#define ATMOST_LIMITER_LIBRARY_WORDS_H

#include <string_view>

#include "core/text.h"

namespace atmost::limiter {

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

}  // namespace atmost::limiter

#endif

// A text of a request, kept until the test program ends.
#ifndef ATMOST_TESTS_KEPT_TEXT_H
#define ATMOST_TESTS_KEPT_TEXT_H

#include <deque>
#include <mutex>
#include <string>
#include <string_view>

#include "core/text.h"

inline atmost::TextView kept(std::string_view text) {
  static std::mutex mutex;
  static std::deque<std::string> texts;
  const std::lock_guard<std::mutex> locked(mutex);
  return atmost::TextView::of(texts.emplace_back(text));
}

#endif

// The word that was probably meant by one that is not known.
#ifndef ATMOST_OPTIONS_NEAREST_H
#define ATMOST_OPTIONS_NEAREST_H

#include <string_view>

#include "core/result.h"

namespace atmost {

// Finds the candidate that was probably meant: the only one that begins with the typed word (three
// letters at least), else the first one that it is a misspelling of. Views are kept, not copied.
class Nearest {
 public:
  explicit Nearest(std::string_view typed) : typed_(typed) {}
  void consider(std::string_view candidate);
  std::string_view found() const;  // empty: none, or several that begin alike

 private:
  std::string_view typed_;
  std::string_view misspelt_;
  std::string_view begun_;
  bool several_ = false;
};

// Ends the message with "; did you mean PREFIX+FOUND?", unless nothing was found.
void append_meant(Error& error, std::string_view prefix, std::string_view found);

// The atmost option for an option of flock(1), timeout(1), GNU sem or a similar program; empty: no
// such program has that option. `typed` has its dashes.
std::string_view own_form(std::string_view typed);

}  // namespace atmost

#endif

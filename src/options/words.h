// The words of a command line.
#ifndef ATMOST_OPTIONS_WORDS_H
#define ATMOST_OPTIONS_WORDS_H

#include <string_view>

#include "core/result.h"
#include "settings.h"

namespace atmost {

// Reads argv[1] … up to the first operand, whose index is the value (argc: there is none); checks
// each value, not yet how they fit together (combine.h). "--" ends the options. Of a repeated
// option the last counts; --also adds up. Errors are usage errors that begin with the option.
Result<int> read_words(int argc, char* const* argv, Settings& to, unsigned taker);

// The word without what may be a secret, the value of an assignment or option; a long one is cut.
void append_shown(Error& error, std::string_view word);

// True if the word begins with a dash that looks like a hyphen: an en dash, an em dash, a minus
// sign (U+2010 to U+2015, U+2212), as word processors and web pages put them in its place.
bool begins_with_dash(std::string_view word);

// The usage error about such a word, with the option that was probably meant.
Error not_a_hyphen(std::string_view word);

// The word that was probably meant by one that is not known.
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

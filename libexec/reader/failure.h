// The end of a program of the back tier after an error.
#ifndef ATMOST_LIBEXEC_READER_FAILURE_H
#define ATMOST_LIBEXEC_READER_FAILURE_H

#include <stdexcept>
#include <string>

#include "core/result.h"

namespace atmost::history {

// Ends the program: a sentence, and the exit code.
struct Failure : std::runtime_error {
  Failure(Code exit_code, const std::string& message)
      : std::runtime_error(message), code(exit_code) {}
  explicit Failure(const Error& error) : Failure(error.code, std::string(error.message.view())) {}
  Code code;
};

// One line on standard error, "atmost: " before it, safe to show.
void complain(const std::string& message);

// Flushes standard output; throws Failure if something could not be written.
void finish_output();

// Writes `text` to standard output and flushes it. Returns 0, the exit code; throws Failure if it
// could not be written.
int print(const std::string& text);

// The body of main(): runs the program, and ends it with the exit code of its Failure.
int run_guarded(int (*run)(int argc, char** argv), int argc, char** argv);

}  // namespace atmost::history

#endif

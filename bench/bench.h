// Shared by the parts of the benchmark.
#ifndef ATMOST_BENCH_BENCH_H
#define ATMOST_BENCH_BENCH_H

#include <string>

#include "figures.h"
#include "witness_world.h"

namespace bench {

using witness::Argv;

struct Options {
  bool quick = false;
  std::string bin;        // folder of the programs measured
  std::string directory;  // for lock files; ours alone
  std::string program(const std::string& name) const { return bin + "/" + name; }
  std::string lock(const std::string& name) const { return directory + "/" + name + ".lock"; }
};

// Starts argv, waits for its end; ns from before to after. Descriptors are inherited (the
// benchmark's own 0, 1 and 2 are /dev/null). `status` gets the wait(2) status.
std::int64_t time_run(const Argv& argv, int* status = nullptr);

// The number of system calls of argv and its children, as strace counts them; -1 without strace.
std::int64_t count_calls(const Options& options, const Argv& argv);

// The first program of that name along $PATH, or nothing.
std::string find_program(const std::string& name);

void tell(const std::string& text);  // writes to the person who started the benchmark

// The parts, in the order in which they are shown.
void measure_wrappers(const Options& options, Book& book);
void measure_paper(const Options& options, Book& book);
void measure_scale(const Options& options, Book& book);
void measure_handoff(const Options& options, Book& book);
void measure_shell(const Options& options, Book& book);
void measure_idle(const Options& options, Book& book);
void measure_memory(const Options& options, Book& book);

// The part of the benchmark that holds thousands of slots, in a process of its own (crowd.h). Never
// returns early: the exit code.
int keep_crowd(const Argv& arguments);

}  // namespace bench

#endif

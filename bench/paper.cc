// Table 1 of Burgess & Skipitaris, "Adaptive Locks For Frequently Scheduled Tasks With
// Unpredictable Runtimes" (LISA '97): what the locks of a small pass add to it.
#include <sys/wait.h>

#include <fstream>
#include <stdexcept>

#include "atmost/atmost.h"
#include "bench.h"

namespace bench {
namespace {

struct Pass {
  int locks;
  const char* paper;  // seconds that the locks added there: real time with them less without
  Samples loop;       // the commands alone, one behind the other in a shell
  Samples pass;       // atmost pass over them
  Samples library;    // the locks alone, taken and released by one process
};

std::string file_of(const Options& options, const Pass& pass, const char* kind) {
  return options.directory + "/" + std::to_string(pass.locks) + "." + kind;
}

void write_files(const Options& options, const Pass& pass) {
  std::ofstream script(file_of(options, pass, "sh"));
  std::ofstream file(file_of(options, pass, "toml"));
  for (int i = 0; i < pass.locks; ++i) {
    script << "/bin/true\n";
    file << "[[atom]]\noperator = 'bench'\noperand = '" << i << "'\ncommand = ['/bin/true']\n";
  }
  if (!script.flush() || !file.flush())
    throw std::runtime_error(options.directory + ": cannot be written");
}

std::int64_t time_well(const Argv& argv) {
  int status = 0;
  const std::int64_t ns = time_run(argv, &status);
  if (status != 0) throw std::runtime_error(argv[0] + ": " + witness::words(status));
  return ns;
}

std::int64_t time_library(const Options& options, const Pass& pass) {
  const std::string directory = options.directory + "/library";
  const std::int64_t begin = witness::now_ns();
  for (int i = 0; i < pass.locks; ++i) {
    atmost_request* const request = atmost_new_atom("bench", std::to_string(i).c_str());
    (void)atmost_set(request, "dir", directory.c_str());
    atmost_lock* lock = nullptr;
    const int answer = atmost_get(request, &lock);
    atmost_free(request);
    if (answer != ATMOST_ADMITTED) {
      throw std::runtime_error(std::string("the library: ") + atmost_message());
    }
    atmost_release(lock, 1);
  }
  return witness::now_ns() - begin;
}

void measure(const Options& options, Pass& pass) {
  const Argv loop{"/bin/sh", file_of(options, pass, "sh")};
  const Argv atoms{options.program("atmost"), "pass", "--dir", options.directory + "/atoms",
                   file_of(options, pass, "toml")};
  const int rounds = options.quick ? 20 : 150;
  for (int round = -3; round < rounds; ++round) {
    const std::int64_t bare = time_well(loop);
    const std::int64_t locked = time_well(atoms);
    const std::int64_t library = time_library(options, pass);
    if (round < 0) continue;
    pass.loop.add(bare);
    pass.pass.add(locked);
    pass.library.add(library);
  }
}

}  // namespace

void measure_paper(const Options& options, Book& book) {
  Table table{
      "Table 1 of the paper: passes of 24 and 32 locks",
      "medians of rounds that run each once; the commands are /bin/true, without locks a shell "
      "that runs "
      "them one behind the other; the library takes and releases as many locks in one process. The "
      "paper's column is the real time that the locks of a cfengine run of that size added in 1997",
      {"", "without ms", "with ms", "ratio", "locks add ms", "added in the paper", "library ms",
       "library µs a lock"},
      {}};
  Pass passes[] = {{24, "2.2 s", {}, {}, {}}, {32, "2.8 s", {}, {}, {}}};
  for (Pass& pass : passes) {
    write_files(options, pass);
    measure(options, pass);
    const double times =
        static_cast<double>(pass.pass.median()) / static_cast<double>(pass.loop.median());
    const std::int64_t each = pass.library.median() / pass.locks;
    table.rows.push_back({std::to_string(pass.locks) + " locks", millis(pass.loop.median()),
                          millis(pass.pass.median()), ratio(times),
                          millis(pass.pass.median() - pass.loop.median()), pass.paper,
                          millis(pass.library.median()), micros(each)});
    const std::string what = std::to_string(pass.locks);
    book.goals.push_back({"a pass of " + what + " atoms, in times of a shell loop", "≤ 1.15",
                          ratio(times), times <= 1.15});
    book.goals.push_back({"a lock of the library, taken and released, of " + what + ": µs", "< 50",
                          micros(each), each < 50'000});
  }
  book.tables.push_back(table);
}

}  // namespace bench

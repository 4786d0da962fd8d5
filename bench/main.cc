// bench/run: every figure of docs/internals/measurements.md, beside other programs. It prints
// figures and no verdict: the exit code is always 0.
#include <fcntl.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <stdexcept>

#include "bench.h"

namespace bench {
namespace {

constexpr const char* kUsage =
    "usage: bench/run [--quick] [--only PART]... [--markdown FILE]\n"
    "  PART: wrappers, paper, scale, handoff, shell, idle, memory (default: all)\n"
    "  --markdown FILE: put the figures between FILE's marks '<!-- figures: begin -->' and '<!-- "
    "figures: "
    "end -->'\n"
    "  environment: ATMOST_BIN the folder of the programs measured; TMPDIR where the lock files "
    "lie\n";

int to_person = 1;

struct Part {
  const char* name;
  void (*measure)(const Options&, Book&);
};
constexpr Part kParts[] = {{"wrappers", measure_wrappers}, {"paper", measure_paper},
                           {"scale", measure_scale},       {"handoff", measure_handoff},
                           {"shell", measure_shell},       {"idle", measure_idle},
                           {"memory", measure_memory}};

// The machine and the time, by which a reader judges the figures.
std::string circumstances(const std::string& command) {
  utsname system{};
  uname(&system);
  char date[32];
  const std::time_t now = std::time(nullptr);
  std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));
  return "`" + command + "`, " + date + ", " + system.sysname + " " + system.release + " " +
         system.machine + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " processors";
}

void write_markdown(const std::string& path, const std::string& head, const Book& book) {
  const std::string begin = "<!-- figures: begin -->";
  const std::string end = "<!-- figures: end -->";
  std::string text = witness::read_file(path);
  const auto from = text.find(begin);
  const auto to = text.find(end);
  if (from == std::string::npos || to == std::string::npos || to < from) {
    throw std::runtime_error(path + ": the marks '" + begin + "' and '" + end +
                             "' are not there in this order");
  }
  std::string figures = begin + "\n" + head + "\n";
  for (const Table& table : book.tables) figures += as_markdown(table);
  if (!book.goals.empty()) figures += as_markdown(as_table(book.goals));
  text.replace(from, to - from, figures + "\n");
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!(out << text) || !out.flush()) throw std::runtime_error(path + ": cannot be written");
}

bool wanted(const std::vector<std::string>& only, const char* part) {
  for (const std::string& name : only) {
    if (name == part) return true;
  }
  return only.empty();
}

bool known(const std::string& name) {
  for (const Part& part : kParts) {
    if (name == part.name) return true;
  }
  return false;
}

// The programs under test see /dev/null on 0, 1 and 2; the person keeps what was descriptor 1.
void turn_away_streams() {
  to_person = fcntl(1, F_DUPFD_CLOEXEC, 3);
  const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
  if (to_person < 0 || null < 0) throw std::runtime_error("descriptors");
  for (int fd : {0, 1, 2}) dup2(null, fd);
}

struct Call {
  Options options;
  std::vector<std::string> only;
  std::string markdown;
  std::string words = "bench/run";
};

Call parse(const Argv& arguments) {
  Call call;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool takes_value = argument == "--only" || argument == "--markdown";
    if (takes_value && i + 1 == arguments.size())
      throw std::invalid_argument(argument + " needs a value");
    if (argument == "--quick") {
      call.options.quick = true;
    } else if (argument == "--only") {
      call.only.push_back(arguments[++i]);
      if (!known(call.only.back()))
        throw std::invalid_argument("--only " + call.only.back() + ": no such part");
    } else if (argument == "--markdown") {
      call.markdown = arguments[++i];
      continue;
    } else {
      throw std::invalid_argument(argument + ": no such option");
    }
    call.words += " " + argument + (argument == "--only" ? " " + call.only.back() : "");
  }
  return call;
}

void run(Call call) {
  witness::TempDir directory;
  setenv("ATMOST_DIR", directory.path().c_str(), 1);  // the place of the log of locks with a path
  call.options.directory = directory.path();
  const std::string atmost = witness::under_test("atmost");
  if (access(atmost.c_str(), X_OK) != 0)
    throw std::runtime_error(atmost + ": " + std::strerror(errno));
  call.options.bin = atmost.substr(0, atmost.rfind('/'));
  const std::string head = circumstances(call.words);
  tell(head + "\n");
  Book book;
  for (const Part& part : kParts) {
    if (!wanted(call.only, part.name)) continue;
    const std::size_t shown = book.tables.size();
    tell(std::string(part.name) + " …\n");
    part.measure(call.options, book);
    for (std::size_t i = shown; i < book.tables.size(); ++i) tell(as_text(book.tables[i]));
  }
  tell(as_text(as_table(book.goals)));
  if (!call.markdown.empty()) write_markdown(call.markdown, head, book);
}

}  // namespace

void tell(const std::string& text) {
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t wrote = write(to_person, text.data() + done, text.size() - done);
    if (wrote <= 0) return;
    done += static_cast<std::size_t>(wrote);
  }
}

int main_of(const Argv& arguments) {
  try {
    if (!arguments.empty() && arguments[0] == "--keep-crowd") {
      return keep_crowd(Argv(arguments.begin() + 1, arguments.end()));
    }
    if (!arguments.empty() && (arguments[0] == "-h" || arguments[0] == "--help")) {
      tell(kUsage);
      return 0;
    }
    const Call call = parse(arguments);
    turn_away_streams();
    run(call);
    return 0;
  } catch (const std::invalid_argument& wrong) {
    tell(std::string("bench/run: ") + wrong.what() + "\n" + kUsage);
    return 64;
  } catch (const std::exception& failed) {
    tell(std::string("bench/run: ") + failed.what() + "\n");
    return 1;
  }
}

}  // namespace bench

int main(int argc, char** argv) { return bench::main_of(bench::Argv(argv + 1, argv + argc)); }

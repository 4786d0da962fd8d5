#include "options.h"

#include "reader/selection.h"

namespace atmost::top {
namespace {

constexpr char kUsage[] =
    "usage: atmost top [OPTION]... [LOCK]...\n\n"
    "holders and waiters, live; of all named locks if none is given\n\n"
    "      --store URL       file:, symlink:, shared:DIR, etcd://..., postgres:...\n"
    "                        ($ATMOST_STORE)\n"
    "      --dir DIR         directory of named locks ($ATMOST_DIR, or see atmost(1))\n"
    "      --host NAME       this machine's name in paths and atoms\n"
    "  -h, --help            show this\n"
    "  -V, --version         show the version\n\n"
    "Keys: arrows, Page Up, Page Down, Home, End choose a line; k stops its holder\n"
    "carefully, d drains its lock, r resumes it, each after a question; s sorts by\n"
    "another column, / shows only what has a text in it, space looks again at once,\n"
    "q leaves.\n";

enum Long : int { kStore = history::kOwnOptions, kDir, kHost };

}  // namespace

bool read_arguments(int argc, char** argv, Options& to) {
  const auto take = [&to](int letter, const char* value) {
    const char* option = letter == kStore ? "--store" : letter == kDir ? "--dir" : "--host";
    to.where.emplace_back(option);
    to.where.push_back(history::not_empty(option, value));
  };
  return !history::read_command_line(argc, argv,
                                     {"atmost top",
                                      kUsage,
                                      "",
                                      {{"store", required_argument, nullptr, kStore},
                                       {"dir", required_argument, nullptr, kDir},
                                       {"host", required_argument, nullptr, kHost}}},
                                     to.locks, take);
}

}  // namespace atmost::top

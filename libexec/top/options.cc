#include "options.h"

#include <getopt.h>

#include "reader/exact_option.h"
#include "reader/failure.h"
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

constexpr option kOptions[] = {
    {"store", required_argument, nullptr, kStore}, {"dir", required_argument, nullptr, kDir},
    {"host", required_argument, nullptr, kHost},   {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},        {nullptr, 0, nullptr, 0}};

}  // namespace

std::string help_text() { return kUsage; }

Options parse_options(int argc, char** argv) {
  Options to;
  opterr = 0;
  const auto take = [&to](const char* option) {
    to.where.emplace_back(option);
    to.where.push_back(history::not_empty(option, optarg));
  };
  for (int letter; (letter = history::next_option(argc, argv, ":hV", kOptions)) != -1;) {
    switch (letter) {
      case kStore:
        take("--store");
        break;
      case kDir:
        take("--dir");
        break;
      case kHost:
        take("--host");
        break;
      case 'h':
        to.help = true;
        return to;
      case 'V':
        to.version = true;
        return to;
      default:
        history::refuse_option(letter, argv[optind - 1], "atmost top");
    }
  }
  for (; optind < argc; ++optind) to.locks.emplace_back(argv[optind]);
  return to;
}

}  // namespace atmost::top

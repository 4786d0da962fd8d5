#include "options.h"

#include <getopt.h>

#include "core/parse.h"
#include "reader/exact_option.h"

namespace atmost::pass {

const char* const kHelp =
    "usage: atmost pass [OPTION]... FILE\n"
    "Runs every atom of FILE (TOML, see atmost-pass(1)) that is due here and now.\n"
    "\n"
    "  -j, --jobs N            run up to N atoms side by side, each line of output under its "
    "atom's name "
    "(1)\n"
    "      --max-passes N      at most N passes over FILE at a time; one more exits 75\n"
    "      --clock pass|atom   one moment for all atoms, or the clock for each (pass)\n"
    "      --now TIME          take TIME (epoch seconds, fractions allowed) for now\n"
    "      --dry-run           say what would run, and why not; run no atom\n"
    "      --classes           show the classes of this host at this moment (FILE adds its groups "
    "and time "
    "zone)\n"
    "      --store URL         etcd://HOSTS/PREFIX, postgres://... or shared:/DIR: each atom is "
    "one "
    "for the fleet ($ATMOST_STORE)\n"
    "      --dir DIR           where the locks live\n"
    "      --host NAME         this host's name; with --store, each atom is one for each such "
    "host\n"
    "      --trust-fs          the lock directory's filesystem is known to keep locks\n"
    "      --json              one JSON object a line for every atom\n"
    "  -q, --quiet             say nothing of refusals and takeovers\n"
    "  -v, --verbose           say what became of every atom (usual on a terminal)\n"
    "  -h, --help              show this\n"
    "  -V, --version           show the version\n";

namespace {

enum : int {
  kMaxPasses = 256,
  kClock,
  kNow,
  kDryRun,
  kClasses,
  kDir,
  kHost,
  kStore,
  kTrustFs,
  kJson
};

constexpr option kLong[] = {{"jobs", required_argument, nullptr, 'j'},
                            {"max-passes", required_argument, nullptr, kMaxPasses},
                            {"clock", required_argument, nullptr, kClock},
                            {"now", required_argument, nullptr, kNow},
                            {"dry-run", no_argument, nullptr, kDryRun},
                            {"classes", no_argument, nullptr, kClasses},
                            {"dir", required_argument, nullptr, kDir},
                            {"host", required_argument, nullptr, kHost},
                            {"store", required_argument, nullptr, kStore},
                            {"trust-fs", no_argument, nullptr, kTrustFs},
                            {"json", no_argument, nullptr, kJson},
                            {"quiet", no_argument, nullptr, 'q'},
                            {"verbose", no_argument, nullptr, 'v'},
                            {"help", no_argument, nullptr, 'h'},
                            {"version", no_argument, nullptr, 'V'},
                            {nullptr, 0, nullptr, 0}};

// A gigabyte of memory for supervisors, at the very most.
constexpr std::uint64_t kMostJobs = 1024;

bool count(const char* name, std::uint64_t high, std::uint32_t& to, std::string& wrong) {
  const Result<std::uint64_t> value = parse_count(optarg, 1, high);
  if (!value.ok()) {
    wrong = std::string(name) + ": " + std::string(value.error().message.view());
    return false;
  }
  to = static_cast<std::uint32_t>(value.value());
  return true;
}

bool text(const char* name, std::string& to, std::string& wrong) {
  to = optarg;
  if (to.empty()) wrong = std::string(name) + " needs a value that is not empty";
  return !to.empty();
}

bool moment(Options& to, std::string& wrong) {
  const Result<std::int64_t> value = parse_epoch(optarg);
  if (!value.ok()) {
    wrong = "--now: " + std::string(value.error().message.view());
    return false;
  }
  to.now_ns = value.value();
  return true;
}

bool clock(Options& to, std::string& wrong) {
  const std::string value = optarg;
  to.clock_per_atom = value == "atom";
  if (value == "atom" || value == "pass") return true;
  wrong = "--clock: \"" + value + "\" is neither pass nor atom";
  return false;
}

bool store(int option, Options& to, std::string& wrong) {
  switch (option) {
    case 'j':
      return count("--jobs", kMostJobs, to.jobs, wrong);
    case kMaxPasses:
      to.max_passes = 1;
      return count("--max-passes", kMaxSlots, *to.max_passes, wrong);
    case kClock:
      return clock(to, wrong);
    case kNow:
      return moment(to, wrong);
    case kDir:
      return text("--dir", to.dir, wrong);
    case kHost:
      return text("--host", to.host, wrong);
    case kStore:
      return text("--store", to.store, wrong);
    case kDryRun:
      return to.dry_run = true;
    case kClasses:
      return to.classes = true;
    case kTrustFs:
      return to.trust_fs = true;
    case kJson:
      return to.json = true;
    case 'q':
      return to.quiet = true;
    case 'v':
      return to.verbose = true;
    case 'h':
      return to.help = true;
    case 'V':
      return to.version = true;
    default:
      return false;
  }
}

}  // namespace

bool read_options(int argc, char** argv, Options& to, std::string& wrong) {
  opterr = 0;
  int option;
  while ((option = history::next_option(argc, argv, "+:j:qvhV", kLong)) != -1) {
    if (option == '?' || option == ':') {
      const std::string given = argv[optind - 1];
      wrong = given +
              (option == ':' ? " needs a value" : " is no option of pass, or takes no value") +
              ": atmost pass --help lists them";
      return false;
    }
    if (!store(option, to, wrong)) return false;
  }
  if (to.help || to.version) return true;
  if (argc - optind > 1)
    wrong = "one FILE, please: \"" + std::string(argv[optind + 1]) + "\" is too much";
  if (argc == optind && !to.classes) wrong = "FILE is missing: atmost pass [OPTION]... FILE";
  if (to.dry_run && to.classes)
    wrong = "--dry-run and --classes are two questions: ask one at a time";
  if (to.quiet && to.verbose) wrong = "--quiet and --verbose contradict each other";
  if (argc > optind) to.file = argv[optind];
  if (argc > optind && to.file.empty()) wrong = "FILE has no name";
  return wrong.empty();
}

}  // namespace atmost::pass

#include "options.h"

#include <algorithm>
#include <memory>

#include "options/option.h"
#include "options/words.h"

namespace atmost::pass {

std::string help() {
  std::string words =
      "usage: atmost pass [OPTION]... FILE\n"
      "Runs every atom of FILE (TOML, see atmost-pass(1)) that is due here and now.\n\n";
  for (const Option& option : all_options()) {
    if ((option.takers & kPass) != 0) words.append(help_lines(option).view());
  }
  words +=
      "\nKeys of an atom that are options of atmost run (FILE in atmost-pass(1) has the others):\n";
  for (const Option& option : all_options()) {
    if ((option.takers & kAtom) == 0) continue;
    std::string key(name_for(kAtom, option).view());
    if (!option.value.empty()) key.append(" ").append(option.value);
    key.resize(std::max<std::size_t>(key.size(), 24), ' ');
    words.append("  ").append(key).append("  ").append(option.help).append("\n");
  }
  return words;
}

bool read_options(int argc, char** argv, Options& to, std::string& wrong) {
  const auto settings = std::make_unique<Settings>();
  const Result<int> first = read_words(argc, argv, *settings, kPass);
  if (!first.ok()) {
    wrong = first.error().message.view();
    return false;
  }
  to.clock_per_atom = settings->clock_per_atom;
  if (settings->request.now_given) to.now_ns = settings->request.now_real_ns;
  if (settings->max_passes > 0) to.max_passes = settings->max_passes;
  to.jobs = settings->jobs;
  to.dry_run = settings->dry_run;
  to.classes = settings->classes;
  to.quiet = settings->quiet;
  to.verbose = settings->verbose;
  to.json = settings->json;
  to.trust_fs = settings->request.trust_fs;
  to.help = settings->help;
  to.version = settings->version;
  to.dir = settings->dir;
  to.host = settings->host;
  to.store = settings->store;
  if (to.help || to.version) return true;
  const int at = first.value();
  if (argc - at > 1) wrong = "one FILE, please: \"" + std::string(argv[at + 1]) + "\" is too much";
  if (argc == at && !to.classes) wrong = "FILE is missing: atmost pass [OPTION]... FILE";
  if (to.dry_run && to.classes)
    wrong = "--dry-run and --classes are two questions: ask one at a time";
  if (to.quiet && to.verbose) wrong = "--quiet and --verbose contradict each other";
  if (argc > at) to.file = argv[at];
  if (argc > at && to.file.empty()) wrong = "FILE has no name";
  return wrong.empty();
}

}  // namespace atmost::pass

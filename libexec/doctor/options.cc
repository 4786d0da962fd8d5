#include "options.h"

#include <new>

#include "options/option.h"
#include "options/words.h"
#include "os/host.h"
#include "reader/output.h"
#include "reader/sources.h"

namespace atmost::doctor {
namespace {

using history::Failure;

[[noreturn]] void refuse(const std::string& what) { throw Failure(Code::usage, what); }

Settings settings;  // views lead to argv

}  // namespace

Options parse_options(int argc, char** argv, unsigned program) {
  new (&settings) Settings;
  const Result<int> first = read_words(argc, argv, settings, program);
  if (!first.ok()) throw Failure(first.error());
  Options options = {.help = settings.help,
                     .version = settings.version,
                     .json = settings.json,
                     .verbose = settings.verbose,
                     .store = std::string(settings.store),
                     .dir = std::string(settings.dir),
                     .setup_group = std::string(settings.setup_group),
                     .host = std::string(settings.host),
                     .operands = {argv + first.value(), argv + argc}};
  if (options.help || options.version) return options;
  if (options.store.empty()) {
    options.store = history::variable("ATMOST_STORE");
    if (const Status checked = check_store(options.store); !options.store.empty() && !checked.ok())
      refuse("$ATMOST_STORE: " + std::string(checked.error().message.view()));
  }
  if (options.host.empty()) options.host = os::host_name().view();
  return options;
}

std::string doctor_target(const Options& options) {
  if (options.operands.size() > 1) refuse("one directory at a time: atmost doctor [DIR]");
  return options.operands.empty() ? options.store : options.operands[0];
}

NamingContext naming_context(const Options& options) {
  NamingContext around;
  around.option_dir = options.dir;
  around.atmost_dir = history::variable("ATMOST_DIR");
  around.state_home = history::variable("XDG_STATE_HOME");
  around.home = history::variable("HOME");
  around.host = options.host;
  around.root = os::user_id() == 0;
  return around;
}

bool answer_help(const Options& options, unsigned program, const std::string& about) {
  if (options.help) {
    std::string text = about + "\n\n";
    for (const Option& option : all_options()) {
      if ((option.takers & program) != 0) text.append(help_lines(option).view());
    }
    history::print(text);
    return true;
  }
  if (options.version) history::print("atmost " ATMOST_VERSION "\n");
  return options.version;
}

}  // namespace atmost::doctor

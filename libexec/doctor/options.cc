#include "options.h"

#include <cstdlib>

#include "os/machine.h"
#include "os/self.h"
#include "reader/failure.h"

namespace atmost::doctor {
namespace {

using history::Failure;

struct Option {
  std::string_view name;
  char letter;  // 0: none
  std::string_view value;
  std::string_view help;
  bool Options::*flag;
  std::string Options::*text;
  std::string_view only = {};  // the one program that has it; empty: all
};
constexpr Option kOptions[] = {
    {"store", 0, "URL", "file:, symlink:, shared:DIR, etcd://..., postgres:... ($ATMOST_STORE)",
     nullptr, &Options::store},
    {"dir", 0, "DIR", "where named locks live ($ATMOST_DIR, or see atmost(1))", nullptr,
     &Options::dir},
    {"host", 0, "NAME", "the name to know this machine by", nullptr, &Options::host},
    {"setup-group", 0, "GROUP", "first make DIR a directory whose locks GROUP shares", nullptr,
     &Options::setup_group, "doctor"},
    {"json", 0, "", "one JSON object a line", &Options::json, nullptr},
    {"quiet", 'q', "", "say nothing about refusals", nullptr, nullptr},
    {"verbose", 'v', "", "say more", &Options::verbose, nullptr},
    {"help", 'h', "", "show this", &Options::help, nullptr},
    {"version", 'V', "", "show the version", &Options::version, nullptr},
};

[[noreturn]] void refuse(const std::string& what) { throw Failure(Code::usage, what); }

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

void check(const Option& option, const std::string& value) {
  if (option.name == "store") {
    if (const Status checked = check_store(value); !checked.ok())
      refuse("--store: " + std::string(checked.error().message.view()));
  } else if (option.name == "setup-group" && value.empty()) {
    refuse("--setup-group: the group has no name");
  } else if (option.name == "dir" && value.empty()) {
    refuse("--dir: the directory has no name");
  } else if (option.name == "host" && (value.empty() || value.size() > 200 || value[0] == '.' ||
                                       value.find('/') != std::string::npos)) {
    refuse("--host: \"" + value +
           "\" is not a host's name: use one without slashes or a leading dot, up to 200 bytes");
  }
}

bool is_of(const Option& option, std::string_view program) {
  return option.only.empty() || option.only == program;
}

class Reader {
 public:
  Reader(int argc, char** argv, const std::string& name) : words_(argv, argv + argc), name_(name) {}

  Options read() {
    for (at_ = 1; at_ < words_.size(); ++at_) {
      const std::string& word = words_[at_];
      if (word == "--") {
        ++at_;
        break;
      }
      if (word.size() < 2 || word[0] != '-') break;
      if (word[1] == '-') {
        long_option(word.substr(2));
      } else {
        for (const char letter : word.substr(1)) take_letter(letter);
      }
    }
    for (; at_ < words_.size(); ++at_) options_.operands.push_back(words_[at_]);
    return options_;
  }

 private:
  [[noreturn]] void refuse_unknown(const std::string& typed) const {
    refuse(typed + ": no option of " + name_ + ": atmost " + name_ + " --help lists them");
  }

  void long_option(const std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    for (const Option& option : kOptions) {
      if (option.name != name || !is_of(option, name_)) continue;
      if (option.text == nullptr) {
        if (equals != std::string::npos) refuse("--" + name + ": takes no value");
        if (option.flag != nullptr) options_.*option.flag = true;
        return;
      }
      if (equals == std::string::npos && at_ + 1 >= words_.size())
        refuse("--" + name + ": needs a value: " + std::string(option.value));
      const std::string value =
          equals == std::string::npos ? words_[++at_] : word.substr(equals + 1);
      check(option, value);
      options_.*option.text = value;
      return;
    }
    refuse_unknown("--" + name);
  }

  void take_letter(char letter) {
    for (const Option& option : kOptions) {
      if (option.letter != letter) continue;
      if (option.flag != nullptr) options_.*option.flag = true;
      return;
    }
    refuse_unknown(std::string("-") + letter);
  }

  const std::vector<std::string> words_;
  const std::string& name_;
  std::size_t at_ = 1;
  Options options_;
};

}  // namespace

Options parse_options(int argc, char** argv, const std::string& name) {
  Options options = Reader(argc, argv, name).read();
  if (options.help || options.version) return options;
  if (options.store.empty()) {
    options.store = variable("ATMOST_STORE");
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
  const auto borrowed = [](const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr ? std::string_view(value) : std::string_view();
  };
  NamingContext around;
  around.option_dir = options.dir;
  around.atmost_dir = borrowed("ATMOST_DIR");
  around.state_home = borrowed("XDG_STATE_HOME");
  around.home = borrowed("HOME");
  around.host = options.host;
  around.root = os::user_id() == 0;
  return around;
}

bool answer_help(const Options& options, std::string_view program, const std::string& about) {
  if (options.help) {
    std::string text = about + "\n\n";
    for (const Option& option : kOptions) {
      if (!is_of(option, program)) continue;
      std::string left = option.letter != 0 ? std::string{'-', option.letter, ',', ' '} : "    ";
      left.append("--").append(option.name);
      if (!option.value.empty()) left.append(" ").append(option.value);
      if (left.size() < 26) left.resize(26, ' ');
      text.append("  ").append(left).append("  ").append(option.help).append("\n");
    }
    history::print(text);
    return true;
  }
  if (options.version) history::print("atmost " ATMOST_VERSION "\n");
  return options.version;
}

}  // namespace atmost::doctor

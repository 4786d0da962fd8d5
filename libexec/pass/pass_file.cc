#include "pass_file.h"

#include <algorithm>

#include "core/parse.h"
#include "options/combine.h"
#include "read_file.h"
#include "request/classes.h"
#include "zone.h"

namespace atmost::pass {
namespace {

std::vector<std::string> atom_keys(std::vector<std::string> before) {
  for (const char* key : {"shell", "scope", "environment", "directory", "user", "when"})
    before.emplace_back(key);
  return with_option_keys(std::move(before));
}

// The keys that [defaults] sets for every atom, and an atom for itself.
struct Defaults {
  Atom atom;
  bool shell = false;
};

class FileReader {
 public:
  FileReader(std::string_view text, PassFile& to, std::vector<Remark>& faults,
             std::vector<Remark>& remarks)
      : text_(text), to_(to), faults_(faults), remarks_(remarks), options_(faults) {}

  void read(const toml::table& root);

 private:
  void read_defaults(const toml::node& node);
  void read_groups(const toml::node& node);
  void read_group(const std::string& name, SourcePlace at, const toml::node& node);
  void read_atoms(const toml::node& node);
  void read_atom(const toml::table& table);
  void read_settings(TableReader& table, Defaults& to);
  bool read_name(TableReader& table, Atom& to);
  void fault(SourcePlace at, std::string words) { faults_.push_back({at, std::move(words)}); }

  std::string_view text_;
  PassFile& to_;
  std::vector<Remark>& faults_;
  std::vector<Remark>& remarks_;
  Defaults defaults_;
  OptionReader options_;
};

void FileReader::read(const toml::table& root) {
  TableReader(root, "the file", faults_).only({"defaults", "groups", "atom"});
  if (const toml::node* node = root.get("defaults")) read_defaults(*node);
  if (const toml::node* node = root.get("groups")) read_groups(*node);
  if (const toml::node* node = root.get("atom")) {
    read_atoms(*node);
  } else {
    // Without this a file that was cut short would silently do nothing.
    fault({}, "there is no [[atom]] in it");
  }
}

void FileReader::read_settings(TableReader& table, Defaults& to) {
  Atom& atom = to.atom;
  table.boolean("shell", to.shell);
  if (std::string scope; table.text("scope", scope)) {
    atom.each_host = scope == "host";
    if (scope != "host" && scope != "fleet")
      table.fault("scope", "is neither \"fleet\" nor \"host\"");
  }
  table.variables("environment", atom.environment);
  if (table.text("directory", atom.directory) && atom.directory[0] != '/') {
    table.fault("directory", "is relative, and a pass may start anywhere: begin it with /");
  }
  table.text("user", atom.user);
  check_when(table, text_, atom);
}

void FileReader::read_defaults(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr)
    return fault(place_of(node.source()), "defaults should be a table: [defaults]");
  TableReader reader(*table, "[defaults]", faults_);
  reader.only(atom_keys({"time_zone"}));
  if (reader.text("time_zone", to_.time_zone) && !Zone::named(to_.time_zone)) {
    reader.fault(
        "time_zone",
        "names no zone of the time zone database: use one like \"Europe/Oslo\" or \"UTC\"");
  }
  options_.read_defaults(reader);
  read_settings(reader, defaults_);
}

void FileReader::read_groups(const toml::node& node) {
  const toml::table* table = node.as_table();
  if (table == nullptr) return fault(place_of(node.source()), "groups should be a table: [groups]");
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    request::ExpressionFault wrong;
    const bool one_name = !name.empty() && name.find_first_of(" \t\n.&|!()") == std::string::npos;
    if (!one_name || !request::check_expression(name, wrong)) {
      fault(place_of(key.source()),
            "\"" + name + "\" is not a name for a group: use letters, digits and _");
    } else if (name == "any" || request::time_class(name).unit != request::TimeUnit::none) {
      fault(place_of(key.source()), name + " is a class already: find another name for the group");
    } else {
      read_group(name, place_of(key.source()), value);
    }
  }
}

void FileReader::read_group(const std::string& name, SourcePlace at, const toml::node& node) {
  Group group;
  if (const toml::array* hosts = node.as_array()) {
    static const toml::table no_keys;
    // Empty: a group without members at the moment.
    if (!hosts->empty())
      TableReader(no_keys, "a group", faults_).texts_in(node, name, false, group.hosts);
  } else if (const toml::table* table = node.as_table()) {
    TableReader reader(*table, "a group", faults_);
    reader.only({"hosts", "command", "shell"});
    bool shell = false;
    reader.boolean("shell", shell);
    reader.texts("hosts", false, group.hosts);
    if (reader.has("command")) read_command(reader, shell, group.command);
    if (!reader.has("hosts") && !reader.has("command"))
      fault(at, "group " + name + " has neither hosts nor command");
  } else {
    return fault(
        place_of(node.source()),
        "group " + name + " should be an array of hosts, or a table with hosts or command");
  }
  to_.groups[name] = std::move(group);
}

void FileReader::read_atoms(const toml::node& node) {
  const toml::array* array = node.as_array();
  const auto is_table = [](const toml::node& one) { return one.is_table(); };
  if (array == nullptr || array->empty() || !std::all_of(array->begin(), array->end(), is_table)) {
    return fault(place_of(node.source()),
                 "atom should be an array of tables: begin each with [[atom]]");
  }
  for (const toml::node& one : *array) read_atom(*one.as_table());
  options_.refuse_useless();
}

// Two texts that make a name which the command line accepts, too: `atmost list operator:operand`.
bool FileReader::read_name(TableReader& table, Atom& to) {
  for (const char* key : {"operator", "operand"}) {
    if (!table.has(key)) table.fault(table.at(), "this atom has no " + std::string(key));
  }
  const bool read = table.text("operator", to.operation);
  if (!table.text("operand", to.operand) || !read) return false;
  if (to.operation.find(':') != std::string::npos) {
    table.fault("operator", "holds a colon, which ends an operator");
    return false;
  }
  const Result<LockForm> form = classify_lock(to.name());
  if (form.ok() && form.value() == LockForm::atom) return true;
  table.fault(form.ok() ? "operator" : "operand", form.ok()
                                                      ? "looks like a path: let it begin otherwise"
                                                      : std::string(form.error().message.view()));
  return false;
}

void FileReader::read_atom(const toml::table& table) {
  TableReader reader(table, "an atom", faults_);
  reader.only(atom_keys({"operator", "operand", "command"}));
  Defaults settings = defaults_;
  Atom& atom = settings.atom;
  atom.at = reader.at();
  const bool named = read_name(reader, atom);
  read_settings(reader, settings);
  atom.words = options_.read_atom(reader);
  atom.max = options_.settings().request.locks[0].max;
  if (!reader.has("command")) {
    fault(atom.at, "this atom has no command");
  } else {
    read_command(reader, settings.shell, atom.command);
  }
  if (!named) return;
  for (const Atom& other : to_.atoms) {
    if (other.name() != atom.name()) continue;
    return fault(atom.at, atom.name() + " is an atom already, at line " +
                              std::to_string(other.at.line) +
                              ": two of one name would keep one another from running");
  }
  if (const std::string_view doubt = doubtful(options_.settings()); !doubt.empty()) {
    Error words = error_of(Code::usage, 0, doubt);
    put_in_words_of(kAtom, words);
    remarks_.push_back({reader.has("expire_after") ? reader.at("expire_after") : atom.at,
                        atom.name() + ": " + std::string(words.message.view())});
  }
  to_.atoms.push_back(std::move(atom));
}

}  // namespace

bool read_command(TableReader& table, bool shell, std::vector<std::string>& to) {
  if (!shell) return table.texts("command", true, to);
  std::string line;
  if (!table.text("command", line)) return false;
  to = {"/bin/sh", "-c", line};
  return true;
}

bool check_when(TableReader& table, std::string_view text, Atom& to) {
  std::string when;
  if (!table.text("when", when)) return false;
  struct Hours final : request::NameVisitor {
    void name(std::string_view name) override {
      found = found || request::names_hours(request::time_class(name));
    }
    bool found = false;
  } hours;
  request::ExpressionFault wrong;
  if (request::check_expression(when, wrong, &hours)) {
    to.when = when;
    to.names_hours = hours.found;
    return true;
  }
  // Shown as it is, the string is in the file right behind its quote; escapes and quotes of three
  // move it.
  SourcePlace at = table.at("when");
  std::string_view line = text;
  for (std::uint32_t number = 1; number < at.line && !line.empty(); ++number) {
    const std::size_t end = line.find('\n');
    line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  }
  const std::string words = "when: " + std::string(wrong.words.view());
  if (line.size() > at.column && line.compare(at.column, when.size(), when) == 0) {
    at.column += 1 + static_cast<std::uint32_t>(wrong.at);
    table.fault(at, words);
  } else {
    table.fault(at, words + " (character " + std::to_string(wrong.at + 1) + " of the expression)");
  }
  return false;
}

void read_pass_file(std::string_view text, PassFile& to, std::vector<Remark>& faults,
                    std::vector<Remark>& remarks) {
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    faults.push_back(
        {place_of(parsed.error().source()), std::string(parsed.error().description())});
    return;
  }
  FileReader(text, to, faults, remarks).read(parsed.table());
  std::sort(faults.begin(), faults.end(), [](const Remark& one, const Remark& other) {
    return one.at.line != other.at.line ? one.at.line < other.at.line
                                        : one.at.column < other.at.column;
  });
}

}  // namespace atmost::pass

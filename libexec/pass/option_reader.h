// The options of a pass file: those of [defaults] and of each atom, and the check that they fit
// together.
#ifndef ATMOST_LIBEXEC_PASS_OPTION_READER_H
#define ATMOST_LIBEXEC_PASS_OPTION_READER_H

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "options/settings.h"
#include "read_file.h"

namespace atmost::pass {

// The keys of a table with options, behind the keys that other callers do not have as options.
std::vector<std::string> with_option_keys(std::vector<std::string> keys);

class OptionReader {
 public:
  explicit OptionReader(std::vector<Remark>& faults) : faults_(faults) {}

  void read_defaults(TableReader& table);
  // Reads the words of [defaults], then those of the atom; settings() has the result until the next
  // atom is read.
  std::vector<OptionValue> read_atom(TableReader& table);
  const Settings& settings() const { return *settings_; }
  // Notes a fault for each key that [defaults] sets and no atom can use. Call it after the last
  // atom.
  void refuse_useless();

 private:
  bool read(TableReader& table, std::vector<OptionValue>& to);
  void check(TableReader& table);
  void note_uses();

  std::vector<Remark>& faults_;
  std::vector<OptionValue> defaults_;
  std::map<const Option*, SourcePlace> places_;   // of defaults_
  std::set<const Option*> used_;                  // of defaults_, by an atom
  std::map<const Option*, std::string> useless_;  // by some atom: what it breaks there
  std::deque<std::string> borrowed_;              // by settings_
  std::unique_ptr<Settings> settings_ = std::make_unique<Settings>();
};

}  // namespace atmost::pass

#endif

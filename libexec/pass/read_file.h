// The parts of read_pass_file(): one table at a time, every fault noted with its place.
#ifndef ATMOST_LIBEXEC_PASS_READ_FILE_H
#define ATMOST_LIBEXEC_PASS_READ_FILE_H

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "pass_file.h"

// Errors come back as values; with this it is the same whatever the compiler's default.
#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

namespace atmost::pass {

Place place_of(const toml::source_region& region);

// Reads the keys of one table. A key that is missing leaves `to` as it is and answers false; so does a wrong one, which
// is noted.
class TableReader {
 public:
  TableReader(const toml::table& table, std::string what, std::vector<Remark>& faults)
      : table_(table), what_(std::move(what)), faults_(faults) {}

  void only(std::initializer_list<std::string_view> keys);  // any other key is a fault
  bool has(std::string_view key) const { return table_.contains(key); }
  Place at() const { return place_of(table_.source()); }
  Place at(std::string_view key) const;

  bool text(std::string_view key, std::string& to);  // not empty, and without NUL
  bool boolean(std::string_view key, bool& to);
  bool span(std::string_view key, Duration& to);
  bool count(std::string_view key, std::uint32_t high, std::uint32_t& to);
  // An array of at least one text; none is empty, or with `empty_too` not the first.
  bool texts(std::string_view key, bool empty_too, std::vector<std::string>& to);
  bool texts_in(const toml::node& node, std::string_view key, bool empty_too, std::vector<std::string>& to);
  void variables(std::string_view key, std::map<std::string, std::string>& to);  // added to what is there
  void fault(Place at, std::string words) { faults_.push_back({at, std::move(words)}); }
  void fault(std::string_view key, const std::string& words);

 private:
  const toml::table& table_;
  std::string what_;
  std::vector<Remark>& faults_;
};

// The array or, with `shell`, the line in `key`.
bool read_command(TableReader& table, bool shell, std::vector<std::string>& to);

// Checks the class expression in `key`; its faults are placed inside the string where the file shows it as it is.
bool check_when(TableReader& table, std::string_view text, Atom& to);

}  // namespace atmost::pass

#endif

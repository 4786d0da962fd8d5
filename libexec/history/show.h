// Events as rows for people, or as the lines they were logged as.
#ifndef ATMOST_LIBEXEC_HISTORY_SHOW_H
#define ATMOST_LIBEXEC_HISTORY_SHOW_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "reader/output.h"
#include "reader/record.h"

namespace atmost::history {

enum class Shape : std::uint8_t {
  table,  // fitted columns, local time
  plain,  // tabs between the columns, UTC
  lines,  // JSON
};

class Show {
 public:
  explicit Show(Shape shape);

  void add(const Record& record);
  // Writes what was added. A table is fitted to the rows of each flush: its columns only ever grow.
  // Where the terminal is too narrow, SLOT, PID and USER are left out, and DETAILS goes on in the
  // next line, or begins there.
  void flush();

 private:
  static constexpr std::size_t kColumns = 8;
  using Row = std::array<std::string, kColumns>;

  Row row_of(const Record& record);
  std::string moment_of(const Record& record);
  const std::string& user_of(std::int64_t uid);
  void fit();
  void write(const Row& row);
  void write_plain(const Row& row);
  void write_heads();

  Shape shape_;
  Paper paper_;
  bool headed_ = false;
  std::array<bool, kColumns> hidden_{};
  std::size_t details_at_ = 0;    // the column where they begin
  std::size_t details_room_ = 0;  // cells for them; 0: any number
  std::array<std::size_t, kColumns> widths_{};
  std::vector<Row> rows_;
  std::unordered_map<std::int64_t, std::string> users_;
};

}  // namespace atmost::history

#endif

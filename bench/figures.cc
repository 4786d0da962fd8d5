#include "figures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace bench {
namespace {

std::string number(double value, int places) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", places, value);
  return text;
}

// Characters, not bytes: a column may hold µ.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::int64_t Samples::quantile(double share) const {
  std::vector<std::int64_t> sorted = values_;
  const auto last = static_cast<double>(sorted.size() - 1);
  const auto at = sorted.begin() + static_cast<std::ptrdiff_t>(std::floor(share * last + 0.5));
  std::nth_element(sorted.begin(), at, sorted.end());
  return *at;
}

std::string micros(std::int64_t ns) {
  const double us = static_cast<double>(ns) / 1e3;
  return number(us, std::abs(us) < 10 ? 1 : 0);
}

std::string millis(std::int64_t ns) {
  const double ms = static_cast<double>(ns) / 1e6;
  return number(ms, std::abs(ms) < 10 ? 2 : 0);
}

std::string ratio(double value) {
  return number(value, value < 1 ? 3 : value < 10 ? 2 : value < 100 ? 1 : 0);
}

std::string grouped(std::int64_t value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string as_text(const Table& table) {
  std::vector<std::size_t> widths;
  for (const std::string& cell : table.head) widths.push_back(width(cell));
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size() && i < widths.size(); ++i)
      widths[i] = std::max(widths[i], width(row[i]));
  }
  std::string text = "\n";
  text.append(table.title).append("\n");
  const auto line = [&](const std::vector<std::string>& cells) {
    std::string row(1, ' ');
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::size_t blank = widths[i] - width(cells[i]);
      row.append(i == 0 ? 1 : blank + 2, ' ').append(cells[i]).append(i == 0 ? blank : 0, ' ');
    }
    while (row.back() == ' ') row.pop_back();
    text.append(row).append("\n");
  };
  line(table.head);
  for (const auto& row : table.rows) line(row);
  if (!table.note.empty()) text.append("  (").append(table.note).append(")\n");
  return text;
}

std::string as_markdown(const Table& table) {
  const auto line = [](const std::vector<std::string>& cells) {
    std::string row = "|";
    for (const std::string& cell : cells) row.append(" ").append(cell).append(" |");
    return row.append("\n");
  };
  std::string text = "\n### ";
  text.append(table.title).append("\n\n");
  if (!table.note.empty()) text.append(table.note).append("\n\n");
  text += line(table.head) + "|---|";
  for (std::size_t i = 1; i < table.head.size(); ++i) text += "---:|";
  text += "\n";
  for (const auto& row : table.rows) text += line(row);
  return text;
}

Table as_table(const std::vector<Goal>& goals) {
  Table table{"Targets", "", {"measured", "to reach", "reached", ""}, {}};
  for (const Goal& goal : goals)
    table.rows.push_back({goal.what, goal.target, goal.reached, goal.met ? "yes" : "NO"});
  return table;
}

}  // namespace bench

// Samples, medians and tables.
#ifndef ATMOST_BENCH_FIGURES_H
#define ATMOST_BENCH_FIGURES_H

#include <cstdint>
#include <string>
#include <vector>

namespace bench {

class Samples {
 public:
  void add(std::int64_t ns) { values_.push_back(ns); }
  bool empty() const { return values_.empty(); }
  std::size_t count() const { return values_.size(); }
  std::int64_t quantile(double share) const;  // REQUIRES: not empty
  std::int64_t median() const { return quantile(0.5); }

 private:
  std::vector<std::int64_t> values_;
};

struct Table {
  std::string title;
  std::string note;  // how it was measured, one paragraph; may be empty
  std::vector<std::string> head;
  std::vector<std::vector<std::string>> rows;
};

// Targets and results: the last table.
struct Goal {
  std::string what;
  std::string target;
  std::string reached;
  bool met = false;
};

// Everything measured, in order.
struct Book {
  std::vector<Table> tables;
  std::vector<Goal> goals;
};

std::string as_text(const Table& table);
std::string as_markdown(const Table& table);
Table as_table(const std::vector<Goal>& goals);

std::string micros(std::int64_t ns);  // "123" or "1.2" below ten
std::string millis(std::int64_t ns);
std::string ratio(double value);          // three significant figures at most
std::string grouped(std::int64_t value);  // 10,000

}  // namespace bench

#endif

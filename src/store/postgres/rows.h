// An answer of the server, read strictly: a value that is missing, of another form or out of range
// is a DatabaseError, never a zero.
#ifndef ATMOST_STORE_POSTGRES_ROWS_H
#define ATMOST_STORE_POSTGRES_ROWS_H

#include <libpq-fe.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace atmost::postgres {

class Rows {
 public:
  // Takes ownership of the result. Null is an answer without rows.
  explicit Rows(PGresult* result) : result_(result) {}

  int count() const { return PQntuples(result_.get()); }
  bool is(ExecStatusType status) const { return PQresultStatus(result_.get()) == status; }
  // The number of rows that a statement without an answer changed.
  std::int64_t changed() const;
  // Throws DatabaseError unless there are exactly `count` rows.
  void expect(int count) const;

  bool missing(int row, int column) const;  // SQL's null
  std::int64_t integer(int row, int column, std::int64_t least = INT64_MIN,
                       std::int64_t most = INT64_MAX) const;
  // For an expression that was written with or_none().
  std::optional<std::int64_t> maybe_integer(int row, int column) const;
  bool boolean(int row, int column) const;
  std::string text(int row, int column) const;
  std::string bytes(int row, int column) const;                 // bytea
  std::vector<std::uint32_t> slots(int row, int column) const;  // int[]: numbers of slots

 private:
  struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
  };
  std::string_view field(int row, int column) const;

  std::unique_ptr<PGresult, Clear> result_;
};

// Columns may be null, but a null in an answer means that a value was lost. So a null column is
// sent as a number.
inline std::string or_none(const std::string& expression) {
  return "coalesce(" + expression + ", '-9223372036854775807'::bigint)";
}

// The notation of bytes for a parameter of type bytea.
std::string hex_of(std::string_view bytes);

}  // namespace atmost::postgres

#endif

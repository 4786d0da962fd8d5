// Any rows of a server: a consistent lock, or DatabaseError; never a zero for a lost value.
#include <string_view>
#include <vector>

#include "require.h"
#include "store/postgres/answer.h"
#include "store/postgres/snapshot.h"

namespace {

using namespace atmost;
using namespace atmost::postgres;

// Fields end in a newline; one that is a single dot is SQL's null.
class Fields {
 public:
  explicit Fields(std::string_view text) : text_(text) {}

  Rows rows(int count, int columns) {
    PGresult* const result = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
    std::vector<PGresAttDesc> described(static_cast<std::size_t>(columns));
    char name[] = "c";
    for (PGresAttDesc& each : described) each = {name, 0, 0, 0, 25, -1, -1};
    PQsetResultAttrs(result, columns, described.data());
    for (int row = 0; row < count; ++row) {
      for (int column = 0; column < columns; ++column) set(result, row, column);
    }
    return Rows(result);
  }
  bool empty() const { return text_.empty(); }

 private:
  void set(PGresult* result, int row, int column) {
    const std::size_t end = text_.find('\n');
    std::string field(text_.substr(0, end));
    text_.remove_prefix(end == std::string_view::npos ? text_.size() : end + 1);
    const bool null = field == ".";
    PQsetvalue(result, row, column, null ? nullptr : field.data(),
               null ? -1 : static_cast<int>(field.size()));
  }

  std::string_view text_;
};

void read_look_of(Fields fields, int holders) {
  std::vector<Rows> answers;
  answers.push_back(fields.rows(0, 0));
  answers.push_back(fields.rows(1, 8));
  Rows sums = fields.rows(1, 15);
  answers.push_back(fields.rows(holders, 12));
  answers.push_back(std::move(sums));
  const Snapshot snapshot = read_look(answers, 7);
  require(snapshot.holders.size() == static_cast<std::size_t>(holders));
  require(snapshot.waiters_ahead <= snapshot.waiters && snapshot.owed >= snapshot.waiters_ahead);
  std::uint32_t before = 0;
  for (const Holder& holder : snapshot.holders) {
    require(holder.slot > before && holder.slot <= kMaxSlots && holder.token >= 1 &&
            holder.token <= snapshot.token);
    before = holder.slot;
  }
  for (const std::uint32_t slot : snapshot.drained_slots) require(slot >= 1 && slot <= kMaxSlots);
  for (const std::uint32_t slot : snapshot.claimed_slots) require(slot >= 1 && slot <= kMaxSlots);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  try {
    read_look_of(Fields(text), data[0] % 3);
  } catch (const DatabaseError&) {
  }
  return 0;
}

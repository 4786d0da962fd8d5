// Any rows of a server: a consistent lock, or DatabaseError; never a zero for a lost value.
#include <algorithm>
#include <string_view>
#include <vector>

#include "require.h"
#include "store/postgres/answer.h"
#include "store/postgres/facts.h"

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

LockSpec plain_lock() {
  LockSpec lock;
  lock.max = 4;
  lock.name = "lock";
  lock.path = "postgres://fuzz/lock";
  return lock;
}

void check_holders(const LockFacts& facts) {
  require(facts.ahead <= facts.places && facts.era.longest_us >= 0);
  std::uint32_t before = 0;
  for (const Holder& holder : facts.holders_found) {
    const HolderView& view = holder.view;
    require(view.slot > before && view.slot <= kMaxSlots);
    require(view.token >= 1 && view.token <= facts.before().token && view.hold == view.token);
    require(holder.expired == (holder.left_us <= 0) && view.verified != holder.expired);
    before = view.slot;
  }
}

// As the rule asks for it, without waiters: these need a server.
void check_slots(LockFacts& facts, const rule::Asker& asker, Connection& none,
                 const ClientId& nobody, bool paused) {
  facts.begin(asker, none, nobody, paused, 0);
  const rule::Table& table = facts.table();
  for (const std::uint32_t slot : table.drained) require(slot >= 1 && slot <= kMaxSlots);
  for (const std::uint32_t slot : table.taken_over) require(slot >= 1 && slot <= kMaxSlots);
  for (const HolderView& holder : table.holders) require(holder.verified);
  require(facts.others().above <= table.holders.size());
  require(!paused || facts.reserve(asker.lock->max) == 0);
  require(facts.reserve(asker.lock->max) == facts.reserved().size());
  std::uint32_t before = 0;
  for (const std::uint32_t slot : facts.reserved()) {
    require(slot > before && slot <= asker.lock->max);
    for (const HolderView& holder : table.holders) require(holder.slot != slot);
    require(std::count(table.drained.begin(), table.drained.end(), slot) == 0);
    require(asker.ticket != 0 ||
            std::count(table.taken_over.begin(), table.taken_over.end(), slot) == 0);
    before = slot;
  }
}

// The answers to add_look(): of a row that is made, the lock's row, and the rest with its holders.
void read_look_of(Fields fields, int rows) {
  static const Request request;
  static const LockSpec lock = plain_lock();
  static const Address address;
  static const ClientId nobody;
  Connection none(address, nobody);
  std::vector<Rows> answers;
  answers.push_back(fields.rows(0, 0));
  answers.push_back(fields.rows(1, 14));
  answers.push_back(fields.rows(rows, 11 + kHolderColumns));
  Clocks clocks;
  clocks.now.real_ns = clocks.now.boot_ns = clocks.turns_boot_ns = 1'000'000'000;
  LockFacts facts(0, "lock");
  facts.read(answers, none, clocks);
  const std::size_t found = facts.holders_found.size();
  require(found == 0 || found == static_cast<std::size_t>(rows));
  check_holders(facts);
  for (const std::uint64_t ticket : {0u, 9u}) {
    for (const bool paused : {false, true})
      check_slots(facts, {&request, &lock, ticket}, none, nobody, paused);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text{reinterpret_cast<const char*>(data) + 1, size - 1};
  try {
    read_look_of(Fields(text), data[0] % 4);
  } catch (const DatabaseError&) {
  }
  return 0;
}

// Changes of a lock's row without a caller that wants a slot.
#ifndef ATMOST_STORE_POSTGRES_EDITS_H
#define ATMOST_STORE_POSTGRES_EDITS_H

#include <functional>
#include <string>
#include <vector>

#include "client.h"
#include "rule/state.h"

namespace atmost::postgres {

struct RowEdit {
  std::string key;
  bool makes = false;                   // a row that is missing, and the tables
  std::vector<Statement> further = {};  // in the same transaction
};

// Reads the lock's row, which is locked, calls `edit` and writes what it made of the state. `edit`
// runs more than once, first with the empty state of a row that is missing, which is not written.
Status edit_row(Client& client, const RowEdit& what, const std::function<void(rule::State&)>& edit);

}  // namespace atmost::postgres

#endif

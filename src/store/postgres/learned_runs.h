// The memory of the runs of a lock, in PostgreSQL: a row of atmost.runs, and the row without
// a name for all locks (core/stats.h). Only callers that ask for learned limits read and write it.
#ifndef ATMOST_STORE_POSTGRES_LEARNED_RUNS_H
#define ATMOST_STORE_POSTGRES_LEARNED_RUNS_H

#include <string>

#include "client.h"
#include "core/stats.h"

namespace atmost::postgres {

// Both are empty where the table is missing (an older version made the others) or may not be read.
Status recall_runs(Client& client, const std::string& key, LockStats& lock,
                   DirectoryStats& directory);

// Reads, calls `how` and writes, in one transaction. Makes the table if it is missing and that is
// permitted. Returns what `how` does. Throws DatabaseError: nothing was written.
bool learn_run(Client& client, const std::string& key, LearnFn how, const RunSample& sample);

Statement forget_runs(const std::string& key);

}  // namespace atmost::postgres

#endif

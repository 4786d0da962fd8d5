// An atom whose lock is in a store that many machines share runs as a separate program, below a
// monitor (core/monitor.h). Its supervisor renews the lease in a thread, on its own connections,
// which a fork could not share. It gets its data through a file in memory, as every user can see
// arguments.
#ifndef ATMOST_LIBEXEC_PASS_MONITORED_H
#define ATMOST_LIBEXEC_PASS_MONITORED_H

#include "job.h"

namespace atmost::pass {

// The passwords of the store that are set.
Variables secrets_of(std::string_view store);

// Starts the monitored process and watches over it; ends as it ends. The monitored process writes
// the job's SentResult to the descriptor `result`. Returns only if it could not be started.
Error monitor_job(const Job& job, const Variables& secrets, bool quiet, int result);

// A hidden option that makes this program a monitored process: pass --monitored JOB RESULT NAME,
// two descriptors and a word for ps(1). Returns the exit code.
int be_monitored(char** argv, const StoreService& service);
inline constexpr const char* kMonitored = "--monitored";

// A hidden option that ends the lease of such a monitored process, after it was killed: pass
// --end-lease JOB LEASE. Returns the exit code.
int end_monitored_lease(char** argv, const StoreService& service);
inline constexpr const char* kEndLease = "--end-lease";

}  // namespace atmost::pass

#endif

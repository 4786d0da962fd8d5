// atmost limit: a change of a lock's limit of record.
#include "core/limiter.h"
#include "journal.h"

namespace atmost {

Status set_limit(Store& store, const Request& request, const LimitChange& change,
                 Observer* observer) {
  if (Status set = store.set_limit(request, change); !set.ok()) return set;
  const bool changed = change.from->view() != change.to->view();
  if (!changed) return {};
  limiter::Journal journal(request, store.traits(), Command{}, observer);
  journal.limited(*change.from, *change.to);
  return {};
}

}  // namespace atmost

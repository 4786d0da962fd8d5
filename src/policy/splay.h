// Spreading callers that start together (--splay).
#ifndef ATMOST_POLICY_SPLAY_H
#define ATMOST_POLICY_SPLAY_H

#include <string_view>

#include "core/time.h"

namespace atmost::policy {

// A part of `whole`, at least 0 and below it, always the same for one host and lock: jobs of many
// hosts spread out, yet each keeps its own time of day. Forever gives 0, so that no caller waits
// for ever.
Duration splay_part(Duration whole, std::string_view host, std::string_view lock);

}  // namespace atmost::policy

#endif

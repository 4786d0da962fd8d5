// The store that a call of the C library names, and what that store cannot do.
#ifndef ATMOST_LIMITER_LIBRARY_STORE_H
#define ATMOST_LIMITER_LIBRARY_STORE_H

#include <string_view>

#include "atmost/atmost.h"
#include "core/request.h"
#include "core/result.h"
#include "core/schemes.h"

namespace atmost::limiter {

// The text of options.store, or of $ATMOST_STORE if that is NULL, borrowed; empty: files.
// ATMOST_ADMITTED, or the answer: the text names no store.
int choose_store(const atmost_options& options, std::string_view& url);

// What `atmost run` refuses with a store of symbolic links before it opens the lock.
Status fits_links(const atmost_options& options, const Request& request);

}  // namespace atmost::limiter

#endif

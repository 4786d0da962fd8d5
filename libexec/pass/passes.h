// At most so many passes over one file at a time.
#ifndef ATMOST_LIBEXEC_PASS_PASSES_H
#define ATMOST_LIBEXEC_PASS_PASSES_H

#include <string>

#include "core/outcome.h"
#include "core/place.h"
#include "core/store.h"

namespace atmost::pass {

// Takes one of `most` places of the lock pass:FILE (FILE is the path of realpath(3)), until this
// process and all atoms that it started in separate processes have ended. The outcome is `ran` if
// there was one.
Outcome take_place(Store& files, const std::string& file, std::uint32_t most,
                   const NamingContext& around, bool trust_fs);

}  // namespace atmost::pass

#endif

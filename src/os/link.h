// Symbolic links as texts under names. All functions act on the links themselves, never on their
// targets. Functions return 0 or an errno value.
#ifndef ATMOST_OS_LINK_H
#define ATMOST_OS_LINK_H

#include "core/text.h"

namespace atmost::os {

// One step that either makes the name or finds it taken (EEXIST).
int make_link(const char* text, const char* path);
// EINVAL: not a symbolic link. ENAMETOOLONG: more text than fits.
int read_link(const char* path, PathText& to);
// Moves to a name that must be free (EEXIST), on every filesystem: where it cannot be done in one
// step, both names exist for a moment.
int move_to_free_name(const char* from, const char* to);
// Both names exist, and change places in one step (ENOENT: one does not exist). ENOTSUP: this
// filesystem or this kernel cannot do that; nothing happened.
int exchange_names(const char* one, const char* other);

}  // namespace atmost::os

#endif

// The names in a directory.
#ifndef ATMOST_OS_DIRECTORY_H
#define ATMOST_OS_DIRECTORY_H

#include <string_view>

namespace atmost::os {

// Calls `visit` with every name but "." and "..", in no order; the view is valid during the call
// only. Returns 0 or an errno value; some names may have been visited before an error. No heap on
// Linux.
int visit_names(const char* path, void (*visit)(void* context, std::string_view name),
                void* context);

}  // namespace atmost::os

#endif

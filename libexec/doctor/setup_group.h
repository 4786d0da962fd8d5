// A directory whose locks the members of a group share.
#ifndef ATMOST_LIBEXEC_DOCTOR_SETUP_GROUP_H
#define ATMOST_LIBEXEC_DOCTOR_SETUP_GROUP_H

#include <string>

namespace atmost::doctor {

// Makes `directory`, or takes it over if it is empty, so that lock files in it are made for the
// group (a name, or a number without one): the set-group-id bit, for owner and group alone. A
// directory that is like that already stays as it is. Throws Failure: usage, no such group, or the
// directory is in use or a symbolic link; not_permitted, this user may not do so; io. A setup that
// failed half-way is left to its owner alone.
void setup_group(const std::string& directory, const std::string& group);

}  // namespace atmost::doctor

#endif

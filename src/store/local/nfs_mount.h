// Finds out if an NFS mount keeps locks between machines as on its server.
#ifndef ATMOST_STORE_LOCAL_NFS_MOUNT_H
#define ATMOST_STORE_LOCAL_NFS_MOUNT_H

#include <string_view>

#include "core/text.h"

namespace atmost::local {

// The first reason against a mount. `none`: version 4.1 or 4.2, hard, locks kept by the server.
enum class NfsFault { none, old_version, fast_version, local_locks, soft, unknown };

struct NfsMount {
  Text<15> version;  // "4.2"; empty: not known
  NfsFault fault = NfsFault::unknown;
};

// Of the filesystem's own options in /proc/self/mountinfo: "rw,vers=4.2,hard,…". Pure.
NfsMount parse_nfs_options(std::string_view options);

// Of the mount that `fd` was opened through. Reads /proc only, so it never waits for the server;
// `unknown` if /proc does not show it.
NfsMount nfs_mount_of(int fd);

// True if the directory, or the nearest one above it that exists, is on NFS without a fault. Blocks
// while its server does not answer.
bool is_on_good_nfs(std::string_view directory);

// The same by its name: of the mount points that it begins with, the longest one counts. Links are
// not followed, and no server is asked. REQUIRES: absolute, without dots and trailing slashes.
bool is_named_on_good_nfs(std::string_view directory);

// The reason for which no lock is trusted there, in words that follow a colon; not empty.
std::string_view reason_against(NfsFault fault);

// True if mounting the directory otherwise would change that reason.
bool is_cured_by_options(NfsFault fault);

}  // namespace atmost::local

#endif

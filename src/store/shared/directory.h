// Finds out if locks in a directory exclude other machines, for callers and for the doctor.
#ifndef ATMOST_STORE_SHARED_DIRECTORY_H
#define ATMOST_STORE_SHARED_DIRECTORY_H

#include <string>
#include <string_view>

#include "core/request.h"
#include "core/result.h"
#include "core/time.h"

namespace atmost::shared {

// The directory of "shared:/DIR" or, with a key behind it, of "shared:/DIR/KEY". Usage error: it is
// not such a URL.
Result<std::string> directory_of(std::string_view url);
// The path of the lock file of "shared:/DIR/KEY".
std::string_view path_of(std::string_view url);
// The lock as that of the file, for a job that may outlive its caller. `texts` keeps its texts.
void keep_lock(const LockSpec& from, Arena& texts, LockSpec& to);

// A test sets this variable: a directory of this machine is then as good as one on NFS. The
// protocol is the same, but no other machine takes part in it.
inline constexpr const char* kAnyFilesystem = "ATMOST_TESTS_SHARED_ANYWHERE";

// Fails unless the directory is on NFS 4.1 or 4.2, mounted hard, with locks that the server keeps;
// the error has the reason and the remedy. Blocks as long as the server does. `mount` gets what is
// mounted, in words.
Status check_directory(const std::string& directory, std::string* mount = nullptr);

// Makes the directory if it is missing and what is above it is such a mount. Without a mount it
// makes none, and succeeds: check_directory() reports that.
Status make_directory(const std::string& directory);

// The largest difference of machines' clocks that comparisons of run times allow: far more than
// that of clocks set by NTP.
inline constexpr Duration kClocksAgree = Duration::seconds(1);

// By how much the server's clock is ahead of this machine's, from the time that it gives a file
// when it is written. Zero if this process may not write the file, or there is none. Error: io.
Result<Duration> server_ahead(const std::string& path);

// The server does not answer.
Error silent(std::string_view directory);

}  // namespace atmost::shared

#endif

#include "core/limiter.h"
#include "core/words.h"
#include "os/fd.h"
#include "os/file.h"
#include "os/self.h"

namespace atmost {

Status try_own_log(const PathText& log) {
  constexpr int kNoEntry = 2;  // ENOENT
  std::string_view above = log;
  os::Fd file;
  int error = kNoEntry;
  PathText path;
  while (error == kNoEntry && above.size() > 1) {
    const std::size_t slash = above.rfind('/');
    above = above.substr(0, slash == std::string_view::npos ? 0 : slash);
    path.assign(above);
    path.append("/.atmost-doctor-").append_signed(os::process_id());
    error = os::create_new(path.c_str(), 0600, file);
  }
  if (error == 0) {
    (void)os::remove_name(path.c_str());
    return {};
  }
  Error failed = error_of(Code::cannot_create, error, above.empty() ? "/" : above);
  failed.message.append(": ").append(errno_words(error));
  return failed;
}

}  // namespace atmost

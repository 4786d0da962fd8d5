#include "mutex_link.h"

#include <cerrno>

#include "core/words.h"
#include "format.h"
#include "os/file.h"
#include "os/process.h"
#include "os/self.h"

namespace atmost::symlink {
namespace {

bool harmless(std::string_view name) {
  for (char c : name) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!letter && std::string_view("._+?@%,:=/#^-\\").find(c) == std::string_view::npos)
      return false;
  }
  return true;
}

}  // namespace

ProcessIdentity identity_of(std::int64_t pid, std::uint64_t boot) {
  os::ProcessFacts facts;
  if (os::process_facts(pid, facts) != 0) return {pid, 0, boot};
  return {pid, facts.start_boot_ns, boot};
}

bool lives(const ProcessIdentity& identity, std::uint64_t boot, os::ProcessHandle* handle) {
  if (identity.boot != 0 && boot != 0 && identity.boot != boot) return false;
  os::ProcessHandle own;
  os::ProcessHandle& process = handle != nullptr ? *handle : own;
  const int error = process.open(identity.pid);
  // EINVAL, ENOENT: the number is now that of a thread of some other process.
  if (error == ESRCH || error == EINVAL || error == ENOENT) return false;
  if (error == 0 ? !process.alive() : !os::process_exists(identity.pid)) return false;
  if (identity.start_ns == 0) return true;
  os::ProcessFacts facts;
  const int unseen = os::process_facts(identity.pid, facts);
  if (unseen == ESRCH) return false;
  return unseen != 0 || facts.start_boot_ns == 0 || facts.start_boot_ns == identity.start_ns;
}

Text<8> ps_name(std::string_view name, std::uint32_t number) {
  constexpr std::size_t kLongest = 32;
  Text<63> shown;
  if (name.empty() || name.size() > kLongest) {
    shown.append_unsigned(number);
  } else {
    for (char c : name) shown.push(c >= ' ' && c <= '~' ? c : '?');
  }
  Text<8> fitted(shown.view());
  if (!fitted.truncated()) return fitted;
  return Text<8>(std::string_view(shown.c_str(), Text<8>::capacity() - 1)).push('+');
}

Result<Text<127>> psid_of(std::int64_t pid) {
  os::Credentials ids;
  os::ProcessFacts facts;
  int error = os::process_credentials(pid, ids);
  if (error == 0) error = os::process_facts(pid, facts);
  if (error != 0) {
    Error unseen = error_of(error == ESRCH ? Code::not_found : Code::io, error, "process ");
    unseen.message.append_signed(pid).append(": cannot be examined: ").append(errno_words(error));
    return unseen;
  }
  const Text<8> user = ps_name(os::user_account(ids.user), ids.user);
  const Text<8> group = ps_name(os::group_account(ids.group), ids.group);
  if (!harmless(user) || !harmless(group)) {
    Error unfit = error_of(Code::not_permitted, 0, "the name of user ");
    unfit.message.append_unsigned(ids.user).append(" or group ").append_unsigned(ids.group);
    unfit.message.append(
        " holds a character that a shell would expand, and cannot stand in a symlink lock");
    return unfit;
  }
  Text<127> psid;
  psid.append(user).push('.').append(group).push('.').append_signed(facts.parent).push('.');
  psid.append_signed(os::process_group(pid));
  return psid;
}

namespace {

// This many lost races in a row are not an accident: another process causes them on purpose.
constexpr int kTries = 64;
constexpr unsigned kMostClaims = 64;
constexpr std::uint64_t kMostSeconds = INT64_MAX / 1'000'000'000;

constexpr std::string_view kNotAMutex =
    "is not what atmost writes there; it was left alone, and so was the lock (remove it if nobody "
    "knows it)";

}  // namespace

bool parse_mutex(std::string_view text, MutexText& to) {
  to = {};
  std::uint64_t pid = 0;
  std::uint64_t start = 0;
  std::uint64_t until = 0;
  if (!take_word(text, "pid=") || !take_number(text, INT32_MAX, pid) || pid == 0) return false;
  if (!take_word(text, " start=") || !take_number(text, INT64_MAX, start)) return false;
  if (!take_word(text, " boot=") || !take_hex(text, to.identity.boot)) return false;
  if (!take_word(text, " until=") || !take_number(text, kMostSeconds, until)) return false;
  if (!take_word(text, " token=") || !take_hex(text, to.token)) return false;
  to.identity.pid = static_cast<std::int64_t>(pid);
  to.identity.start_ns = static_cast<std::int64_t>(start);
  to.until_s = static_cast<std::int64_t>(until);
  return text.empty();
}

PathText format_mutex(const MutexText& from) {
  PathText to("pid=");
  to.append_signed(from.identity.pid)
      .append(" start=")
      .append_signed(from.identity.start_ns)
      .append(" boot=");
  append_hex(to, from.identity.boot);
  to.append(" until=").append_signed(from.until_s).append(" token=");
  append_hex(to, from.token);
  return to;
}

Status look_at_mutex(const LockNames& names, MutexSnapshot& to) {
  to.present = false;
  const int error = os::read_link(names.mutex.c_str(), to.text);
  if (error == ENOENT) return {};
  if (error == EINVAL || error == ENAMETOOLONG) return failure(names.mutex, Code::io, kNotAMutex);
  if (error != 0) return failure(names.mutex, error, "cannot be read");
  if (!parse_mutex(to.text, to.holder)) return failure(names.mutex, Code::io, kNotAMutex);
  to.present = true;
  return {};
}

bool over(const MutexSnapshot& mutex, const Instant& now, std::uint64_t boot,
          os::ProcessHandle* handle) {
  const std::int64_t until_s = mutex.holder.until_s;
  if (until_s != 0 && now.real_ns / 1'000'000'000 >= until_s) return true;
  return !lives(mutex.holder.identity, boot, handle);
}

Result<TryLock> claim_removal(const LockNames& names, std::string_view mutex_text,
                              const ProcessIdentity& by, Claim& to) {
  MutexText own;
  own.identity = by;
  const PathText text = format_mutex(own);
  for (unsigned number = 1; number <= kMostClaims; ++number) {
    PathText name = claim_name(names, mutex_text, number);
    int error = os::make_link(text.c_str(), name.c_str());
    if (error == 0) {
      to.name = name;
      MutexSnapshot now;
      Status looked = look_at_mutex(names, now);
      if (looked.ok() && now.present && now.text.view() == mutex_text) return TryLock::held;
      drop_claim(to);
      if (!looked.ok()) return looked.error();
      return TryLock::busy;
    }
    if (error != EEXIST) return failure(name, error, "cannot be made");
    PathText other;
    MutexText maker;
    error = os::read_link(name.c_str(), other);
    if (error == ENOENT) return TryLock::busy;  // its maker has removed the mutex already
    if (error != 0 || !parse_mutex(other, maker)) return failure(name, Code::io, kNotAMutex);
    if (lives(maker.identity, by.boot, nullptr)) return TryLock::busy;
  }
  return TryLock::busy;
}

void drop_claim(Claim& claim) {
  if (!claim.name.empty()) os::remove_name(claim.name.c_str());
  claim.name.clear();
}

Result<TryLock> take_mutex(const LockNames& names, const MutexText& own, const ProcessIdentity& by,
                           const Instant& now) {
  const PathText text = format_mutex(own);
  for (int i = 0; i < kTries; ++i) {
    const int error = os::make_link(text.c_str(), names.mutex.c_str());
    if (error == 0) return TryLock::held;
    if (error != EEXIST) return failure(names.mutex, error, "cannot be made");
    MutexSnapshot mutex;
    if (Status looked = look_at_mutex(names, mutex); !looked.ok()) return looked.error();
    if (!mutex.present) continue;
    if (!over(mutex, now, by.boot, nullptr)) return TryLock::busy;
    Claim claim;
    Result<TryLock> claimed = claim_removal(names, mutex.text, by, claim);
    if (!claimed.ok() || claimed.value() == TryLock::busy) return claimed;
    const int failed = os::remove_name(names.mutex.c_str());
    drop_claim(claim);
    if (failed != 0 && failed != ENOENT)
      return failure(names.mutex, failed, "is left over and cannot be removed");
  }
  return TryLock::busy;
}

void leave_mutex(const LockNames& names, const MutexText& own) {
  MutexSnapshot mutex;
  if (look_at_mutex(names, mutex).ok() && mutex.present &&
      mutex.text.view() == format_mutex(own).view()) {
    os::remove_name(names.mutex.c_str());
  }
}

}  // namespace atmost::symlink

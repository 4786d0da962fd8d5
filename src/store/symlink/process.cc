#include "process.h"

#include <cerrno>

#include "core/words.h"
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

}  // namespace atmost::symlink

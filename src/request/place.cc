#include "core/parse.h"

#include "core/schemes.h"

namespace atmost {
namespace {

// A host name becomes a directory: it must not lead out of its parent or be hidden.
Status check_host(std::string_view host) {
  if (!host.empty() && host[0] != '.' && host.find('/') == std::string_view::npos) return {};
  Error error = error_of(Code::usage, 0, "this machine calls itself \"");
  error.message.append(host).append("\", which is not a name for a directory: use --host NAME");
  return error;
}

Error too_long() {
  return error_of(Code::usage, 0,
                  "the lock directory's path is too long: use --dir with a shorter one");
}

Status keep(std::span<const std::string_view> parts, Arena& texts, TextView& to) {
  if (texts.keep(parts, to)) return {};
  return error_of(Code::internal, 0, "out of memory");
}

// The lock directory in parts, which `around` lends.
Result<PathParts> directory_parts(const NamingContext& around) {
  const auto checked = [](const PathParts& parts, std::string_view what) -> Result<PathParts> {
    if (parts.size() <= PathText::capacity()) return parts;
    Error error = error_of(Code::usage, 0, what);
    error.message.append(" too long a path: use at most 4095 bytes");
    return error;
  };
  if (!around.option_dir.empty()) return checked({.directory = around.option_dir}, "--dir:");
  if (!around.atmost_dir.empty()) {
    // A relative path would be another directory wherever a job happens to start.
    if (around.atmost_dir[0] != '/') {
      return error_of(Code::usage, 0,
                      "$ATMOST_DIR is not an absolute path: begin it with /, or use --dir");
    }
    return checked({.directory = around.atmost_dir}, "$ATMOST_DIR is");
  }
  if (around.root) return PathParts{.directory = "/var/lib/atmost"};
  if (const Status host = check_host(around.host); !host.ok()) return host.error();
  PathParts own{.below = "atmost", .host = around.host};
  // The XDG base directory specification: a relative path is to be ignored.
  if (!around.state_home.empty() && around.state_home[0] == '/') {
    own.directory = around.state_home;
  } else if (!around.home.empty() && around.home[0] == '/') {
    own.directory = around.home;
    own.below = ".local/state/atmost";
  } else {
    return error_of(Code::usage, 0,
                    "there is no place for named locks, as $HOME is not set: use --dir DIR, "
                    "$ATMOST_DIR, or a path");
  }
  if (own.size() > PathText::capacity()) return too_long();
  return own;
}

// The file name of a name or an atom.
Result<Text<255>> canonical(std::string_view lock, LockForm form, std::string_view host) {
  if (form != LockForm::atom) return canonical_name(lock);
  const std::size_t colon = lock.find(':');
  return canonical_atom({lock.data(), colon}, {lock.data() + colon + 1, lock.size() - colon - 1},
                        host);
}

}  // namespace

Status keep_path(const PathParts& path, Arena& texts, TextView& to) {
  if (path.size() > PathText::capacity()) return too_long();
  std::string_view parts[8];
  std::size_t count = 0;
  path.for_each([&](std::string_view between, std::string_view part) {
    parts[count++] = between;
    parts[count++] = part;
  });
  return keep({parts, count}, texts, to);
}

Status keep_name(std::string_view name, Arena& texts, LockSpec& to) {
  const std::string_view cut(name.data(), name.size() < kNameMost ? name.size() : kNameMost);
  return keep({&cut, 1}, texts, to.name);
}

Status lock_directory(const NamingContext& around, PathText& to) {
  const Result<PathParts> found = directory_parts(around);
  if (!found.ok()) return found.error();
  found.value().join(to);
  return {};
}

Status place_lock(std::string_view lock, const NamingContext& around, Arena& texts, LockSpec& to,
                  bool& named) {
  const Result<LockForm> form = classify_lock(lock);
  if (!form.ok()) return form.error();
  if (Status kept = keep_name(lock, texts, to); !kept.ok()) return kept;
  named = form.value() != LockForm::path;
  if (!named) return keep_path({.directory = lock}, texts, to.path);
  Result<PathParts> path = directory_parts(around);
  if (!path.ok()) return path.error();
  const Result<Text<255>> file = canonical(lock, form.value(), around.host);
  if (!file.ok()) return file.error();
  path.value().file = file.value();
  return keep_path(path.value(), texts, to.path);
}

bool is_fleet(std::string_view store) {
  const Scheme* scheme = scheme_of(store);
  if (scheme == nullptr || scheme->traits.has_path) return false;
  const std::size_t colon = store.find(':');
  return scheme->directory ? store.size() > colon + 1 && store[colon + 1] == '/'
                           : store.find("://") != std::string_view::npos;
}

Status check_store(std::string_view text) {
  const Scheme* known = scheme_of(text);
  if (known != nullptr && known->traits.has_path && text.size() == known->name.size() + 1)
    return {};
  // A path may have any characters, and is not secret.
  if (known != nullptr && known->directory) {
    if (is_fleet(text)) return {};
    return error_of(Code::usage, 0,
                    "names no directory by its whole path: use shared:/DIRECTORY, on NFS");
  }
  const Error secret =
      error_of(Code::usage, 0, "holds a password, which others could see: leave it out of the URL");
  const std::size_t separator = text.find("://");
  if (separator != std::string_view::npos) {
    // USER:PASSWORD@HOST: every user can see arguments with ps, and children inherit the
    // environment.
    const std::string_view rest{text.data() + separator + 3, text.size() - separator - 3};
    const std::size_t at = rest.find('@');
    if (at != std::string_view::npos && rest.find(':') < at) {
      return secret;
    }
    if (text.find("password=") != std::string_view::npos) return secret;
    if (is_fleet(text)) return {};
  }
  Error error = error_of(Code::usage, 0, "is not a store: use ");
  const Scheme* const last = &kSchemes[sizeof kSchemes / sizeof kSchemes[0] - 1];
  for (const Scheme& scheme : kSchemes) {
    if (&scheme != kSchemes) error.message.append(&scheme == last ? " or " : ", ");
    error.message.append(scheme.form);
  }
  return error;
}

Result<PathParts> fleet_log(const NamingContext& around) {
  Result<PathParts> log = directory_parts(around);
  if (!log.ok()) return log;
  log.value().file = "history.jsonl";
  if (log.value().size() > PathText::capacity()) return too_long();
  return log;
}

Result<PathParts> own_log(const NamingContext& around) {
  NamingContext own = around;
  own.option_dir = {};
  return fleet_log(own);
}

Status place_fleet_lock(std::string_view lock, std::string_view store, std::string_view host,
                        Arena& texts, LockSpec& to) {
  const Result<LockForm> form = classify_lock(lock);
  if (!form.ok()) return form.error();
  if (form.value() == LockForm::path) {
    Error error = error_of(Code::usage, 0, "\"");
    error.message.append(lock).append(
        "\" is a path, which means nothing on other machines: use a name or operator:operand");
    return error;
  }
  const Result<Text<255>> key = canonical(lock, form.value(), host);
  if (!key.ok()) return key.error();
  if (Status kept = keep_name(lock, texts, to); !kept.ok()) return kept;
  return keep_path({.directory = store, .file = key.value()}, texts, to.path);
}

}  // namespace atmost

// atmost limit
#include "core/json_line.h"
#include "core/limiter.h"
#include "core/parse.h"
#include "core/words.h"
#include "options/table.h"
#include "os/file.h"
#include "os/host.h"
#include "output.h"
#include "report.h"
#include "subcommands.h"
#include "unknown_lock.h"

namespace atmost::cli {
namespace {

// More than a record may have (31 KiB of names).
constinit Text<32 * 1024> names;

// Prints it only when all of it is known.
class Shown final : public LockVisitor {
 public:
  void holder(const HolderView&) override {}
  void waiter(const WaiterView&) override {}
  void header(const Header& header) override {
    if (header.limit == nullptr) return;
    limit = *header.limit;
    names.assign(limit.names);
  }

  RecordedLimit limit;
};

int show(const Invocation& invocation) {
  Shown shown;
  const LockSpec& lock = invocation.request.locks[0];
  const Result<std::uint32_t> seen = invocation.locks->inspect(lock, now(), &shown);
  if (!seen.ok()) return fail(seen.error(), invocation, 1);
  warn_if_unknown(invocation, lock);
  shown.limit.names = names;
  const Text<200> words = recorded_words(shown.limit);
  Output to(1);
  if (invocation.json) {
    static char room[2 * sizeof names];
    JsonLine line(room);
    line.text("lock", lock.name);
    shown.limit.max > 0 ? line.number("max", shown.limit.max) : line.null("max");
    to.text(line.text("limit", words).text("names", names).finish());
  } else {
    to.escaped(lock.name).text(": ").text(words).text("\n");
  }
  return finish(to);
}

Status read_file(const char* path, Text<32 * 1024>& to) {
  static char room[32 * 1024];
  os::Fd file;
  std::size_t size = 0;
  int error = os::open_to_read(path, file);
  if (error == 0) error = os::read_at(file.get(), room, sizeof room, 0, size);
  if (error == 0) {
    to.assign({room, size});
    return {};
  }
  Error failed = error_of(Code::usage, error, "--names: ");
  failed.message.append(path).append(": ").append(errno_words(error));
  return failed;
}

// Lines of a file, and names between commas, are all names.
Status take_names(const Invocation& invocation, LimitChange& change) {
  change.names_given = given(invocation, "names");
  if (!change.names_given) return {};
  static Text<32 * 1024> typed;
  const std::string_view option = invocation.names;
  typed.assign(option);
  const bool in_file = option.starts_with('@');
  if (in_file) {
    if (Status read = read_file(option.data() + 1, typed); !read.ok()) return read;
  }
  if (typed.size() == typed.capacity())
    return error_of(Code::usage, 0, "--names: too long: use at most 31 KiB of names");
  std::string_view rest = typed.view();
  while (in_file && !rest.empty() && (rest.back() == '\n' || rest.back() == '\r'))
    rest.remove_suffix(1);
  for (const char c : rest) {
    if (c != '\r') names.push(c == '\n' ? ',' : c);
  }
  change.names = names;
  return {};
}

// The N of the record: a part of the processors is computed now.
Status take_max(const Invocation& invocation, LimitChange& change) {
  if (invocation.operand_count < 2) return {};
  const std::string_view typed = invocation.operands[1];
  const Result<std::uint32_t> max = parse_max(typed, invocation.processors);
  Error error = error_of(Code::usage, 0, "N: ");
  if (!max.ok()) {
    error.message.append(max.error().message);
    return error;
  }
  change.max = max.value();
  if (change.max > 0) return {};
  error.message.append("0 admits nobody: atmost drain ").append(invocation.operands[0]);
  error.message.append(" does that, until atmost resume");
  return error;
}

Status take_change(const Invocation& invocation, LimitChange& change) {
  change.clears = invocation.clear;
  change.rate_count = invocation.rate_count;
  for (std::uint32_t i = 0; i < change.rate_count; ++i) change.rates[i] = invocation.rates[i];
  if (Status taken = take_names(invocation, change); !taken.ok()) return taken;
  return take_max(invocation, change);
}

int change_to(const LimitChange& change, Invocation& invocation) {
  const LockSpec& lock = invocation.request.locks[0];
  Narrator narrator(invocation);
  const Status set = set_limit(*invocation.locks, invocation.request, change, &narrator);
  if (!set.ok()) return fail(set.error(), invocation, 1);
  if (change.from->empty()) warn_if_unknown(invocation, lock);
  if (!invocation.verbose || change.to->empty()) return 0;
  Text<700> words(lock.name);
  words.append(": limit of record ").append(*change.to).append(", was ").append(*change.from);
  complain(words);
  return 0;
}

}  // namespace

int limit_command(Invocation& invocation) {
  LimitChange change;
  Text<200> from;
  Text<200> to;
  change.from = &from;
  change.to = &to;
  Status taken = take_change(invocation, change);
  if (taken.ok()) taken = take_lock(invocation, true);
  if (!taken.ok()) {
    complain(taken.error());
    return static_cast<int>(taken.error().code);
  }
  const bool changes =
      change.clears || change.max > 0 || change.rate_count > 0 || change.names_given;
  return changes ? change_to(change, invocation) : show(invocation);
}

}  // namespace atmost::cli

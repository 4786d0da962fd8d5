#include "values.h"

#include "core/parse.h"
#include "core/place.h"
#include "core/words.h"

namespace atmost::cli {
namespace {

// Options that are durations, and where "auto" is noted for those that know it.
struct DurationField {
  Id id;
  Duration Request::*field;
  bool Request::*automatic;
};
constexpr DurationField kDurations[] = {
    {Id::wait, &Request::wait, nullptr},
    {Id::if_elapsed, &Request::if_elapsed, &Request::if_elapsed_auto},
    {Id::expire_after, &Request::expire_after, &Request::expire_auto},
    {Id::max_runtime, &Request::max_runtime, &Request::max_runtime_auto},
    {Id::kill_grace, &Request::kill_grace, nullptr},
    {Id::splay, &Request::splay, nullptr},
    {Id::ttl, &Request::ttl, nullptr},
};

struct FlagField {
  Id id;
  bool Invocation::*field;
};
constexpr FlagField kFlags[] = {
    {Id::shared, &Invocation::shared},   {Id::exclusive, &Invocation::exclusive},
    {Id::watch, &Invocation::watch},     {Id::json, &Invocation::json},
    {Id::quiet, &Invocation::quiet},     {Id::verbose, &Invocation::verbose},
    {Id::overdue, &Invocation::overdue}, {Id::dry_run, &Invocation::dry_run},
    {Id::help, &Invocation::help},       {Id::version, &Invocation::version},
};

template <class E>
struct Choice {
  std::string_view name;
  E value;
};
constexpr Choice<OnBusy> kOnBusy[] = {{"fail", OnBusy::fail},
                                      {"skip", OnBusy::skip},
                                      {"replace", OnBusy::replace},
                                      {"join", OnBusy::join}};
constexpr Choice<OnTooSoon> kOnTooSoon[] = {
    {"fail", OnTooSoon::fail}, {"skip", OnTooSoon::skip}, {"wait", OnTooSoon::wait}};
constexpr Choice<ElapsedFrom> kElapsedFrom[] = {{"start", ElapsedFrom::start},
                                                {"finish", ElapsedFrom::finish},
                                                {"success", ElapsedFrom::success}};
constexpr Choice<Until> kUntil[] = {
    {"main", Until::main}, {"tree", Until::tree}, {"close", Until::close}};
constexpr Choice<OnLost> kOnLost[] = {{"stop", OnLost::stop}, {"warn", OnLost::warn}};

Error quoted(std::string_view text, std::string_view rest) {
  Error error = error_of(Code::usage, 0, "\"");
  const std::size_t shown = whole_characters(text, 120);
  error.message.append({text.data(), shown})
      .append(shown < text.size() ? "...\" " : "\" ")
      .append(rest);
  return error;
}

template <class E, std::size_t N>
Status choose(std::string_view value, const Choice<E> (&choices)[N], E& to) {
  for (const Choice<E>& choice : choices) {
    if (choice.name == value) {
      to = choice.value;
      return {};
    }
  }
  Error error = quoted(value, "is none of ");
  for (std::size_t i = 0; i < N; ++i)
    error.message.append(i > 0 ? ", " : "").append(choices[i].name);
  return error;
}

template <class N>
Status count(std::string_view value, std::uint64_t low, std::uint64_t high, N& to) {
  const Result<std::uint64_t> number = parse_count(value, low, high);
  if (!number.ok()) return number.error();
  to = static_cast<N>(number.value());
  return {};
}

Status duration(std::string_view value, const DurationField& where, Request& request) {
  const bool automatic = where.automatic != nullptr && value == "auto";
  if (where.automatic != nullptr) request.*where.automatic = automatic;
  if (automatic) {  // what an earlier one said is not to count
    request.*where.field = where.id == Id::expire_after ? Duration::forever() : Duration{};
    return {};
  }
  const Result<Duration> span = parse_duration(value);
  if (!span.ok()) return span.error();
  request.*where.field = span.value();
  return {};
}

Status bound(std::string_view value, Duration& to) {
  const Result<Duration> span = parse_duration(value);
  if (!span.ok()) return span.error();
  if (span.value().is_zero()) return error_of(Code::usage, 0, "use more than 0");
  to = span.value();
  return {};
}

Status risk(std::string_view value, std::uint32_t& to) {
  const Result<std::uint32_t> ppm = parse_risk(value);
  if (!ppm.ok()) return ppm.error();
  to = ppm.value();
  return {};
}

Status no_empty(std::string_view value, std::string_view what, std::string_view& to) {
  if (value.empty()) return error_of(Code::usage, 0, what);
  to = value;
  return {};
}

Status store_host(std::string_view value, std::string_view& to) {
  // It becomes a directory, and a part of file names.
  if (value.empty() || value.size() > 200 || value[0] == '.' ||
      value.find('/') != std::string_view::npos) {
    return quoted(
        value, "is not a host's name: use one without slashes or a leading dot, up to 200 bytes");
  }
  to = value;
  return {};
}

Status store_id(std::string_view value, Text<63>& to) {
  if (value.size() > Text<63>::capacity())
    return quoted(value, "is too long: use at most 63 bytes");
  to = Text<63>(value);
  return {};
}

Status store_also(std::string_view value, Invocation& to) {
  constexpr unsigned kRoom = sizeof to.also / sizeof to.also[0];
  if (to.also_count == kRoom)
    return error_of(Code::usage, 0, "too many: at most 16 locks can be taken together");
  to.also[to.also_count++] = value;
  return {};
}

Status store_now(std::string_view value, Request& request) {
  const Result<std::int64_t> moment = parse_epoch(value);
  if (!moment.ok()) return moment.error();
  request.now_given = true;
  request.now_real_ns = moment.value();
  return {};
}

Status store_log(std::string_view value, PathText& to) {
  if (value.empty()) return error_of(Code::usage, 0, "the file has no name");
  to = PathText(value);
  if (to.truncated()) return error_of(Code::usage, 0, "too long a path: use at most 4095 bytes");
  return {};
}

Status store_mode(std::string_view value, Request& request) {
  const Result<unsigned> mode = parse_mode(value);
  if (!mode.ok()) return mode.error();
  request.create_mode = mode.value();
  request.mode_given = true;
  return {};
}

// Options whose values are numbers, texts or choices of their own.
Status store_other(Id id, std::string_view value, Invocation& to) {
  constexpr std::uint64_t kMostDescriptor = 1'048'575;  // fs.nr_open's default, proc(5)
  switch (id) {
    case Id::max:
      to.max_given = true;
      return count(value, 0, kMaxSlots, to.request.locks[0].max);
    case Id::take:
      to.take_given = true;
      return count(value, 1, kMaxTake, to.request.locks[0].take);
    case Id::on_busy:
      return choose(value, kOnBusy, to.request.on_busy);
    case Id::on_too_soon:
      return choose(value, kOnTooSoon, to.request.on_too_soon);
    case Id::elapsed_from:
      return choose(value, kElapsedFrom, to.request.elapsed_from);
    case Id::until:
      to.until_given = true;
      return choose(value, kUntil, to.request.until);
    case Id::also:
      return store_also(value, to);
    case Id::now:
      return store_now(value, to.request);
    case Id::id:
      return store_id(value, to.request.id);
    case Id::mode:
      return store_mode(value, to.request);
    case Id::on_lost:
      to.on_lost_given = true;
      return choose(value, kOnLost, to.request.on_lost);
    case Id::auto_min:
      return bound(value, to.request.learned.low);
    case Id::auto_max:
      return bound(value, to.request.learned.high);
    case Id::auto_risk:
      return risk(value, to.request.learned.risk_ppm);
    case Id::alert_after:
      return count(value, 1, UINT32_MAX, to.request.alert_after);
    case Id::log:
      return store_log(value, to.request.log_path);
    case Id::busy_exit_code:
      return count(value, 0, 255, to.busy_exit_code);
    case Id::status_fd:
      return count(value, 0, kMostDescriptor, to.status_fd);
    case Id::for_pid:
      return count(value, 1, INT32_MAX, to.for_pid);
    case Id::slot:
      return count(value, 1, kMaxSlots, to.slot);
    case Id::keeper_to:
      return no_empty(value, "the file has no name", to.keeper_to);
    case Id::store:
      to.store = value;
      return check_store(value);
    case Id::dir:
      return no_empty(value, "the directory has no name", to.dir);
    case Id::host:
      return store_host(value, to.host);
    default:
      return {};
  }
}

}  // namespace

Status store_value(Id id, std::string_view value, Invocation& to) {
  for (const DurationField& field : kDurations) {
    if (field.id != id) continue;
    if (id == Id::wait) to.wait_given = true;
    if (id == Id::ttl) to.ttl_given = true;
    return duration(value, field, to.request);
  }
  for (const FlagField& flag : kFlags) {
    if (flag.id != id) continue;
    to.*flag.field = true;
    return {};
  }
  if (id == Id::exec) to.request.exec = true;
  if (id == Id::close) to.request.close_fd = true;
  if (id == Id::trust_fs) to.request.trust_fs = true;
  if (id == Id::with_flock) to.request.with_flock = true;
  if (id == Id::no_memory) to.request.no_memory = true;
  if (id == Id::no_history) to.request.no_history = true;
  if (id == Id::log_args) to.request.log_args = true;
  return store_other(id, value, to);
}

}  // namespace atmost::cli

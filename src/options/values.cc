#include "values.h"

#include "core/limiter.h"
#include "core/parse.h"
#include "core/words.h"

namespace atmost::options {
namespace {

bool is_variable_name(std::string_view name) {
  const auto letter = [](char c) {
    return c == '_' || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  if (name.empty() || name.size() > 255 || !letter(name[0])) return false;
  for (char c : name) {
    if (!letter(c) && (c < '0' || c > '9')) return false;
  }
  return true;
}

}  // namespace

Status read_switch(std::string_view value, bool& to) {
  to = value.empty() || value == "true";
  return to || value == "false" ? Status{} : quoted(value, "is neither true nor false");
}

Status read_duration(std::string_view value, Duration& to) {
  return take(parse_duration(value), to);
}

Status read_limit(std::string_view value, Duration& to, bool& automatic, Duration without) {
  automatic = value == "auto";
  if (!automatic) return read_duration(value, to);
  to = without;  // an earlier value of the option does not count
  return {};
}

Status read_bound(std::string_view value, Duration& to) {
  const Status read = read_duration(value, to);
  return read.ok() && to.is_zero() ? error_of(Code::usage, 0, "use more than 0") : read;
}

Status read_kept(std::string_view value, std::uint32_t& to) {
  constexpr std::int64_t kMillisecond = 1'000'000;
  Duration kept{};
  if (const Status read = read_duration(value, kept); !read.ok()) return read;
  if (kept > Duration::seconds(3600))
    return error_of(Code::usage, 0, "so long a place would be in others' way: use at most 1h");
  to = static_cast<std::uint32_t>(kept.ns / kMillisecond);
  return {};
}

Status read_eta(std::string_view value, Duration& to) {
  if (const Status read = read_bound(value, to); !read.ok()) return read;
  return to > kLongestEta ? error_of(Code::usage, 0, "use at most 24d") : Status{};
}

Status read_size(std::string_view value, std::int64_t& to) {
  return take(parse_output_size(value), to);
}

Status read_command(std::string_view value, std::string_view& to) {
  to = value;
  return check_notify(value);
}

Status read_ping(std::string_view value, Settings& to) {
  const Status read = parse_ping(value, to.ping_kept);
  to.request.ping = to.ping_kept;
  return read;
}

Status read_progress(std::string_view value, Progress& to) {
  constexpr Choice<Progress> kProgress[] = {{"auto", Progress::automatic},
                                            {"lines", Progress::lines}};
  return read_choice(value, kProgress, to);
}

Status read_on_busy(std::string_view value, OnBusy& to) {
  static constexpr Choice<OnBusy> kOnBusy[] = {{"fail", OnBusy::fail},
                                               {"skip", OnBusy::skip},
                                               {"replace", OnBusy::replace},
                                               {"join", OnBusy::join},
                                               {"supersede", OnBusy::supersede}};
  const Status read = read_choice(value, kOnBusy, to);
  if (read.ok()) return read;
  Error error = read.error();
  // The actions are for after the wait.
  if (value == "wait" || value == "block" || value == "queue")
    error.message.append("; --wait sets how long to wait for admission");
  if (value == "kill" || value == "stop")
    error.message.append("; the action that stops the oldest holder is replace");
  return error;
}

Status read_occasions(std::string_view value, std::uint8_t& to) {
  to = 0;
  for (bool last = false; !last;) {
    const std::size_t end = value.find(',');
    last = end == value.npos;
    const std::string_view word{value.data(), last ? value.size() : end};
    std::uint8_t one = 0;
    if (const Status known = read_choice(word, kOccasionNames, one); !known.ok()) return known;
    to |= one;
    if (!last) value.remove_prefix(end + 1);
  }
  return {};
}

Status read_risk(std::string_view value, std::uint32_t& to) { return take(parse_risk(value), to); }

Status read_name(std::string_view value, std::string_view what, std::string_view& to) {
  if (value.empty()) return error_of(Code::usage, 0, what);
  to = value;
  return {};
}

Status read_host(std::string_view value, std::string_view& to) {
  // It becomes a directory, and a part of file names.
  if (value.empty() || value.size() > 200 || value[0] == '.' ||
      value.find('/') != std::string_view::npos) {
    return quoted(
        value, "is not a host's name: use one without slashes or a leading dot, up to 200 bytes");
  }
  to = value;
  return {};
}

Status read_id(std::string_view value, bool cut, Text<63>& to) {
  const std::size_t most = Text<63>::capacity();
  if (value.size() > most && !cut) return quoted(value, "is too long: use at most 63 bytes");
  to = Text<63>(std::string_view(value.data(), whole_characters(value, most)));
  return {};
}

// For a caller the last one counts, for a limit of record all of them.
Status read_rate(std::string_view value, Settings& to) {
  const Status read = take(parse_rate(value), to.request.rate);
  if (read.ok() && to.rate_count < kMostRates) to.rates[to.rate_count] = to.request.rate;
  if (read.ok()) ++to.rate_count;
  return read;
}

Status read_caller(std::string_view value, Caller& to) {
  constexpr std::uint64_t kHighestPid = 4'194'304;  // PID_MAX_LIMIT, proc(5)
  if (value == "parent") {
    to = {.which = Caller::Which::parent};
    return {};
  }
  const std::size_t colon = value.find(':');
  const bool with_start = colon != std::string_view::npos;
  const Result<std::uint64_t> pid =
      parse_count({value.data(), with_start ? colon : value.size()}, 1, kHighestPid);
  if (!pid.ok()) return quoted(value, "names no process: use PID, PID:STARTTIME or parent");
  to = {.which = Caller::Which::process, .pid = static_cast<std::int64_t>(pid.value())};
  if (!with_start) return {};
  std::string_view rest = value;
  rest.remove_prefix(colon + 1);
  const Result<std::uint64_t> start = parse_count(rest, 1, INT64_MAX / 10'000'000);
  if (!start.ok())
    return quoted(value, "has no start time behind the colon: it is field 22 of /proc/PID/stat");
  to.start_ticks = static_cast<std::int64_t>(start.value());
  return {};
}

Status read_also(std::string_view value, Settings& to) {
  constexpr unsigned kRoom = sizeof to.also / sizeof to.also[0];
  if (to.also_count == kRoom)
    return error_of(Code::usage, 0, "too many: at most 16 locks can be taken together");
  Settings::Also one;
  // The text before the @ is a limit only if it is a number: a@b is a name like any other.
  const std::size_t at = value.find('@');
  const std::string_view limit{value.data(), at == value.npos ? 0 : at};
  if (!limit.empty() && limit.find_first_not_of("0123456789") == limit.npos) {
    if (const Status read = read_count(limit, 0, kMaxSlots, one.max); !read.ok()) return read;
    one.max_given = true;
    value.remove_prefix(at + 1);
  }
  one.lock = value;
  to.also[to.also_count++] = one;
  return {};
}

Status read_now(std::string_view value, Settings& to) {
  to.request.now_given = true;
  return take(parse_epoch(value), to.request.now_real_ns);
}

Status read_log(std::string_view value, PathParts& to) {
  if (value.empty()) return error_of(Code::usage, 0, "the file has no name");
  to = {.directory = value};
  if (value.size() > PathText::capacity())
    return error_of(Code::usage, 0, "too long a path: use at most 4095 bytes");
  return {};
}

Status read_variable(std::string_view value, Settings& to) {
  Request& request = to.request;
  static constexpr Choice<Told> kTold[] = {{"slot", Told::slot},       {"slots", Told::slots},
                                           {"indices", Told::indices}, {"token", Told::token},
                                           {"lock", Told::lock},       {"name", Told::name},
                                           {"names", Told::names}};
  constexpr std::uint64_t kMostBase = 1'000'000'000;
  const std::size_t equals = value.find('=');
  if (equals == std::string_view::npos)
    return quoted(
        value,
        "is not NAME=WHAT, where WHAT is slot, slot+BASE, slots, indices, token, lock, name or "
        "names");
  OwnVariable variable = {{value.data(), equals}};
  if (!is_variable_name(variable.name)) {
    return quoted(
        variable.name,
        "is not a variable's name: use at most 255 letters, digits and _, no digit first");
  }
  if (variable.name.starts_with("ATMOST_"))
    return quoted(variable.name, "belongs to atmost: use a name without ATMOST_");
  const std::string_view what(value.data() + equals + 1, value.size() - equals - 1);
  // slot+BASE, a port of each slot for instance.
  if (what.find("slot+") == 0) {
    const std::string_view base(what.data() + 5, what.size() - 5);
    if (Status read = read_count(base, 0, kMostBase, variable.base); !read.ok()) return read;
  } else if (Status read = read_choice(what, kTold, variable.what); !read.ok()) {
    return read;
  }
  std::uint32_t at = 0;
  while (at < request.variable_count && request.variables[at].name != variable.name) ++at;
  if (at == kMaxOwnVariables) return error_of(Code::usage, 0, "too many variables: use at most 8");
  request.variables[at] = variable;
  if (at == request.variable_count) ++request.variable_count;
  return {};
}

Status read_mode(std::string_view value, Settings& to) {
  to.request.mode_given = true;
  return take(parse_mode(value), to.request.create_mode);
}

}  // namespace atmost::options

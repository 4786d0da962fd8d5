#include "values.h"

#include "core/limiter.h"
#include "core/parse.h"
#include "core/words.h"

namespace atmost::cli {
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

Error quoted(std::string_view text, std::string_view rest) {
  Error error = error_of(Code::usage, 0, "\"");
  const std::size_t shown = whole_characters(text, 120);
  error.message.append({text.data(), shown})
      .append(shown < text.size() ? "...\" " : "\" ")
      .append(rest);
  return error;
}

Status read_duration(std::string_view value, Duration& to) {
  const Result<Duration> span = parse_duration(value);
  if (!span.ok()) return span.error();
  to = span.value();
  return {};
}

Status read_limit(std::string_view value, Duration& to, bool& automatic, Duration without) {
  automatic = value == "auto";
  if (!automatic) return read_duration(value, to);
  to = without;  // an earlier value of the option does not count
  return {};
}

Status read_bound(std::string_view value, Duration& to) {
  const Result<Duration> span = parse_duration(value);
  if (!span.ok()) return span.error();
  if (span.value().is_zero()) return error_of(Code::usage, 0, "use more than 0");
  to = span.value();
  return {};
}

Status read_eta(std::string_view value, Duration& to) {
  if (const Status read = read_bound(value, to); !read.ok()) return read;
  return to > kLongestEta ? error_of(Code::usage, 0, "use at most 24d") : Status{};
}

Status read_size(std::string_view value, std::int64_t& to) {
  const Result<std::int64_t> size = parse_output_size(value);
  if (!size.ok()) return size.error();
  to = size.value();
  return {};
}

Status read_command(std::string_view value, std::string_view& to) {
  to = value;
  return check_notify(value);
}

Status read_ping(std::string_view value, Invocation& to) {
  const Status read = parse_ping(value, to.ping);
  to.request.ping = to.ping;
  return read;
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

Status read_risk(std::string_view value, std::uint32_t& to) {
  const Result<std::uint32_t> ppm = parse_risk(value);
  if (!ppm.ok()) return ppm.error();
  to = ppm.value();
  return {};
}

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

Status read_id(std::string_view value, Text<63>& to) {
  if (value.size() > Text<63>::capacity())
    return quoted(value, "is too long: use at most 63 bytes");
  to = Text<63>(value);
  return {};
}

Status read_rate(std::string_view value, Rate& to) {
  const Result<Rate> rate = parse_rate(value);
  if (!rate.ok()) return rate.error();
  to = rate.value();
  return {};
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

Status read_also(std::string_view value, Invocation& to) {
  constexpr unsigned kRoom = sizeof to.also / sizeof to.also[0];
  if (to.also_count == kRoom)
    return error_of(Code::usage, 0, "too many: at most 16 locks can be taken together");
  to.also[to.also_count++] = value;
  return {};
}

Status read_now(std::string_view value, Request& request) {
  const Result<std::int64_t> moment = parse_epoch(value);
  if (!moment.ok()) return moment.error();
  request.now_given = true;
  request.now_real_ns = moment.value();
  return {};
}

Status read_log(std::string_view value, PathParts& to) {
  if (value.empty()) return error_of(Code::usage, 0, "the file has no name");
  to = {.directory = value};
  if (value.size() > PathText::capacity())
    return error_of(Code::usage, 0, "too long a path: use at most 4095 bytes");
  return {};
}

Status read_variable(std::string_view value, Request& request) {
  static constexpr Choice<Told> kTold[] = {{"slot", Told::slot},
                                           {"slots", Told::slots},
                                           {"indices", Told::indices},
                                           {"token", Told::token},
                                           {"lock", Told::lock}};
  const std::size_t equals = value.find('=');
  if (equals == std::string_view::npos)
    return quoted(value, "is not NAME=WHAT, where WHAT is slot, slots, indices, token or lock");
  OwnVariable variable = {{value.data(), equals}};
  if (!is_variable_name(variable.name)) {
    return quoted(
        variable.name,
        "is not a variable's name: use at most 255 letters, digits and _, no digit first");
  }
  if (variable.name.starts_with("ATMOST_"))
    return quoted(variable.name, "belongs to atmost: use a name without ATMOST_");
  const std::string_view what(value.data() + equals + 1, value.size() - equals - 1);
  if (Status read = read_choice(what, kTold, variable.what); !read.ok()) return read;
  std::uint32_t at = 0;
  while (at < request.variable_count && request.variables[at].name != variable.name) ++at;
  if (at == kMaxOwnVariables) return error_of(Code::usage, 0, "too many variables: use at most 8");
  request.variables[at] = variable;
  if (at == request.variable_count) ++request.variable_count;
  return {};
}

Status read_mode(std::string_view value, Request& request) {
  const Result<unsigned> mode = parse_mode(value);
  if (!mode.ok()) return mode.error();
  request.create_mode = mode.value();
  request.mode_given = true;
  return {};
}

}  // namespace atmost::cli

// From an option's text to a field. No error names the option.
#ifndef ATMOST_CLI_VALUES_H
#define ATMOST_CLI_VALUES_H

#include "core/parse.h"
#include "invocation.h"
#include "suggest.h"

namespace atmost::cli {

// "\"TEXT\" REST", with a long text cut.
Error quoted(std::string_view text, std::string_view rest);

Status read_duration(std::string_view value, Duration& to);
// DUR or auto; for auto `to` becomes `without`.
Status read_limit(std::string_view value, Duration& to, bool& automatic, Duration without);
// K/DUR
Status read_rate(std::string_view value, Rate& to);
// More than 0.
Status read_bound(std::string_view value, Duration& to);
Status read_eta(std::string_view value, Duration& to);
// A number of bytes with K, M, G or T (powers of 1024); kLeastOutput at least.
Status read_size(std::string_view value, std::int64_t& to);
// A command for sh -c, which is borrowed.
Status read_command(std::string_view value, std::string_view& to);
// A URL or @FILE, of which a copy is kept.
Status read_ping(std::string_view value, Invocation& to);
// Words with commas between, as Occasions.
Status read_occasions(std::string_view value, std::uint8_t& to);
Status read_risk(std::string_view value, std::uint32_t& to);
// Any text that is not empty; `what` is the error for an empty one.
Status read_name(std::string_view value, std::string_view what, std::string_view& to);
Status read_host(std::string_view value, std::string_view& to);
Status read_id(std::string_view value, Text<63>& to);
Status read_also(std::string_view value, Invocation& to);
Status read_caller(std::string_view value, Caller& to);
Status read_now(std::string_view value, Request& request);
Status read_log(std::string_view value, PathParts& to);
// NAME=WHAT, what --env sets; a later one replaces an earlier one of that name.
Status read_variable(std::string_view value, Request& request);
Status read_mode(std::string_view value, Request& request);

template <class N>
Status read_count(std::string_view value, std::uint64_t low, std::uint64_t high, N& to) {
  const Result<std::uint64_t> number = parse_count(value, low, high);
  if (!number.ok()) return number.error();
  to = static_cast<N>(number.value());
  return {};
}

template <class E>
struct Choice {
  std::string_view name;
  E value;
};

// C has a name and a value, as Choice does.
template <class C, std::size_t N, class E>
Status read_choice(std::string_view value, const C (&choices)[N], E& to) {
  for (const C& choice : choices) {
    if (choice.name == value) {
      to = choice.value;
      return {};
    }
  }
  Error error = quoted(value, "is none of ");
  for (std::size_t i = 0; i < N; ++i)
    error.message.append(i > 0 ? ", " : "").append(choices[i].name);
  Nearest nearest(value);
  for (const C& choice : choices) nearest.consider(choice.name);
  append_meant(error, "", nearest.found());
  return error;
}

}  // namespace atmost::cli

#endif

// From an option's text to a field. No error names the option.
#ifndef ATMOST_OPTIONS_VALUES_H
#define ATMOST_OPTIONS_VALUES_H

#include "core/parse.h"
#include "settings.h"
#include "words.h"

namespace atmost::options {

// true, or nothing; false.
Status read_switch(std::string_view value, bool& to);
Status read_duration(std::string_view value, Duration& to);
// DUR or auto; for auto `to` becomes `without`.
Status read_limit(std::string_view value, Duration& to, bool& automatic, Duration without);
// K/DUR
Status read_rate(std::string_view value, Settings& to);
// Milliseconds, an hour at most.
Status read_kept(std::string_view value, std::uint32_t& to);
// More than 0.
Status read_bound(std::string_view value, Duration& to);
Status read_eta(std::string_view value, Duration& to);
// A number of bytes with K, M, G or T (powers of 1024); kLeastOutput at least.
Status read_size(std::string_view value, std::int64_t& to);
// A command for sh -c, which is borrowed.
Status read_command(std::string_view value, std::string_view& to);
// A URL or @FILE, of which a copy is kept; not the option's own text (Settings::ping).
Status read_ping(std::string_view value, Settings& to);
Status read_progress(std::string_view value, Progress& to);
Status read_on_busy(std::string_view value, OnBusy& to);
// Words with commas between, as Occasions.
Status read_occasions(std::string_view value, std::uint8_t& to);
Status read_risk(std::string_view value, std::uint32_t& to);
// Any text that is not empty; `what` is the error for an empty one.
Status read_name(std::string_view value, std::string_view what, std::string_view& to);
Status read_host(std::string_view value, std::string_view& to);
// `cut`: a longer text is cut; else it is an error.
Status read_id(std::string_view value, bool cut, Text<63>& to);
Status read_also(std::string_view value, Settings& to);
Status read_caller(std::string_view value, Caller& to);
Status read_now(std::string_view value, Settings& to);
Status read_log(std::string_view value, PathParts& to);
// NAME=WHAT, what --env sets; a later one replaces an earlier one of that name.
Status read_variable(std::string_view value, Settings& to);
Status read_mode(std::string_view value, Settings& to);

// The value of a parser, or its error.
template <class T, class N>
Status take(const Result<T>& read, N& to) {
  if (!read.ok()) return read.error();
  to = static_cast<N>(read.value());
  return {};
}

template <class N>
Status read_count(std::string_view value, std::uint64_t low, std::uint64_t high, N& to) {
  return take(parse_count(value, low, high), to);
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

// The words of some options.
inline constexpr Choice<bool> kClock[] = {{"pass", false}, {"atom", true}};
inline constexpr Choice<OnTooSoon> kOnTooSoon[] = {
    {"fail", OnTooSoon::fail}, {"skip", OnTooSoon::skip}, {"wait", OnTooSoon::wait}};
inline constexpr Choice<ElapsedFrom> kElapsedFrom[] = {{"start", ElapsedFrom::start},
                                                       {"finish", ElapsedFrom::finish},
                                                       {"success", ElapsedFrom::success}};
inline constexpr Choice<Until> kUntil[] = {
    {"main", Until::main}, {"tree", Until::tree}, {"close", Until::close}};
inline constexpr Choice<OnLost> kOnLost[] = {{"stop", OnLost::stop}, {"warn", OnLost::warn}};

inline constexpr Choice<Eviction> kMayBeKilled[] = {{"yes", Eviction::kill},
                                                    {"no", Eviction::none}};

inline constexpr Choice<OutputTo> kOutput[] = {
    {"show", OutputTo::show}, {"on-failure", OutputTo::on_failure}, {"tail", OutputTo::tail}};

}  // namespace atmost::options

#endif

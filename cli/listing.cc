#include "listing.h"

#include <cstddef>

#include "core/json_line.h"
#include "core/words.h"
#include "os/host.h"
#include "place.h"
#include "waiting_line.h"

namespace atmost::cli {
namespace {

constexpr Row kHeads = {{"LOCK", "SLOT", "STATE", "PID", "USER", "AGE", "EXPIRES", "ID", "COMMAND"},
                        Style::heads};

void write_known(JsonLine& to, std::string_view name, std::uint64_t value) {
  value != 0 ? to.number(name, value) : to.null(name);
}

bool is_here(std::string_view host) { return host.empty() || host == os::kept_host_name(); }

// The meaning of a user's number on another host is not known here.
Text<32> name_of(std::uint32_t user, std::string_view host) {
  if (is_here(host)) return user_name(user);
  Text<32> number;
  return number.append_unsigned(user);
}

bool is_stopped(char process_state) { return process_state == 'T' || process_state == 't'; }

template <std::size_t N>
void number_or_dash(Text<N>& to, std::uint64_t value) {
  if (value != 0) {
    to.append_unsigned(value);
  } else {
    to.push('-');
  }
}

}  // namespace

void Listing::heads() {
  if (shape_ == Shape::measure) table_.measure(kHeads);
  if (shape_ == Shape::table) table_.write(to_, kHeads);
  if (shape_ == Shape::plain) write_plain(to_, kHeads);
}

void Listing::begin(std::string_view lock) {
  lock_ = lock;
  queue_max_ = 0;
  position_ = 0;
  begun_ = true;
}

void Listing::header(const Header& header) {
  if (header.limit != nullptr) {
    Entry entry;
    entry.state = "limit";
    entry.limit = header.limit;
    entry.verified = true;
    show(entry);
  }
  if (!header.drained) return;
  Entry entry;
  entry.state = "drained";
  entry.verified = true;
  show(entry);
}

void Listing::drained_slot(std::uint32_t slot) {
  Entry entry;
  entry.state = "drained";
  entry.slot = slot;
  entry.verified = true;
  show(entry);
}

void Listing::holder(const HolderView& holder) {
  Entry entry;
  entry.state = holder.read_locked                 ? "read-locked"
                : holder.foreign_lock              ? "foreign"
                : is_stopped(holder.process_state) ? "stopped"
                : holder.kept_for != 0             ? "kept"
                                                   : "held";
  if (!holder.read_locked) ++totals_.held;
  entry.kept_for = holder.kept_for;
  entry.slot = holder.slot;
  entry.slots = holder.slots;
  entry.pid = holder.pid;
  entry.has_user = holder.has_record;
  entry.user = holder.uid;
  entry.host = holder.host;
  entry.start = holder.start;
  entry.expire_after = holder.expire_after;
  entry.token = holder.token;
  entry.id = holder.id;
  entry.command = holder.command;
  entry.verified = holder.verified;
  show(entry);
}

void Listing::waiter(const WaiterView& waiter) {
  position_ = waiter.max == queue_max_ ? position_ + 1 : 1;  // queues come one after another
  totals_.queues += position_ == 1 ? 1 : 0;
  totals_.max = waiter.max;
  ++totals_.waiting;
  queue_max_ = waiter.max;
  Entry entry;
  entry.state = "waiting";
  entry.position = position_;
  entry.max = waiter.max;
  entry.pid = waiter.pid;
  entry.has_user = waiter.pid > 0;
  entry.user = waiter.uid;
  entry.host = waiter.host;
  entry.start = waiter.start;
  entry.id = waiter.id;
  entry.command = waiter.command;
  show(entry);
}

void Listing::show(const Entry& entry) {
  any_ = true;
  totals_.locks += begun_ ? 1 : 0;
  begun_ = false;
  if (shape_ == Shape::json) {
    show_json(entry);
  } else {
    show_row(entry);
  }
}

std::string_view path_of_process(std::int64_t pid, std::string_view host, std::string_view command,
                                 std::span<char> room) {
  if (pid <= 0 || !is_here(host)) return {};
  return path_of_command(command_line(pid, room), command);
}

std::string_view Listing::path_of(const Entry& entry) {
  return path_of_process(entry.pid, entry.host, entry.command, words_);
}

// A start that lies in the future (a server's clock was set back) counts as just now.
std::int64_t Listing::age_of(const Entry& entry) const {
  const std::int64_t age = age_ns(entry.start, now_);
  return age < 0 ? 0 : age;
}

void Listing::show_row(const Entry& entry) {
  const std::int64_t age = age_of(entry);
  const bool known_age = entry.start.known;
  Text<1100> lock;
  Text<16> slot;
  Text<300> pid;
  Text<130> user;
  Text<32> age_words;
  Text<32> expires;
  Text<260> id;
  Text<1100> command;
  append_escaped(lock, lock_);
  if (entry.slots == kMaxSlots) {
    slot.append("all");
  } else {
    number_or_dash(slot, entry.slot);
    if (entry.slots > 1) slot.push('-').append_unsigned(entry.slot + entry.slots - 1);
  }
  number_or_dash(pid, static_cast<std::uint64_t>(entry.pid > 0 ? entry.pid : 0));
  const bool doubtful = entry.pid > 0 && !entry.verified && entry.position == 0;
  if (doubtful) pid.push('?');  // a hint that nothing confirms
  if (!entry.host.empty()) append_escaped(pid.push('@'), entry.host);
  if (entry.has_user) {
    append_escaped(user, name_of(entry.user, entry.host));
  } else {
    user.push('-');
  }
  age_words.append(known_age ? duration_words({age}).view() : "-");
  if (entry.expire_after.is_forever() || !known_age) {
    expires.push('-');
  } else {
    expires.append(age >= entry.expire_after.ns
                       ? "overdue"
                       : duration_words({entry.expire_after.ns - age}).view());
  }
  append_escaped(id, entry.id);
  const std::string_view path = path_of(entry);
  append_escaped(command, path.empty() ? entry.command : path);
  if (id.empty()) id.push('-');
  if (command.empty()) command.push('-');
  Text<48> state(entry.state);
  if (entry.limit != nullptr) command.assign(recorded_words(*entry.limit));
  if (entry.kept_for != 0) state.append(" for ").append_signed(entry.kept_for);
  const bool for_people = shape_ == Shape::measure || shape_ == Shape::table;
  if (for_people && entry.position != 0) state.append(" ").append(ordinal(entry.position));
  const bool late = known_age && !entry.expire_after.is_forever() && age >= entry.expire_after.ns;
  const Style style = late ? Style::alarming : entry.position != 0 ? Style::faint : Style::plain;
  Row row = {{lock, slot, state, pid, user, age_words, expires, id, command}, style};
  if (shape_ == Shape::measure) table_.measure(row);
  const bool written = ++rows_ <= most_rows_;
  doubted_ = doubted_ || (doubtful && written);
  if (shape_ == Shape::table && written) table_.write(to_, row);
  if (shape_ == Shape::plain) write_plain(to_, row);
}

void Listing::show_json(const Entry& entry) {
  const std::int64_t age = age_of(entry);
  char room[kJsonRoom];
  JsonLine to(room);
  to.text("lock", lock_);
  write_known(to, "slot", entry.slot);
  if (entry.slots > 1) to.number("slots", entry.slots);
  write_known(to, "pid", static_cast<std::uint64_t>(entry.pid > 0 ? entry.pid : 0));
  entry.has_user ? to.text("user", name_of(entry.user, entry.host)) : to.null("user");
  if (!entry.host.empty()) to.text("host", entry.host);
  const bool dated = entry.start.known && entry.start.real_ns >= 0;
  dated ? to.seconds("start", {entry.start.real_ns}) : to.null("start");
  entry.start.known ? to.seconds("age_s", {age}) : to.null("age_s");
  const bool ends = entry.start.known && !entry.expire_after.is_forever();
  ends ? to.seconds("expires_s", {entry.expire_after.ns - age}) : to.null("expires_s");
  write_known(to, "token", entry.token);
  to.text("id", entry.id).text("command", entry.command);
  to.word("state", entry.state).truth("verified", entry.verified);
  if (entry.kept_for != 0) write_known(to, "kept_for", static_cast<std::uint64_t>(entry.kept_for));
  if (entry.position != 0) {
    write_known(to, "position", entry.position);
    write_known(to, "max", entry.max);
  }
  if (entry.limit != nullptr) {
    to.number("max", entry.limit->max);
    to.text("limit", recorded_words(*entry.limit));
    if (!entry.limit->names.empty()) to.text("names", entry.limit->names);
  }
  if (const std::string_view path = path_of(entry); !path.empty()) to.text("path", path);
  to_.text(to.finish());
}

namespace {

// Takes the first word off; false when there is none. A last word that was cut has no NUL and does
// not count: its rest may be anything.
bool next_word(std::string_view& words, std::string_view& word) {
  const std::size_t end = words.find('\0');
  if (end >= words.size()) return false;
  word = {words.data(), end};
  words.remove_prefix(end + 1);
  return true;
}

// Records hold at most 63 bytes of a name.
bool is_labelled(std::string_view word, std::string_view label) {
  constexpr std::size_t kRecorded = 63;
  const std::string_view name = last_part(word);
  return name == label || (label.size() == kRecorded && name.starts_with(label));
}

bool may_be_secret(std::string_view word) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '=' || word[i] == '@') return true;
    if (std::string_view(word.data() + i, word.size() - i).starts_with("://")) return true;
  }
  return false;
}

// A version may follow: python3.11, perl5.36.
bool is_interpreter(std::string_view name) {
  constexpr std::string_view kKnown[] = {"sh",   "bash",   "dash",  "zsh",    "ksh",  "mksh",
                                         "fish", "python", "perl",  "ruby",   "node", "php",
                                         "lua",  "guile",  "tclsh", "Rscript"};
  while (!name.empty() && (name.back() == '.' || (name.back() >= '0' && name.back() <= '9')))
    name.remove_suffix(1);
  for (const std::string_view known : kKnown) {
    if (name == known) return true;
  }
  return false;
}

}  // namespace

std::string_view path_of_command(std::string_view words, std::string_view label) {
  std::string_view word;
  if (label.empty()) return {};
  do {
    if (!next_word(words, word)) return {};
  } while (!is_labelled(word, label));
  // A lock may have the command's name and stands before it.
  for (std::string_view rest = words, next; next_word(rest, next) && is_labelled(next, label);) {
    word = next;
    words = rest;
  }
  if (is_interpreter(label) && (!next_word(words, word) || word.starts_with('-'))) return {};
  const bool is_path = word.find('/') < word.size() || is_interpreter(label);
  return !is_path || word.empty() || may_be_secret(word) ? std::string_view() : word;
}

}  // namespace atmost::cli

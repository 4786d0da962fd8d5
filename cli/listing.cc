#include "listing.h"

#include "core/host.h"
#include "core/words.h"

namespace atmost::cli {
namespace {

constexpr Row kHeads = {
    {"LOCK", "SLOT", "STATE", "PID", "USER", "AGE", "EXPIRES", "ID", "COMMAND"}};

// Time in seconds since 1970, with milliseconds, as JSON.
void write_moment(Output& to, const Stamp& stamp) {
  if (!stamp.known || stamp.real_ns < 0) {
    to.text("null");
    return;
  }
  to.text(duration_seconds({stamp.real_ns}));
}

// Seconds that may lie behind us.
void write_span(Output& to, std::int64_t ns) {
  if (ns < 0) to.text("-");
  to.text(duration_seconds({ns < 0 ? -ns : ns}));
}

void write_known(Output& to, std::string_view name, std::uint64_t value) {
  to.text(",\"").text(name).text("\":");
  if (value != 0) {
    to.number(value);
  } else {
    to.text("null");
  }
}

// What a user's number means on another host is not known here.
Text<32> name_of(std::uint32_t user, std::string_view host) {
  if (host.empty() || host == host_name().view()) return user_name(user);
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
}

void Listing::header(const Header& header) {
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
                : is_stopped(holder.process_state) ? "stopped"
                : holder.kept_for != 0             ? "kept"
                                                   : "held";
  entry.kept_for = holder.kept_for;
  entry.slot = holder.slot;
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
  if (shape_ == Shape::json) {
    show_json(entry);
  } else {
    show_row(entry);
  }
}

void Listing::show_row(const Entry& entry) {
  const std::int64_t age = age_ns(entry.start, now_);
  const bool known_age = entry.start.known && age >= 0;
  Text<1100> lock;
  Text<16> slot;
  Text<300> pid;
  Text<130> user;
  Text<32> age_words;
  Text<32> expires;
  Text<260> id;
  Text<260> command;
  append_escaped(lock, lock_);
  number_or_dash(slot, entry.slot);
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
  append_escaped(command, entry.command);
  if (id.empty()) id.push('-');
  if (command.empty()) command.push('-');
  Text<48> state(entry.state);
  if (entry.kept_for != 0) state.append(" for ").append_signed(entry.kept_for);
  Row row = {{lock, slot, state, pid, user, age_words, expires, id, command}};
  if (shape_ == Shape::measure) table_.measure(row);
  const bool written = ++rows_ <= most_rows_;
  doubted_ = doubted_ || (doubtful && written);
  if (shape_ == Shape::table && written) table_.write(to_, row);
  if (shape_ == Shape::plain) write_plain(to_, row);
}

void Listing::show_json(const Entry& entry) {
  const std::int64_t age = age_ns(entry.start, now_);
  to_.text("{\"lock\":").json(lock_);
  write_known(to_, "slot", entry.slot);
  write_known(to_, "pid", static_cast<std::uint64_t>(entry.pid > 0 ? entry.pid : 0));
  to_.text(",\"user\":");
  if (entry.has_user) {
    to_.json(name_of(entry.user, entry.host));
  } else {
    to_.text("null");
  }
  if (!entry.host.empty()) to_.text(",\"host\":").json(entry.host);
  to_.text(",\"start\":");
  write_moment(to_, entry.start);
  to_.text(",\"age_s\":");
  if (entry.start.known) {
    write_span(to_, age);
  } else {
    to_.text("null");
  }
  to_.text(",\"expires_s\":");
  if (entry.start.known && !entry.expire_after.is_forever()) {
    write_span(to_, entry.expire_after.ns - age);
  } else {
    to_.text("null");
  }
  write_known(to_, "token", entry.token);
  to_.text(",\"id\":").json(entry.id).text(",\"command\":").json(entry.command);
  to_.text(",\"state\":")
      .json(entry.state)
      .text(",\"verified\":")
      .text(entry.verified ? "true" : "false");
  if (entry.kept_for != 0) write_known(to_, "kept_for", static_cast<std::uint64_t>(entry.kept_for));
  if (entry.position != 0) {
    write_known(to_, "position", entry.position);
    write_known(to_, "max", entry.max);
  }
  to_.text("}\n");
}

}  // namespace atmost::cli

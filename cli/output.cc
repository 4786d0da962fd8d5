#include "output.h"

#include <cerrno>

#include "core/words.h"
#include "os/host.h"

namespace atmost::cli {

Output& Output::text(std::string_view plain) {
  if (plain.size() > pending_.capacity() - pending_.size()) flush();
  while (plain.size() > pending_.capacity()) {
    pending_.append({plain.data(), pending_.capacity()});
    plain.remove_prefix(pending_.capacity());
    flush();
  }
  pending_.append(plain);
  return *this;
}

Output& Output::escaped(std::string_view name) {
  char room[4 * 256];
  while (!name.empty()) {
    const std::size_t piece = whole_characters(name, 256);
    text({room, escape({name.data(), piece}, room, sizeof room)});
    name.remove_prefix(piece);
  }
  return *this;
}

Output& Output::number(std::uint64_t value) {
  Text<20> digits;
  return text(digits.append_unsigned(value));
}

Output& Output::signed_number(std::int64_t value) {
  Text<20> digits;
  return text(digits.append_signed(value));
}

bool Output::flush() {
  if (!failed_ && !pending_.empty()) {
    if (const Status written = write_text(fd_, pending_); !written.ok()) {
      failed_ = true;
      error_ = written.error();
    }
  }
  pending_.clear();
  return !failed_;
}

Status Output::finish() {
  flush();
  if (!failed_ || error_.sys == EPIPE) return {};
  return error_;
}

void complain(std::string_view message) {
  Output to(2);
  to.text("atmost: ").escaped(message).text("\n");
  to.flush();
}

void complain(const Error& error) { complain(error.message.view()); }

int finish(Output& out) {
  const Status written = out.finish();
  if (written.ok()) return 0;
  Text<200> message("standard output: ");
  complain(message.append(written.error().message));
  return static_cast<int>(Code::io);
}

}  // namespace atmost::cli

#include "accounts.h"

#include "fd.h"
#include "file.h"

namespace atmost::os {
namespace {

// Takes lines of the form name:password:number:… one byte at a time, however long they are.
class Finder {
 public:
  explicit Finder(std::uint32_t number) { number_.append_unsigned(number); }

  // True at the end of a line that has the number; name() is then the name in that line.
  bool take(char c) {
    if (c == '\n') return end_line();
    if (c == ':') {
      ++field_;
    } else if (field_ == 0) {
      name_.push(c);
    } else if (field_ == 2) {
      found_.push(c);
    }
    return false;
  }
  bool end_line() {
    const bool match =
        field_ >= 2 && !name_.empty() && !found_.truncated() && found_.view() == number_.view();
    if (match) return true;
    field_ = 0;
    name_ = {};
    found_ = {};
    return false;
  }
  const AccountName& name() const { return name_; }

 private:
  Text<20> number_;
  unsigned field_ = 0;
  AccountName name_;
  Text<20> found_;
};

AccountName find_account(const char* path, std::uint32_t number) {
  Fd file;
  if (open_to_read(path, file) != 0) return {};
  Finder finder(number);
  char buffer[4096];
  std::int64_t at = 0;
  for (;;) {
    std::size_t got = 0;
    if (read_at(file.get(), buffer, sizeof buffer, at, got) != 0) return {};
    for (std::size_t i = 0; i < got; ++i) {
      if (finder.take(buffer[i])) return finder.name();
    }
    if (got < sizeof buffer) break;
    at += static_cast<std::int64_t>(got);
  }
  return finder.end_line() ? finder.name() : AccountName{};  // the last line may lack its newline
}

}  // namespace

AccountName user_account(std::uint32_t user) { return find_account("/etc/passwd", user); }

AccountName group_account(std::uint32_t group) { return find_account("/etc/group", group); }

}  // namespace atmost::os

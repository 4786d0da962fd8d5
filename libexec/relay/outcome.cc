#include <charconv>
#include <string>
#include <string_view>

#include "core/programs.h"
#include "os/packets.h"
#include "relay.h"

namespace atmost::relay {
namespace {

// The text of the member as it stands in the line; empty if the line has no such member. Quotes
// within texts are escaped, so no text can contain a member's name.
std::string_view member(std::string_view line, const std::string& name) {
  const std::size_t at = line.find("\"" + name + "\":");
  if (at == std::string_view::npos) return {};
  line.remove_prefix(at + name.size() + 3);
  while (line.starts_with(' ')) line.remove_prefix(1);
  std::size_t end = 0;
  if (line.starts_with('"')) {
    for (end = 1; end < line.size() && line[end] != '"'; ++end) end += line[end] == '\\';
    return line.substr(0, end + 1);
  }
  return line.substr(0, line.find_first_of(",}"));
}

void append_character(unsigned code, std::string& to) {
  if (code < 0x80) {
    to += static_cast<char>(code);
  } else if (code < 0x800) {
    to += static_cast<char>(0xC0 | code >> 6);
    to += static_cast<char>(0x80 | (code & 0x3F));
  } else {
    to += static_cast<char>(0xE0 | code >> 12);
    to += static_cast<char>(0x80 | (code >> 6 & 0x3F));
    to += static_cast<char>(0x80 | (code & 0x3F));
  }
}

// A text without its quotes and escapes, on one line.
std::string words(std::string_view text) {
  std::string plain;
  if (!text.starts_with('"') || text.size() < 2) return plain;
  text = text.substr(1, text.size() - 2);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size()) {
      plain += text[i];
      continue;
    }
    const char what = text[++i];
    unsigned code = 0;
    if (what == 'u' && i + 4 < text.size()) {
      std::from_chars(text.data() + i + 1, text.data() + i + 5, code, 16);
      i += 4;
      append_character(code, plain);
    } else {
      plain += what == 'n' || what == 't' || what == 'r' ? ' ' : what;
    }
  }
  for (char& c : plain) {
    if (c == '\n') c = ' ';
  }
  return plain;
}

// The last line that `atmost run` wrote, without the program's name.
std::string last_line(std::string said) {
  while (said.ends_with('\n')) said.pop_back();
  said.erase(0, said.rfind('\n') + 1);
  constexpr std::string_view kName = "atmost: ";
  return said.starts_with(kName) ? said.substr(kName.size()) : said;
}

}  // namespace

std::string outcome_packet(const std::string& status, const std::string& said, int code) {
  const std::string kind = words(member(status, "kind"));
  const std::string reason = words(member(status, "reason"));
  const std::string message = kind == "failed" ? reason : last_line(said);
  std::string packet(kOver);
  packet += std::to_string(code) + "\n" + kind + "\n" + (kind == "failed" ? "" : reason) + "\n";
  packet.append(member(status, "retry_in_s")).append("\n");
  packet.append(member(status, "held")).append("\n");
  packet += words(member(status, "lock")) + "\n" + message;
  if (packet.size() > os::kMostPacket) packet.resize(os::kMostPacket);
  return packet;
}

}  // namespace atmost::relay

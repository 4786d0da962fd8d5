#include "words.h"

namespace atmost::etcd {

Error failure(const Answer& answer, std::string_view what) {
  const bool denied = answer.text.find("permission denied") != std::string::npos ||
                      answer.text.find("auth") != std::string::npos ||
                      answer.text.find("user name is empty") != std::string::npos;
  const bool by_etcd = answer.kind == Answer::Kind::refused;
  Error error = error_of(by_etcd && denied ? Code::not_permitted : Code::unavailable, 0, "etcd: ");
  error.message.append(what).append(": ").append(answer.text);
  if (!by_etcd) error.message.append("; is a majority of its members up? (atmost doctor URL)");
  return error;
}

std::string watch_body(const std::string& from, const std::string& end, std::uint64_t revision) {
  std::string body = "{\"create_request\":{\"key\":\"" + base64(from) + '"';
  if (!end.empty()) body += ",\"range_end\":\"" + base64(end) + '"';
  return body + ",\"start_revision\":\"" + std::to_string(revision) + "\"}}\n";
}

}  // namespace atmost::etcd

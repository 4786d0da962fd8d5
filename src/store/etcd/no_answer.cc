#include "no_answer.h"

#include <cerrno>
#include <cstring>
#include <string>

namespace atmost::etcd {
namespace {

// True if no part of the request can have reached a server.
bool never_arrived(CURL* handle, CURLcode code) {
  long sent = 0;
  curl_easy_getinfo(handle, CURLINFO_REQUEST_SIZE, &sent);
  return (code == CURLE_OPERATION_TIMEDOUT && sent == 0) || code == CURLE_COULDNT_CONNECT ||
         code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_SSL_CONNECT_ERROR ||
         code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_CERTPROBLEM;
}

// TLS 1.3 reports a missing client certificate only when the answer is read. The words are
// OpenSSL's.
bool is_distrust(CURLcode code, std::string_view words) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
         code == CURLE_SSL_CERTPROBLEM || code == CURLE_SSL_ISSUER_ERROR ||
         words.find("certificate") != std::string_view::npos ||
         words.find("wrong version number") != std::string_view::npos;
}

// The reason why there was no answer. libcurl (7.88) keeps the first words that it finds: if the
// peer closed the connection before libcurl looked at its address, these do not name the peer.
std::string trouble_of(CURL* handle, CURLcode code, std::string_view words) {
  long error = 0;
  curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &error);
  if (code == CURLE_COULDNT_CONNECT && error != 0) return std::strerror(static_cast<int>(error));
  if (code == CURLE_GOT_NOTHING) return "Empty reply from server";
  if (words.starts_with("getpeername() failed")) return "it closed the connection at once";
  std::string trouble(words.empty() ? curl_easy_strerror(code) : words);
  while (trouble.ends_with(' ')) trouble.pop_back();
  // "Recv failure: …": the connection's, in libcurl's words.
  const bool cut = words.find(" failure: ") != std::string_view::npos;
  if (code == CURLE_SSL_CONNECT_ERROR && cut) trouble += " in the TLS handshake";
  return trouble;
}

// A server that speaks TLS alone closes the connection when it sees plain text. Where it has not
// read all of a long question the kernel resets the connection, and its answer may be lost.
bool closes_unread(CURL* handle, CURLcode code, const Question& question) {
  long received = 0;
  curl_easy_getinfo(handle, CURLINFO_HEADER_SIZE, &received);
  const bool lost = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR;
  return lost && received == 0 && question.endpoint.starts_with("http://");
}

Lack lack_of(CURL* handle, CURLcode code, std::string_view words) {
  long error = 0;
  curl_easy_getinfo(handle, CURLINFO_OS_ERRNO, &error);
  if (code == CURLE_COULDNT_RESOLVE_HOST) return Lack::name;
  if (code == CURLE_COULDNT_CONNECT && error == ECONNREFUSED) return Lack::server;
  const bool at_once = words.starts_with("getpeername() failed");
  return code == CURLE_SSL_CONNECT_ERROR || code == CURLE_GOT_NOTHING || at_once ? Lack::protocol
                                                                                 : Lack::other;
}

}  // namespace

void no_answer(CURL* handle, CURLcode code, std::string_view words, const Question& question,
               Exchange& to) {
  if (closes_unread(handle, code, question)) code = CURLE_GOT_NOTHING;
  to.arrived = !never_arrived(handle, code);
  to.distrust = is_distrust(code, words);
  to.trouble = trouble_of(handle, code, words);
  to.lack = lack_of(handle, code, words);
}

}  // namespace atmost::etcd

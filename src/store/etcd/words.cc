#include "gateway.h"

#include <cerrno>
#include <cstdio>
#include <ctime>
#include <utility>

#include "os/clock.h"

namespace atmost::etcd {
namespace {

// The time without an answer, and the moment of its beginning by the local wall clock.
std::string silence(const Answer& answer, std::string_view who) {
  const std::int64_t silent_ns = os::boot_ns() - answer.silent_since_boot_ns;
  const std::time_t since =
      static_cast<std::time_t>((os::now().real_ns - silent_ns) / 1'000'000'000);
  std::tm parts = {};
  char clock[16] = "?";
  if (localtime_r(&since, &parts) != nullptr)
    (void)std::strftime(clock, sizeof clock, "%H:%M:%S", &parts);
  char words[128];
  std::snprintf(words, sizeof words, " since %s (%.1f s ago)", clock,
                static_cast<double>(silent_ns) / 1e9);
  return std::string(who) + words;
}

// Advice when the two ends may not agree on TLS. The signs are words of libcurl, OpenSSL and Go.
std::string_view tls_advice(std::string_view trouble) {
  constexpr std::string_view kAuthority =
      ": $ATMOST_ETCD_CACERT has to name the authority of etcd's certificate";
  constexpr std::pair<std::string_view, std::string_view> kAdvice[] = {
      {"HTTPS server", ": it speaks TLS: set $ATMOST_ETCD_CACERT, or $ATMOST_ETCD_TLS=1"},
      {"Empty reply", " (if it speaks TLS: set $ATMOST_ETCD_CACERT, or $ATMOST_ETCD_TLS=1)"},
      {"wrong version number", ": it speaks no TLS"},
      {"SSL_ERROR_SYSCALL", " (does it speak TLS?)"},
      {"in the TLS handshake", " (does it speak TLS?)"},
      {"closed the connection at once",
       " (does it want a client certificate? $ATMOST_ETCD_CERT and $ATMOST_ETCD_KEY name one)"},
      {"issuer", kAuthority},
      {"self-signed", kAuthority},
      {"alert",
       ": etcd wants a client certificate that it trusts: $ATMOST_ETCD_CERT and $ATMOST_ETCD_KEY"},
  };
  for (const auto& [sign, advice] : kAdvice) {
    if (trouble.find(sign) != std::string_view::npos) return advice;
  }
  return {};
}

// The fault that all endpoints have in common, when it is known.
std::string whereabouts(const Answer& answer) {
  switch (answer.lack) {
    case Lack::name:
      return ": no host is known by the name in " + answer.where +
             ": look at the host names in the store's URL";
    case Lack::server:
      return ": nobody listens at " + answer.where +
             ": is etcd running there, and is that the port of its clients?";
    case Lack::protocol:
      return "; a program listens at " + answer.where + ", but does not answer as etcd would";
    case Lack::other:
      break;
  }
  return {};
}

}  // namespace

Error failure(const Answer& answer, std::string_view what) {
  const bool denied = answer.text.find("permission denied") != std::string::npos ||
                      answer.text.find("auth") != std::string::npos ||
                      answer.text.find("user name is empty") != std::string::npos;
  const bool by_etcd = answer.kind == Answer::Kind::refused;
  Error error = error_of(by_etcd && denied ? Code::not_permitted : Code::unavailable,
                         by_etcd ? 0 : ETIMEDOUT, "etcd: ");
  error.message.append(what).append(": ").append(answer.text);
  if (by_etcd && answer.text.find("database space exceeded") != std::string::npos) {
    error.message.append(
        " (its quota is used up: etcdctl compact, etcdctl defrag, then etcdctl alarm disarm)");
  }
  if (by_etcd) return error;
  error.message.append(tls_advice(answer.text));
  if (answer.distrust) return error;
  error.message.append(whereabouts(answer));
  if (answer.lack == Lack::other || answer.fell_silent)
    error.message.append("; ").append(silence(answer, "no answer"));
  if (answer.lack == Lack::other) {
    error.message.append(
        ": half of its members or more are down, out of reach or at their limit of connections");
  }
  error.message.append(" (atmost doctor URL)");
  return error;
}

bool lease_is_gone(const Answer& answer) {
  return answer.kind == Answer::Kind::refused &&
         answer.text.find("lease not found") != std::string::npos;
}

Error alien_key(std::string_view key) {
  Error error = error_of(Code::unavailable, 0, "etcd: the key ");
  error.message.append(key);
  error.message.append(
      " is not as this version of atmost writes it: if callers of another version use the lock, "
      "give "
      "all hosts one version; else look at it (etcdctl get), and delete it if nobody needs it");
  return error;
}

}  // namespace atmost::etcd

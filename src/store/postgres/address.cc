#include "address.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <memory>

#include "os/machine.h"
#include "trouble.h"

namespace atmost::postgres {
namespace {

struct FreeOptions {
  void operator()(PQconninfoOption* options) const { PQconninfoFree(options); }
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts(1);
  for (char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

const std::string* find(const Parameters& all, std::string_view keyword) {
  for (const auto& [name, value] : all) {
    if (name == keyword) return &value;
  }
  return nullptr;
}

// What we want where neither the URL nor the environment says otherwise.
void add_defaults(Parameters& all) {
  struct Default {
    const char* keyword;
    const char* variable;
    std::string value;
  };
  const Default defaults[] = {
      {"application_name", "PGAPPNAME", "atmost"},
      {"target_session_attrs", "PGTARGETSESSIONATTRS",
       "read-write"},                             // of several servers the one that writes
      {"gssencmode", "PGGSSENCMODE", "disable"},  // a Kerberos library's start-up for every lock
      {"keepalives_idle", "", "5"},
      {"keepalives_interval", "", "2"},
      {"keepalives_count", "", "3"},
      {"tcp_user_timeout", "", "10000"},
  };
  for (const Default& one : defaults) {
    const bool in_environment = *one.variable != '\0' && std::getenv(one.variable) != nullptr;
    if (find(all, one.keyword) == nullptr && !in_environment) all.emplace_back(one.keyword, one.value);
  }
}

// One set of parameters for each server of a list: a server that accepts and stays silent must not use the others' time up.
std::vector<Parameters> each_server(const Parameters& all) {
  const char* const kLists[] = {"host", "hostaddr", "port"};
  std::size_t count = 1;
  for (const char* keyword : {"host", "hostaddr"}) {
    if (const std::string* list = find(all, keyword)) count = std::max(count, split(*list).size());
  }
  std::vector<Parameters> servers;
  for (std::size_t i = 0; i < count; ++i) {
    Parameters one = all;
    for (auto& [name, value] : one) {
      for (const char* keyword : kLists) {
        if (name != keyword) continue;
        const std::vector<std::string> parts = split(value);
        if (parts.size() > 1) value = i < parts.size() ? parts[i] : "";
      }
    }
    servers.push_back(std::move(one));
  }
  return servers;
}

std::string shown(const Parameters& all) {
  std::string text = "postgres://";
  if (const std::string* host = find(all, "host")) text += *host;
  if (const std::string* port = find(all, "port")) text += ":" + *port;
  if (const std::string* base = find(all, "dbname")) text += "/" + *base;
  return text;
}

}  // namespace

Result<Address> parse_address(std::string_view url) {
  if (!url.starts_with("postgres://") && !url.starts_with("postgresql://")) {
    return atmost::error_of(Code::usage, 0, "--store: not a URL that begins with postgres://");
  }
  char* wrong = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(std::string(url).c_str(), &wrong));
  if (options == nullptr) {
    // libpq's words may repeat the URL, and with it a password.
    PQfreemem(wrong);
    return atmost::error_of(Code::usage, 0,
                            "--store: libpq cannot read this URL; right is "
                            "postgres://[USER@]HOST[:PORT][,HOST[:PORT]...]/DATABASE[?sslmode=verify-full]");
  }
  Parameters all;
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    const std::string_view keyword = one->keyword;
    if (one->val == nullptr) continue;
    if (keyword == "password" || keyword == "sslpassword") {
      return atmost::error_of(Code::usage, 0,
                              "--store: a password in a URL is seen by every process; put it into ~/.pgpass "
                              "($PGPASSFILE) or $PGPASSWORD");
    }
    all.emplace_back(one->keyword, one->val);
  }
  add_defaults(all);
  Address address;
  address.shown = shown(all);
  address.servers = each_server(all);
  return address;
}

}  // namespace atmost::postgres

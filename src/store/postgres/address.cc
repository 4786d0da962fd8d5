#include "address.h"

#include <libpq-fe.h>

#include <unistd.h>

#include <memory>

#include "store/fleet/environment.h"

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

void add(Parameters& all, const char* keyword, const std::string& value) {
  if (find(all, keyword) == nullptr && !value.empty()) all.emplace_back(keyword, value);
}

// atmost's defaults, used if neither the URL nor the environment names others.
void add_defaults(Parameters& all) {
  // Lists of servers are split here, wherever they come from.
  for (const auto& [keyword, from] :
       {std::pair{"host", "PGHOST"}, {"hostaddr", "PGHOSTADDR"}, {"port", "PGPORT"}}) {
    add(all, keyword, fleet::variable(from));
  }
  struct Default {
    const char* keyword;
    const char* from;
    const char* value;
  };
  constexpr Default kDefaults[] = {
      {"application_name", "PGAPPNAME", "atmost"},
      {"gssencmode", "PGGSSENCMODE", "disable"},  // a Kerberos library's start-up for every lock
      {"keepalives_idle", "", "5"},
      {"keepalives_interval", "", "2"},
      {"keepalives_count", "", "3"},
      {"tcp_user_timeout", "", "10000"},
  };
  for (const Default& one : kDefaults) {
    if (*one.from == '\0' || fleet::variable(one.from).empty()) add(all, one.keyword, one.value);
  }
}

// On this machine, no other machine can read the traffic or answer.
bool on_this_machine(const Parameters& server) {
  const std::string* host = find(server, "hostaddr");
  if (host == nullptr || host->empty()) host = find(server, "host");
  if (host == nullptr || host->empty()) return true;  // libpq's default is a socket
  return host->starts_with('/') || host->starts_with('@') || *host == "localhost" ||
         host->starts_with("127.") || *host == "::1";
}

// Where distributions keep the authorities that a machine trusts.
std::string system_authorities() {
  for (const char* path :
       {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}) {
    if (access(path, R_OK) == 0) return path;
  }
  return "";
}

// libpq alone would accept any connection, even one without TLS. True when it does not because of
// us. A service file decides for itself.
bool verify(Parameters& server) {
  const bool named = find(server, "service") != nullptr || !fleet::variable("PGSERVICE").empty();
  const std::string* mode = find(server, "sslmode");
  const std::string said = mode != nullptr ? *mode : fleet::variable("PGSSLMODE");
  const bool ours = said.empty() && !named && !on_this_machine(server);
  if (ours) add(server, "sslmode", "verify-full");
  const bool own_file =
      access((fleet::variable("HOME") + "/.postgresql/root.crt").c_str(), R_OK) == 0;
  if ((ours || said.starts_with("verify-")) && fleet::variable("PGSSLROOTCERT").empty() &&
      !own_file) {
    add(server, "sslrootcert", system_authorities());
  }
  return ours;
}

// One set of parameters for each server of a list, so that a server that accepts and stays silent
// does not use up the others' time.
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

// Escaped for a URL.
std::string escaped(std::string_view text, std::string_view allowed) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const auto byte = static_cast<unsigned char>(c);
    if (plain || allowed.find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4], kHex[byte & 15]};
    }
  }
  return result;
}

}  // namespace

std::string shown(const std::vector<Parameters>& servers) {
  const auto value = [](const Parameters& server, std::string_view keyword) {
    const std::string* found = find(server, keyword);
    return found != nullptr ? *found : std::string();
  };
  std::string places;
  std::string lists[3];  // if a server has no host name, each keyword has a list of its own
  bool sockets = false;
  bool numbers = false;
  for (const Parameters& server : servers) {
    const std::string host = value(server, "host");
    const std::string address = value(server, "hostaddr");
    const std::string port = value(server, "port");
    sockets = sockets || host.starts_with('/') || host.starts_with('@');
    numbers = numbers || !address.empty();
    const bool bracket = host.find(':') != std::string::npos;
    const char* const comma = &server == servers.data() ? "" : ",";
    places += comma + (bracket ? "[" + host + "]" : escaped(host, "-._~")) +
              (port.empty() ? "" : ":" + port);
    lists[0] += comma + escaped(host, "-._~/@");
    lists[1] += comma + escaped(address, ".:");
    lists[2] += comma + port;
  }
  const Parameters& any = servers.front();
  const std::string user = value(any, "user");
  std::string text =
      "postgres://" + (user.empty() ? "" : escaped(user, "-._~") + "@") + (sockets ? "" : places);
  const std::string base = value(any, "dbname");
  if (!base.empty() || sockets) text += "/" + escaped(base, "-._~");
  char join = '?';
  const auto add_list = [&](const char* keyword, const std::string& list) {
    if (list.find_first_not_of(',') == std::string::npos) return;
    text += join + (keyword + ("=" + list));
    join = '&';
  };
  if (sockets) add_list("host", lists[0]);
  if (numbers) add_list("hostaddr", lists[1]);
  if (sockets) add_list("port", lists[2]);
  return text;
}

Result<Address> parse_address(std::string_view url) {
  if (!url.starts_with("postgres://") && !url.starts_with("postgresql://")) {
    return atmost::error_of(Code::usage, 0, "--store: not a URL that begins with postgres://");
  }
  char* wrong = nullptr;
  const std::unique_ptr<PQconninfoOption, FreeOptions> options(
      PQconninfoParse(std::string(url).c_str(), &wrong));
  if (options == nullptr) {
    // libpq's message may repeat the URL, and with it a password.
    PQfreemem(wrong);
    return atmost::error_of(
        Code::usage, 0,
        "--store: libpq cannot read this URL; right is "
        "postgres://[USER@]HOST[:PORT][,HOST[:PORT]...]/DATABASE[?sslmode=verify-full]");
  }
  Parameters all;
  for (const PQconninfoOption* one = options.get(); one->keyword != nullptr; ++one) {
    const std::string_view keyword = one->keyword;
    if (one->val == nullptr) continue;
    if (keyword == "password" || keyword == "sslpassword") {
      return atmost::error_of(Code::usage, 0,
                              "--store: a password in a URL is seen by every process; put it into "
                              "~/.pgpass ($PGPASSFILE) or the file $ATMOST_POSTGRES_PASSWORD_FILE");
    }
    all.emplace_back(one->keyword, one->val);
  }
  add_defaults(all);
  Address address;
  address.servers = each_server(all);
  address.shown = shown(address.servers);
  for (Parameters& server : address.servers) address.verifies = verify(server) || address.verifies;
  if (Status read = fleet::read_secret("ATMOST_POSTGRES_PASSWORD", address.password); !read.ok())
    return read.error();
  if (Status read = fleet::read_timeout("ATMOST_POSTGRES_TIMEOUT", address.timeout); !read.ok())
    return read.error();
  return address;
}

}  // namespace atmost::postgres

#include "cluster.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "fleet/job.h"
#include "store/etcd/wire.h"
#include "tested_channel.h"

namespace etcd_kit {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kPatience = std::chrono::seconds(30);
constexpr auto kLook = std::chrono::milliseconds(20);

[[noreturn]] void give_up(const std::string& why) {
  fprintf(stderr, "%s\n", why.c_str());
  abort();
}

// Ports that were free a moment ago: whoever uses them has to be ready to try again.
std::vector<std::uint16_t> free_ports(std::size_t count) {
  std::vector<int> sockets;
  std::vector<std::uint16_t> ports;
  for (std::size_t i = 0; i < count; ++i) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 ||
        getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
      give_up("no port");
    }
    sockets.push_back(fd);
    ports.push_back(ntohs(address.sin_port));
  }
  for (int fd : sockets) close(fd);
  return ports;
}

std::size_t receive(char* from, std::size_t, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(from, size);
  return size;
}

std::string number_after(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\"" + name + "\":\"");
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 4;
  return text.substr(from, text.find('"', from) - from);
}

}  // namespace

std::string fetch(const std::string& host, const std::string& path, const char* body,
                  long timeout_ms, const fleet_kit::Certificate& certificate, bool with_head) {
  CURL* const handle = curl_easy_init();
  std::string received;
  const bool secure = !certificate.cert.empty();
  curl_easy_setopt(handle, CURLOPT_URL, ((secure ? "https://" : "http://") + host + path).c_str());
  if (secure) {
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(handle, CURLOPT_SSL_VERIFYHOST, 0L);
    curl_easy_setopt(handle, CURLOPT_SSLCERT, certificate.cert.c_str());
    curl_easy_setopt(handle, CURLOPT_SSLKEY, certificate.key.c_str());
  }
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_HEADER, with_head ? 1L : 0L);
  curl_easy_setopt(handle, CURLOPT_TIMEOUT_MS, timeout_ms);
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &received);
  if (body != nullptr) curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body);
  if (curl_easy_perform(handle) != CURLE_OK) received.clear();
  curl_easy_cleanup(handle);
  return received;
}

Cluster::Cluster(unsigned count, const std::vector<std::string>& settings, Tls tls, Ground ground)
    : settings_(settings), tls_(std::move(tls)), ground_(std::move(ground)) {
  char directory[] = "/tmp/atmost-etcd-XXXXXX";
  if (mkdtemp(directory) == nullptr) give_up("no directory");
  directory_ = directory;
  if (tested_channel() == Channel::tls && tls_.own.cert.empty() && !ground_.address) {
    const fleet_kit::Authority authority(directory_, "authority");
    tls_.own = authority.issue("server", "IP:127.0.0.1");
    authority_ = authority.file();
    setenv("ATMOST_ETCD_CACERT", authority_.c_str(), 1);
  }
  if (!tls_.own.cert.empty())
    settings_.insert(settings_.end(), {"--cert-file", tls_.own.cert, "--key-file", tls_.own.key});
  if (!tls_.ca.empty())
    settings_.insert(settings_.end(), {"--trusted-ca-file", tls_.ca, "--client-cert-auth"});
  for (int i = 0; i < 5; ++i) {
    if (try_start(count)) return;
    stop_all();
  }
  give_up("etcd does not start; its words are in " + directory_);
}

Cluster::~Cluster() {
  stop_all();
  std::filesystem::remove_all(directory_);
}

bool Cluster::try_start(unsigned count) {
  const std::vector<std::uint16_t> ports = free_ports(2 * count);
  members_.assign(count, {});
  for (unsigned i = 0; i < count; ++i) {
    members_[i].client_port = ports[2 * i];
    members_[i].peer_port = ports[2 * i + 1];
    std::filesystem::remove_all(directory_ + "/" + std::to_string(i));
  }
  for (unsigned i = 0; i < count; ++i) start(i);
  const auto end = Clock::now() + kPatience;
  for (unsigned i = 0; i < count; ++i) {
    while (!healthy(i)) {
      if (Clock::now() > end || waitpid(members_[i].pid, nullptr, WNOHANG) != 0) return false;
      std::this_thread::sleep_for(kLook);
    }
  }
  return true;
}

void Cluster::start(unsigned member) {
  const auto place = [this](unsigned one, std::uint16_t port) {
    return "http://" + address(one) + ":" + std::to_string(port);
  };
  std::string all;
  for (unsigned i = 0; i < count(); ++i) {
    all += (i > 0 ? ",m" : "m") + std::to_string(i) + "=" + place(i, members_[i].peer_port);
  }
  const std::string client = (tls_.own.cert.empty() ? "http://" : "https://") + address(member) +
                             ":" + std::to_string(members_[member].client_port);
  const std::string peer = place(member, members_[member].peer_port);
  const std::string name = std::to_string(member);
  std::vector<std::string> words = {"etcd",
                                    "--name",
                                    "m" + name,
                                    "--data-dir",
                                    directory_ + "/" + name,
                                    "--listen-client-urls",
                                    client,
                                    "--advertise-client-urls",
                                    client,
                                    "--listen-peer-urls",
                                    peer,
                                    "--initial-advertise-peer-urls",
                                    peer,
                                    "--initial-cluster",
                                    all,
                                    "--logger",
                                    "zap"};
  words.insert(words.end(), settings_.begin(), settings_.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const std::string log = directory_ + "/log" + name;
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    setpgid(0, 0);
    const int fd = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    dup2(fd, 1);
    dup2(fd, 2);
    if (ground_.enter) ground_.enter(member);
    execvp("etcd", argv.data());
    _exit(127);
  }
  members_[member].pid = pid;
  if (ground_.started) ground_.started(member, pid);
}

void Cluster::signal(unsigned member, int number) {
  if (members_[member].pid > 0) ::kill(members_[member].pid, number);
}

void Cluster::kill(unsigned member) {
  if (members_[member].pid <= 0) return;
  ::kill(members_[member].pid, SIGKILL);
  waitpid(members_[member].pid, nullptr, 0);
  members_[member].pid = -1;
}

void Cluster::stop_all() {
  for (unsigned i = 0; i < count(); ++i) kill(i);
}

std::string Cluster::host(unsigned member) const {
  const std::string name = ground_.address ? address(member) : "127.0.0.1";
  return name + ":" + std::to_string(members_[member].client_port);
}

std::string Cluster::hosts() const {
  std::string all = host(0);
  for (unsigned i = 1; i < count(); ++i) all += "," + host(i);
  return all;
}

bool Cluster::healthy(unsigned member) const {
  return fetch(member, "/health", nullptr, 1000).find("\"true\"") != std::string::npos;
}

void Cluster::wait_healthy(unsigned member) const {
  const auto end = Clock::now() + kPatience;
  while (!healthy(member)) {
    if (Clock::now() > end) {
      give_up("member " + std::to_string(member) + " does not become healthy");
    }
    std::this_thread::sleep_for(kLook);
  }
}

time_t Cluster::wall_clock(unsigned member) const {
  const std::string answer =
      etcd_kit::fetch(host(member), "/health", nullptr, 1000, tls_.own, true);
  const std::size_t at = answer.find("Date: ");
  return at == std::string::npos
             ? 0
             : curl_getdate(answer.substr(at + 6, answer.find('\r', at) - at - 6).c_str(), nullptr);
}

// "etcd Version: 3.4.23".
bool Cluster::keeps_leases() {
  const std::string words = fleet_kit::shell("etcd --version").words;
  int minor = 0;
  int patch = 0;
  const std::size_t at = words.find("etcd Version: 3.");
  if (at == std::string::npos ||
      sscanf(words.c_str() + at, "etcd Version: 3.%d.%d", &minor, &patch) != 2)
    abort();
  return minor > 5 || (minor == 5 && patch >= 13) || (minor == 4 && patch >= 31);
}

std::string Cluster::etcdctl(unsigned member) const {
  const std::string tls = authority_.empty() ? "" : " --cacert " + authority_;
  return "ETCDCTL_API=3 etcdctl" + tls + " --endpoints " + host(member);
}

std::size_t Cluster::waiting(const std::string& lock) const {
  using namespace atmost::etcd;
  const std::string queue = lock + ".lock/w/";
  const std::string query = "{\"key\":\"" + base64(queue) + "\",\"range_end\":\"" +
                            base64(end_of_prefix(queue)) + "\",\"count_only\":true}";
  const std::string answer = fetch(0, "/v3/kv/range", query.c_str(), 5000);
  if (number_after(answer, "revision").empty())
    give_up("member 0 does not say who waits: " + answer);
  return strtoul(number_after(answer, "count").c_str(), nullptr, 10);
}

int Cluster::leader() const {
  for (unsigned i = 0; i < count(); ++i) {
    const std::string status = fetch(i, "/v3/maintenance/status", "{}", 1000);
    const std::string leads = number_after(status, "leader");
    if (!leads.empty() && leads == number_after(status, "member_id")) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace etcd_kit

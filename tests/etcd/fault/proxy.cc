#include "proxy.h"

#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace etcd_kit {
namespace {

int listen_somewhere(std::uint16_t& port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(fd, reinterpret_cast<sockaddr*>(&address), size) != 0 || listen(fd, 256) != 0) return -1;
  getsockname(fd, reinterpret_cast<sockaddr*>(&address), &size);
  port = ntohs(address.sin_port);
  return fd;
}

// Reads one request from the connection: headers, and a body of the length that they contain.
bool read_request(int fd, std::string& pending, std::string& path, std::string& body) {
  char buffer[65536];
  std::size_t end = std::string::npos;
  std::size_t length = 0;
  for (;;) {
    if (end == std::string::npos && (end = pending.find("\r\n\r\n")) != std::string::npos) {
      const std::size_t at = pending.find("Content-Length: ");
      if (at < end) length = std::stoul(pending.substr(at + 16));
    }
    if (end != std::string::npos && pending.size() >= end + 4 + length) break;
    const ssize_t got = recv(fd, buffer, sizeof buffer, 0);
    if (got <= 0) return false;
    pending.append(buffer, static_cast<std::size_t>(got));
  }
  const std::size_t from = pending.find(' ') + 1;
  path = pending.substr(from, pending.find(' ', from) - from);
  body = pending.substr(end + 4, length);
  pending.erase(0, end + 4 + length);
  return true;
}

std::size_t receive(char* from, std::size_t, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(from, size);
  return size;
}

void prepare(CURL* handle, const std::string& url, const std::string& body) {
  curl_easy_reset(handle);
  curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
  curl_easy_setopt(handle, CURLOPT_PROXY, "");
  curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
  curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.data());
}

}  // namespace

#define ATMOST_FAULT_NAME(name) #name,
const char* name_of(Fault fault) {
  static constexpr const char* kNames[] = {ATMOST_FAULTS(ATMOST_FAULT_NAME)};
  return kNames[static_cast<unsigned>(fault)];
}
#undef ATMOST_FAULT_NAME

std::string words_of(const Plan& plan) {
  std::string words = plan.request + " " + std::to_string(plan.nth) + " " + name_of(plan.fault);
  if (plan.fault == Fault::field)
    words += std::string(" ") + name_of(plan.damage) + " at " + std::to_string(plan.place);
  words += plan.reach == Reach::once      ? " once"
           : plan.reach == Reach::onwards ? " onwards"
                                          : " and everything";
  return words + " (dice " + std::to_string(plan.dice) + ")";
}

// A watch: lines from etcd to the caller, as chunks.
struct Stream {
  FaultProxy& proxy;
  int fd;
  std::string pending = {};
  bool begun = false;

  bool pass(const std::string& line) {
    Plan plan = proxy.meant("heard");
    std::string text = proxy.noted("heard", line, plan);
    if (plan.fault != Fault::none) proxy.count("heard", plan);
    if (!begun && !send_all(fd, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))
      return false;
    begun = true;
    // A made-up answer in the midst of a watch is noise.
    if (!is_of_body(plan.fault)) return send_answer(fd, plan, 200, text + "\n");
    text += '\n';
    char size[32];
    snprintf(size, sizeof size, "%zx\r\n", text.size());
    return send_all(fd, size + text + "\r\n");
  }

  static std::size_t take(char* from, std::size_t, std::size_t size, void* to) {
    Stream& self = *static_cast<Stream*>(to);
    self.pending.append(from, size);
    for (std::size_t end; (end = self.pending.find('\n')) != std::string::npos;) {
      if (!self.pass(self.pending.substr(0, end))) return 0;
      self.pending.erase(0, end + 1);
    }
    return size;
  }

  static int must_end(void* to, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
    const Stream& self = *static_cast<Stream*>(to);
    char byte;
    return self.proxy.ending_ || recv(self.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) == 0;
  }
};

FaultProxy::FaultProxy(std::string upstream) : upstream_(std::move(upstream)) {
  listening_ = listen_somewhere(port_);
  acceptor_ = std::thread([this] { accept_all(); });
}

FaultProxy::~FaultProxy() {
  ending_ = true;
  shutdown(listening_, SHUT_RDWR);
  acceptor_.join();
  close(listening_);
  while (serving_ > 0) {
    {
      const std::lock_guard locked(mutex_);
      for (int fd : open_) shutdown(fd, SHUT_RDWR);
    }
    usleep(1000);
  }
}

void FaultProxy::begin(const Plan& plan) {
  const std::lock_guard locked(mutex_);
  plan_ = plan;
  everything_ = false;
  asked_.clear();
  first_.clear();
  answered_.clear();
  injected_ = 0;
}

std::vector<Answered> FaultProxy::answered() {
  const std::lock_guard locked(mutex_);
  return answered_;
}

std::map<std::pair<std::string, std::string>, std::uint64_t> FaultProxy::totals() {
  const std::lock_guard locked(mutex_);
  return totals_;
}

void FaultProxy::accept_all() {
  while (!ending_) {
    const int fd = accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0) continue;
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    ++serving_;
    {
      const std::lock_guard locked(mutex_);
      open_.insert(fd);
    }
    std::thread([this, fd] {
      serve(fd);
      {
        const std::lock_guard locked(mutex_);
        open_.erase(fd);
        close(fd);
      }
      --serving_;
    }).detach();
  }
}

Plan FaultProxy::meant(const std::string& request) {
  const std::lock_guard locked(mutex_);
  const unsigned nth = asked_[request]++;
  const bool hit = plan_.fault != Fault::none && request == plan_.request &&
                   (nth == plan_.nth || (nth > plan_.nth && plan_.reach != Reach::once));
  everything_ = everything_ || (hit && plan_.reach == Reach::everything);
  if (hit || everything_) return plan_;
  return {};
}

std::string FaultProxy::noted(const std::string& request, const std::string& body, Plan& plan) {
  const std::lock_guard locked(mutex_);
  const std::size_t count =
      plan_.fault == Fault::none || plan.fault == Fault::field ? places(body) : 0;
  answered_.push_back({request, count});
  const std::string first = first_.try_emplace(request, body).first->second;
  switch (plan.fault) {
    case Fault::field:
      if (count > 0) return damaged(body, plan.place % count, plan.damage);
      break;
    case Fault::empty:
      return "";
    case Fault::truncated:
      return body.substr(0, body.empty() ? 0 : plan.dice % body.size());
    case Fault::trailing:
      return body + (plan.dice % 2 == 0 ? "}" : body);
    case Fault::error_in_200:
      return R"({"error":"planted","message":"planted","code":14})";
    case Fault::stale:
      if (first != body) return first;
      break;
    case Fault::of_another:
      for (const auto& [other, text] : first_) {
        if (other != request) return text;
      }
      return "{}";
    default:
      return body;
  }
  plan.fault = Fault::none;  // there is nothing to spoil
  return body;
}

void FaultProxy::count(const std::string& request, const Plan& plan) {
  ++injected_;
  const std::lock_guard locked(mutex_);
  ++totals_[{request, plan.fault == Fault::field ? std::string("field ") + name_of(plan.damage)
                                                 : name_of(plan.fault)}];
}

void FaultProxy::serve(int fd) {
  std::string pending, path, body;
  CURL* const handle = curl_easy_init();
  while (!ending_ && read_request(fd, pending, path, body)) {
    if (!answer(fd, handle, path, body)) break;
  }
  curl_easy_cleanup(handle);
}

bool FaultProxy::answer(int fd, void* handle, const std::string& path, const std::string& body) {
  const std::string request = path.substr(path.rfind('/') + 1);
  const std::string url = "http://" + upstream_ + path;
  Plan plan = meant(request);
  const bool watches = request == "watch";
  if (plan.fault != Fault::none && (watches || is_before(plan))) {
    std::string text = noted(request, "", plan);
    if (plan.fault != Fault::none) {
      count(request, plan);
      return send_answer(fd, plan, 200, text);
    }
  }
  prepare(handle, url, body);
  if (watches) {
    Stream stream{*this, fd};
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, Stream::take);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &stream);
    curl_easy_setopt(handle, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(handle, CURLOPT_XFERINFOFUNCTION, Stream::must_end);
    curl_easy_setopt(handle, CURLOPT_XFERINFODATA, &stream);
    if (plan.fault == Fault::none) noted(request, "", plan);
    curl_easy_perform(handle);
    return false;
  }
  std::string got;
  curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive);
  curl_easy_setopt(handle, CURLOPT_WRITEDATA, &got);
  long status = 502;
  if (curl_easy_perform(handle) == CURLE_OK)
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
  const std::string text = noted(request, got, plan);
  if (plan.fault != Fault::none) count(request, plan);
  return send_answer(fd, plan, status, text);
}

}  // namespace etcd_kit

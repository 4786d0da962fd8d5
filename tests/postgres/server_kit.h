// Real processes of atmost beside a server that is stopped, killed, restarted, watched through a
// session of our own.
#ifndef ATMOST_TESTS_POSTGRES_SERVER_KIT_H
#define ATMOST_TESTS_POSTGRES_SERVER_KIT_H

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "fleet/job.h"
#include "kit/cluster.h"
#include "process/temp_dir.h"

namespace postgres_kit {

using fleet_kit::Argv;
using fleet_kit::atmost_program;
using fleet_kit::beside;
using fleet_kit::contents;
using fleet_kit::eventually;
using fleet_kit::Job;
using fleet_kit::seconds_now;
using fleet_kit::within;

class Server : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { cluster_ = std::make_unique<Cluster>(); }
  static void TearDownTestSuite() { cluster_.reset(); }

  Server() : lock_("job" + std::to_string(++tests_)) {
    setenv("ATMOST_DIR", directory_.path().c_str(), 1);
  }

  std::string file(const std::string& name) const { return directory_.file(name); }
  bool there(const std::string& name) const { return std::filesystem::exists(file(name)); }
  void touch(const std::string& name) const { std::ofstream(file(name)) << "x"; }
  Argv run(const Argv& options, const std::string& script,
           const std::string& url = cluster_->url()) const {
    Argv argv = {atmost_program(), "run", "--store", url};
    argv.insert(argv.end(), options.begin(), options.end());
    for (const std::string& word :
         {lock_, std::string("--"), std::string("/bin/sh"), std::string("-c"), script}) {
      argv.push_back(word);
    }
    return argv;
  }
  // Writes its token and stays until file `go` is there.
  std::string stay() const {
    return "echo $ATMOST_TOKEN >>" + file("token") + "; while [ ! -e " + file("go") +
           " ]; do sleep 0.05; done";
  }
  bool started() const {
    return eventually(10, [this] { return contents(file("token")).ends_with("\n"); });
  }
  std::string holder(Session& session) const {
    return session.one("SELECT token FROM atmost.holder WHERE lock = '" + lock_ +
                       ".lock' AND expires > clock_timestamp()");
  }
  int run_now(const std::string& url = cluster_->url(), const std::string& output = "") const {
    return Job(run({}, "true", url), output).wait(20).value_or(-1);
  }
  void signal_server(int signal) const {
    for (pid_t pid : cluster_->processes()) kill(pid, signal);
  }

  static std::unique_ptr<Cluster> cluster_;
  static int tests_;
  witness::TempDir directory_;
  std::string lock_;
};
inline std::unique_ptr<Cluster> Server::cluster_;
inline int Server::tests_ = 0;

// A lease that ends soon.
inline const Argv kShort = {"--ttl", "3s", "--kill-grace", "100ms"};

}  // namespace postgres_kit

#endif

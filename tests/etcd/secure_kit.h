// The callers of the tests of etcd's ways in: atmost in a shell, and what must be true of every
// refusal.
#ifndef ATMOST_TESTS_ETCD_SECURE_KIT_H
#define ATMOST_TESTS_ETCD_SECURE_KIT_H

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>

#include "etcd/kit/cluster.h"
#include "etcd/kit/relay.h"
#include "fleet/authority.h"
#include "fleet/job.h"
#include "fleet/variable.h"
#include "process/temp_dir.h"

namespace etcd_kit {

using fleet_kit::Authority;
using fleet_kit::await_contents;
using fleet_kit::Certificate;
using fleet_kit::contents;
using fleet_kit::Job;
using fleet_kit::run_line;
using fleet_kit::Said;
using fleet_kit::shell;
using fleet_kit::Variable;
using ::testing::HasSubstr;
using ::testing::Not;

class Secure : public ::testing::Test {
 protected:
  std::string file(const std::string& name) const { return directory_.file(name); }
  std::string write(const std::string& name, const std::string& text, unsigned mode = 0600) const {
    std::ofstream(file(name)) << text;
    std::filesystem::permissions(file(name), static_cast<std::filesystem::perms>(mode));
    return file(name);
  }

  // `variables`: "A=1 B=2". The command leaves a file when it runs.
  Said run(const std::string& url, const std::string& variables,
           const std::string& script = "true") const {
    std::filesystem::remove(file("ran"));
    return shell(
        "env -u http_proxy -u https_proxy -u HTTPS_PROXY -u all_proxy -u ALL_PROXY -u no_proxy -u "
        "NO_PROXY " +
        variables + " ATMOST_DIR=" + directory_.path() +
        " \"$ATMOST_BIN/atmost\" run --log-args --store '" + url + "' lock sh -c 'touch " +
        file("ran") + "; " + script + "'");
  }
  bool ran() const { return std::filesystem::exists(file("ran")); }

  // One line, the code, soon, and nothing was run.
  void expect_refused(const Said& said, int code, const std::string& words,
                      double seconds = 4) const {
    EXPECT_EQ(said.code, code) << said.words;
    EXPECT_THAT(said.words, HasSubstr(words));
    EXPECT_EQ(std::count(said.words.begin(), said.words.end(), '\n'), 1) << said.words;
    EXPECT_LT(said.seconds, seconds);
    EXPECT_FALSE(ran());
  }

  witness::TempDir directory_;
};

}  // namespace etcd_kit

#endif

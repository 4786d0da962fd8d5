#include "store/etcd/access.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace atmost::etcd {
namespace {

std::string wrong(const char* url) {
  const Result<Access> access = read_access(url);
  return access.ok() ? "" : std::string(access.error().message.view());
}

class AccessTest : public ::testing::Test {
 protected:
  void TearDown() override {
    for (const char* name : {"CACERT", "CERT", "KEY", "TLS", "USER", "PASSWORD", "PASSWORD_FILE",
                             "TOKEN", "TOKEN_FILE", "TIMEOUT"}) {
      unsetenv((std::string("ATMOST_ETCD_") + name).c_str());
    }
  }
};

TEST_F(AccessTest, EndpointsAndPrefix) {
  const Result<Access> access = read_access("etcd://a:1,b,[::1]:3,[::1]/x/y/");
  ASSERT_TRUE(access.ok()) << access.error().message.c_str();
  EXPECT_EQ(access.value().endpoints,
            (std::vector<std::string>{"http://a:1", "http://b:2379", "http://[::1]:3",
                                      "http://[::1]:2379"}));
  EXPECT_EQ(access.value().prefix, "/x/y");
  EXPECT_EQ(read_access("etcd://a:1//x///y/").value().prefix, "/x/y");
}

TEST_F(AccessTest, WhatIsNoUrlIsNotRepeated) {
  for (const char* url :
       {"etcd://", "etcd:///x", "etcd://a", "etcd://a/", "etcd://a,/x", "etcd://me:secret@h/x",
        "etcd://a b/x", "etcd://a/x?secret=1", "http://a/x", "etcd://-a/x", "etcd://a:0/x",
        "etcd://a:65536/x", "etcd://a:b/x", "etcd://a:/x", "etcd://[::1/x", "etcd://a/x\ny"}) {
    EXPECT_NE(wrong(url), "") << url;
    EXPECT_EQ(wrong(url).find("secret"), std::string::npos) << wrong(url);
  }
}

TEST_F(AccessTest, SecretsAndTimesComeFromTheEnvironment) {
  setenv("ATMOST_ETCD_USER", "me", 1);
  setenv("ATMOST_ETCD_PASSWORD", "secret", 1);
  setenv("ATMOST_ETCD_CACERT", "/dev/null", 1);
  setenv("ATMOST_ETCD_TIMEOUT", "250ms", 1);
  const Result<Access> access = read_access("etcd://a:1/x");
  ASSERT_TRUE(access.ok());
  EXPECT_EQ(access.value().password, "secret");
  EXPECT_EQ(access.value().timeout.ns, 250'000'000);
  EXPECT_EQ(access.value().endpoints[0], "https://a:1");
}

TEST_F(AccessTest, HalfAWayInIsAMistake) {
  setenv("ATMOST_ETCD_PASSWORD", "secret", 1);
  EXPECT_NE(wrong("etcd://a:1/x"), "");
  setenv("ATMOST_ETCD_USER", "me", 1);
  setenv("ATMOST_ETCD_CERT", "/dev/null", 1);
  EXPECT_NE(wrong("etcd://a:1/x"), "");
  unsetenv("ATMOST_ETCD_CERT");
  setenv("ATMOST_ETCD_PASSWORD_FILE", "/nowhere/at/all", 1);
  EXPECT_NE(wrong("etcd://a:1/x").find("/nowhere/at/all"), std::string::npos);
  setenv("ATMOST_ETCD_PASSWORD_FILE", "/dev/zero", 1);
  EXPECT_NE(wrong("etcd://a:1/x").find("/dev/zero"), std::string::npos);
  unsetenv("ATMOST_ETCD_PASSWORD_FILE");
  for (const char* text : {"0", "inf", "x", "-1"}) {
    setenv("ATMOST_ETCD_TIMEOUT", text, 1);
    EXPECT_NE(wrong("etcd://a:1/x"), "") << text;
  }
}

TEST_F(AccessTest, FilesThatOthersMayReadKeepNoSecrets) {
  char path[] = "/tmp/atmost-secret-XXXXXX";
  const int fd = mkstemp(path);
  ASSERT_GE(fd, 0);
  ASSERT_EQ(write(fd, "secret\n", 7), 7);
  setenv("ATMOST_ETCD_USER", "me", 1);
  setenv("ATMOST_ETCD_PASSWORD_FILE", path, 1);
  const struct {
    mode_t mode;
    bool root_only;
    bool good;
  } kTable[] = {{0600, false, true},  {0400, false, true},  {0640, true, true},
                {0660, false, false}, {0644, false, false}, {0604, false, false},
                {0602, false, false}};
  for (const auto& row : kTable) {
    fchmod(fd, row.mode);
    const Result<Access> access = read_access("etcd://a:1/x");
    EXPECT_EQ(access.ok(), row.good && (!row.root_only || geteuid() == 0)) << row.mode;
    if (!access.ok()) {
      EXPECT_EQ(access.error().code, Code::not_permitted);
      EXPECT_NE(access.error().message.view().find(path), std::string_view::npos);
    }
  }
  close(fd);
  unlink(path);
}

TEST_F(AccessTest, FilesAreThere) {
  for (const char* name : {"CACERT", "CERT", "KEY"}) {
    const std::string variable = std::string("ATMOST_ETCD_") + name;
    setenv(variable.c_str(), "/nowhere/at/all", 1);
    EXPECT_NE(wrong("etcd://a:1/x").find("/nowhere/at/all"), std::string::npos) << name;
    unsetenv(variable.c_str());
  }
}

}  // namespace
}  // namespace atmost::etcd

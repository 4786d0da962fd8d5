#include "cli/place.h"

#include <gtest/gtest.h>

#include <string>

namespace atmost::cli {
namespace {

std::string directory_of(const NamingContext& around) {
  PathText path;
  const Status found = lock_directory(around, path);
  return found.ok() ? std::string(path.view())
                    : "error: " + std::string(found.error().message.view());
}

// option_dir, atmost_dir, state_home, home, host, root
TEST(LockDirectory, FollowsTheManual) {
  EXPECT_EQ(directory_of({"d", "/e", "/s", "/h", "mars", false}), "d");
  EXPECT_EQ(directory_of({"d", "/e", "/s", "/h", "mars", true}), "d");
  EXPECT_EQ(directory_of({"", "/e", "/s", "/h", "mars", true}), "/e");
  EXPECT_EQ(directory_of({"", "", "/s", "/h", "mars", true}), "/var/lib/atmost");
  EXPECT_EQ(directory_of({"", "", "/s", "/h", "mars", false}), "/s/atmost/mars");
  EXPECT_EQ(directory_of({"", "", "", "/h", "mars", false}), "/h/.local/state/atmost/mars");
  EXPECT_EQ(directory_of({"", "", "s", "/h", "mars", false}), "/h/.local/state/atmost/mars")
      << "relative: ignored";
  EXPECT_EQ(directory_of({"", "", "", "/", "mars", false}), "/.local/state/atmost/mars");
}

TEST(LockDirectory, SaysWhatIsMissing) {
  EXPECT_NE(directory_of({"", "", "", "", "mars", false}).find("$HOME is not set: use --dir DIR"),
            std::string::npos);
  EXPECT_NE(directory_of({"", "", "", "h", "mars", false}).find("$HOME"), std::string::npos);
  EXPECT_NE(directory_of({"", "e", "/s", "/h", "mars", false})
                .find("$ATMOST_DIR is not an absolute path"),
            std::string::npos);
  EXPECT_NE(directory_of({"", "", "/s", "/h", "", false}).find("use --host"), std::string::npos);
  EXPECT_NE(directory_of({"", "", "/s", "/h", "a/b", false}).find("use --host"), std::string::npos);
  EXPECT_NE(directory_of({"", "", "/s", "/h", "..", false}).find("use --host"), std::string::npos);
  const std::string huge(4096, 'x');
  EXPECT_NE(directory_of({huge, "", "", "", "", false}).find("too long"), std::string::npos);
  EXPECT_NE(directory_of({"", "/" + huge, "", "", "", false}).find("too long"), std::string::npos);
  EXPECT_NE(directory_of({"", "", "/" + huge, "", "mars", false}).find("too long"),
            std::string::npos);
}

std::string log_of(const Result<PathParts>& parts) {
  if (!parts.ok()) return "error: " + std::string(parts.error().message.view());
  PathText path;
  parts.value().join(path);
  EXPECT_EQ(path.size(), parts.value().size());
  EXPECT_FALSE(path.truncated());
  return std::string(path.view());
}

TEST(Logs, LieInTheLockDirectory) {
  const NamingContext root{"d/", "", "/s", "/h", "mars", true};
  EXPECT_EQ(log_of(fleet_log(root)), "d/history.jsonl");
  EXPECT_EQ(log_of(own_log(root)), "/var/lib/atmost/history.jsonl") << "whatever --dir says";
  EXPECT_EQ(log_of(own_log({"", "/", "", "", "mars", true})), "/history.jsonl");
  EXPECT_EQ(log_of(own_log({"", "/e//", "", "", "", true})), "/e//history.jsonl");
  EXPECT_EQ(log_of(own_log({"", "", "/s/", "/h", "mars", false})), "/s/atmost/mars/history.jsonl");
  EXPECT_EQ(log_of(own_log({"", "", "", "/h", "mars", false})),
            "/h/.local/state/atmost/mars/history.jsonl");
  EXPECT_NE(log_of(own_log({"d", "", "", "", "mars", false})).find("$HOME"), std::string::npos);
}

TEST(Logs, ADirectoryMayBeTooLongForThem) {
  const std::string longest = "/" + std::string(4094, 'x');
  EXPECT_EQ(directory_of({"", longest, "", "", "", true}), longest);
  EXPECT_NE(log_of(own_log({"", longest, "", "", "", true})).find("too long"), std::string::npos);
  const std::string fits = longest.substr(0, 4095 - std::string("/history.jsonl").size());
  EXPECT_EQ(log_of(own_log({"", fits, "", "", "", true})), fits + "/history.jsonl");
}

TEST(PathParts, AreJoinedByOneSlash) {
  const auto joined = [](const PathParts& parts) {
    PathText path("before");
    parts.join(path);
    EXPECT_EQ(path.size(), parts.size());
    EXPECT_EQ(parts.empty(), path.empty());
    return std::string(path.view());
  };
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({.directory = "a"}), "a");
  EXPECT_EQ(joined({.directory = "a", .file = "b"}), "a/b");
  EXPECT_EQ(joined({.directory = "/", .below = "b", .host = "c/", .file = "d"}), "/b/c/d");
  EXPECT_EQ(joined({.file = "d"}), "d");
  const std::string huge(4096, 'x');
  PathText path;
  PathParts{.directory = huge}.join(path);
  EXPECT_TRUE(path.truncated());
}

struct Placed {
  std::string path;
  std::string name;
  bool named = false;
  std::string error;
};

Placed place(std::string_view lock) {
  ScopedArena texts;
  LockSpec spec;
  Placed placed;
  const Status status =
      place_lock(lock, {"", "/d", "", "", "mars", false}, texts, spec, placed.named);
  placed.path = spec.path.view();
  placed.name = spec.name.view();
  if (!status.ok()) placed.error = status.error().message.view();
  return placed;
}

TEST(PlaceLock, PathsStayNamesAndAtomsMove) {
  EXPECT_EQ(place("build").path, "/d/build.lock");
  EXPECT_TRUE(place("build").named);
  EXPECT_EQ(place("backup:/home").path, "/d/backup=%2Fhome@mars.lock");
  EXPECT_TRUE(place("backup:/home").named);
  EXPECT_EQ(place("/x/y").path, "/x/y");
  EXPECT_FALSE(place("/x/y").named);
  EXPECT_EQ(place("./a:b").path, "./a:b");
  EXPECT_EQ(place("x/y").path, "x/y");
  EXPECT_EQ(place("x/y").name, "x/y");
  EXPECT_EQ(place("a:b:c").path, "/d/a=b%3Ac@mars.lock");
  for (std::string_view lock : {"", ".", "..", "x/", ":", "a:"})
    EXPECT_NE(place(lock).error, "") << lock;
}

TEST(PlaceLock, PathsNeedNoDirectory) {
  ScopedArena texts;
  LockSpec spec;
  bool named = true;
  EXPECT_TRUE(place_lock("/x", {}, texts, spec, named).ok());
  EXPECT_FALSE(named);
  EXPECT_FALSE(place_lock("x", {}, texts, spec, named).ok());
}

TEST(PlaceLock, APathThatWouldBeCutIsAnError) {
  ScopedArena texts;
  LockSpec spec;
  bool named = false;
  const std::string deep = "/" + std::string(4090, 'd');
  EXPECT_FALSE(place_lock("build", {deep, "", "", "", "mars", false}, texts, spec, named).ok());
}

}  // namespace
}  // namespace atmost::cli

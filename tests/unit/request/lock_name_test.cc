#include <gtest/gtest.h>

#include <map>
#include <random>
#include <set>
#include <string>

#include "core/parse.h"

namespace atmost {
namespace {

std::string name_file(std::string_view name) {
  const Result<Text<255>> got = canonical_name(name);
  EXPECT_TRUE(got.ok()) << name;
  return std::string(got.value().view());
}

std::string atom_file(std::string_view op, std::string_view operand, std::string_view host) {
  const Result<Text<255>> got = canonical_atom(op, operand, host);
  EXPECT_TRUE(got.ok()) << op << ":" << operand << "@" << host;
  return std::string(got.value().view());
}

void expect_safe(std::string_view file) {
  EXPECT_LE(file.size(), 255u);
  EXPECT_GT(file.size(), 5u);
  EXPECT_TRUE(file.ends_with(".lock")) << file;
  EXPECT_NE(file[0], '.') << file;
  EXPECT_EQ(file.find_first_not_of(
                "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._+@=,-%"),
            std::string_view::npos)
      << file;
}

TEST(Classify, FollowsTheManual) {
  const struct {
    const char* text;
    LockForm form;
  } cases[] = {
      {"/x", LockForm::path},      {"./x", LockForm::path},        {"../x", LockForm::path},
      {"/a:b", LockForm::path},    {"./a:b", LockForm::path},      {"../a:b/c", LockForm::path},
      {"a/b", LockForm::path},     {".x/y", LockForm::path},       {"...", LockForm::name},
      {"a:b", LockForm::atom},     {"a:b/c", LockForm::atom},      {"a/b:c", LockForm::atom},
      {"a:b:c", LockForm::atom},   {"tidy:/tmp", LockForm::atom},  {"build", LockForm::name},
      {".hidden", LockForm::name}, {"x.lock", LockForm::name},     {"..x", LockForm::name},
      {"-n", LockForm::name},      {"a b", LockForm::name},        {"~", LockForm::name},
      {"\x1b[2J", LockForm::name}, {"\xff\xfe", LockForm::name},   {"../../x", LockForm::path},
      {"%2F", LockForm::name},     {"http://h/x", LockForm::atom},
  };
  for (const auto& one : cases) {
    const Result<LockForm> got = classify_lock(one.text);
    ASSERT_TRUE(got.ok()) << one.text << ": " << got.error().message.view();
    EXPECT_EQ(got.value(), one.form) << one.text;
  }
}

TEST(Classify, UsageErrorsSayWhatWouldBeRight) {
  for (std::string_view text : {"", ".", "..", "/", "./", "../", "a/", "/x/", "a:b/", "//", "x/..",
                                "/x/.", "./.", ":", ":x", "x:"}) {
    const Result<LockForm> got = classify_lock(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().code, Code::usage);
    EXPECT_NE(got.error().message.view().find(": "), std::string_view::npos)
        << got.error().message.view();
  }
  EXPECT_FALSE(classify_lock(std::string_view("a\0b", 3)).ok());
  EXPECT_TRUE(classify_lock("/" + std::string(4094, 'x')).ok());
  EXPECT_FALSE(classify_lock("/" + std::string(4095, 'x')).ok());
  EXPECT_TRUE(classify_lock(std::string(100000, 'x')).ok())
      << "a name may be long: it is cut and hashed";
}

TEST(CanonicalName, IsReadable) {
  EXPECT_EQ(name_file("build"), "build.lock");
  EXPECT_EQ(name_file("x.lock"), "x.lock.lock");
  EXPECT_EQ(name_file("a/b"), "a%2Fb.lock");
  EXPECT_EQ(name_file("a_b"), "a_b.lock");
  EXPECT_EQ(name_file(".hidden"), "%2Ehidden.lock");
  EXPECT_EQ(name_file("a.b"), "a.b.lock");
  EXPECT_EQ(name_file(".."), "%2E..lock");
  EXPECT_EQ(name_file("100%"), "100%25.lock");
  EXPECT_EQ(name_file("me@home"), "me@home.lock");
  EXPECT_EQ(name_file("k=v"), "k%3Dv.lock");
  EXPECT_EQ(name_file("\x1b\n"), "%1B%0A.lock");
  EXPECT_EQ(atom_file("backup", "/home", "mars"), "backup=%2Fhome@mars.lock");
  EXPECT_EQ(atom_file("copy", "a=b@c", "mars"), "copy=a=b@c@mars.lock");
  EXPECT_NE(name_file("Build"), name_file("build"));
}

TEST(CanonicalName, EmptyPartsAreRefused) {
  EXPECT_FALSE(canonical_name("").ok());
  EXPECT_FALSE(canonical_atom("", "x", "h").ok());
  EXPECT_FALSE(canonical_atom("o", "x", "").ok());
  EXPECT_TRUE(canonical_atom("o", "", "h").ok());
}

// Every string of up to four characters over the bytes that mean something to the scheme: all files
// differ.
TEST(CanonicalName, NoTwoShortNamesOrAtomsShareAFile) {
  const std::string alphabet = "a.%=@/2F+";
  std::vector<std::string> words = {""};
  for (std::size_t from = 0, length = 0; length < 4; ++length) {
    const std::size_t to = words.size();
    for (std::size_t i = from; i < to; ++i) {
      for (char c : alphabet) words.push_back(words[i] + c);
    }
    from = to;
  }
  std::set<std::string> files;
  std::size_t made = 0;
  for (const std::string& word : words) {
    if (word.empty()) continue;
    const std::string file = name_file(word);
    expect_safe(file);
    EXPECT_TRUE(files.insert(file).second) << word << " -> " << file;
    ++made;
  }
  for (const std::string& op : words) {
    if (op.empty() || op.size() > 2) continue;
    for (const std::string& operand : words) {
      if (operand.size() > 2) continue;
      for (const std::string host : {"a", "@", "a@a", "=", "%", "."}) {
        const std::string file = atom_file(op, operand, host);
        expect_safe(file);
        EXPECT_TRUE(files.insert(file).second)
            << op << ":" << operand << "@" << host << " -> " << file;
        ++made;
      }
    }
  }
  EXPECT_EQ(files.size(), made);
}

TEST(CanonicalName, EveryByteIsSafeAndItsOwn) {
  std::set<std::string> files;
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    const std::string file = name_file({&c, 1});
    expect_safe(file);
    EXPECT_TRUE(files.insert(file).second) << byte;
  }
}

TEST(CanonicalName, TheLongestUncutNameHas250Bytes) {
  EXPECT_EQ(name_file(std::string(250, 'x')), std::string(250, 'x') + ".lock");
  const std::string cut = name_file(std::string(251, 'x'));
  expect_safe(cut);
  // printf 'x%.0s' $(seq 251) | sha256sum
  EXPECT_EQ(cut.substr(0, 186), std::string(184, 'x') + "%+");
  EXPECT_EQ(cut.size(), 255u);
}

TEST(CanonicalName, LongNamesDifferInTheirLastByteAndAreNeverCutInsideAnEscape) {
  std::set<std::string> files;
  std::size_t made = 0;
  for (std::size_t size = 1; size < 400; ++size) {
    for (const char* filler : {"x", "/", "\xC3\xA4"}) {
      for (const char* last : {"x", "y", "/"}) {
        std::string name;
        while (name.size() < size) name += filler;
        name += last;
        name = std::to_string(size) + name;
        if (!files.insert(name_file(name)).second) ADD_FAILURE() << name;
        ++made;
        const std::string file = name_file(name);
        expect_safe(file);
        for (std::size_t at = file.find('%'); at != std::string::npos;
             at = file.find('%', at + 1)) {
          const bool whole =
              file[at + 1] == '+' || (isxdigit(file[at + 1]) && isxdigit(file[at + 2]));
          EXPECT_TRUE(whole) << file;
        }
      }
    }
  }
  EXPECT_EQ(files.size(), made);
}

TEST(CanonicalName, NoNameIsTheFormOfACutOne) {
  const std::string cut = name_file(std::string(300, 'x'));
  const std::string as_name = cut.substr(0, cut.size() - 5);
  EXPECT_NE(name_file(as_name), cut);
  EXPECT_NE(name_file(cut), cut);
}

TEST(ReadableName, UndoesWhatIsCanonical) {
  for (std::string_view name :
       {"build", "x.lock", ".hidden", "a/b", "100%", "k=v", "me@home", "\x1b[2J", "%2F", "%+"}) {
    EXPECT_EQ(readable_name(name_file(name), "mars").view(), name);
  }
  EXPECT_EQ(readable_name(atom_file("backup", "/home", "mars"), "mars").view(), "backup:/home");
  EXPECT_EQ(readable_name(atom_file("backup", "a=b@c", "mars"), "venus").view(),
            "backup:a=b@c@mars");
}

TEST(ReadableName, LeavesForeignAndCutFilesAsTheyAre) {
  const std::string cut = name_file(std::string(300, 'x'));
  for (const std::string& file :
       {std::string("history.jsonl"), std::string("a b.lock"), std::string("%zz.lock"),
        std::string("%2f.lock"), std::string("%61.lock"), std::string("=x@h.lock"),
        std::string("a=b.lock"), std::string(".lock"), std::string(".x.lock"),
        std::string("a%2.lock"), std::string("a%.lock"), std::string(""), cut}) {
    EXPECT_EQ(readable_name(file, "h").view(), file);
  }
}

TEST(ReadableName, RandomNamesComeBack) {
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::string name;
    const std::size_t size = 1 + random() % 80;
    for (std::size_t k = 0; k < size; ++k) name += static_cast<char>(random() % 256);
    const std::string file = name_file(name);
    expect_safe(file);
    ASSERT_EQ(readable_name(file, "h").view(), name);
  }
}

}  // namespace
}  // namespace atmost

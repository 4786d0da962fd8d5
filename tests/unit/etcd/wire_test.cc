#include "store/etcd/wire.h"

#include <gtest/gtest.h>

namespace atmost::etcd {
namespace {

const std::string kHeader =
    R"("header":{"cluster_id":"7","member_id":"9","revision":"20","raft_term":"2"})";
const std::string kKey =
    R"({"key":"YQ==","create_revision":"5","mod_revision":"6","version":"1","value":"eA==","lease":"11"})";

std::string range(const std::string& inside) {
  return "{" + kHeader +
         R"(,"succeeded":true,"responses":[{"response_range":{"header":{"revision":"20"})" +
         inside + "}}]}";
}
bool believed(const std::string& text, Part part = Part::range) {
  return parse_txn(text, {part}).has_value();
}

TEST(Wire, Base64GoesBothWays) {
  for (const std::string text : {"", "a", "ab", "abc", "abcd"})
    EXPECT_EQ(from_base64(base64(text)), text);
  const std::string all("\0\xff\x80/+\n", 6);
  EXPECT_EQ(from_base64(base64(all)), all);
  for (const char* wrong : {"YQ", "YQ=", "YQ===", "Y===", "YR==", "Y Q=", "=YQ=", "YQ==YQ=="})
    EXPECT_FALSE(from_base64(wrong)) << wrong;
}

TEST(Wire, TheEndOfAPrefix) {
  EXPECT_EQ(end_of_prefix("a/"), "a0");
  EXPECT_EQ(end_of_prefix("a\xff"), "b");
  EXPECT_EQ(end_of_prefix("\xff"), std::string(1, '\0'));
}

TEST(Wire, AWholeAnswerIsBelieved) {
  const std::optional<TxnReply> reply =
      parse_txn(range(",\"kvs\":[" + kKey + "],\"count\":\"1\""), {Part::range});
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->succeeded);
  EXPECT_EQ(reply->header.cluster, 7u);
  EXPECT_EQ(reply->header.revision, 20u);
  ASSERT_EQ(reply->parts[0].keys.size(), 1u);
  const KeyValue& key = reply->parts[0].keys[0];
  EXPECT_EQ(key.key, "a");
  EXPECT_EQ(key.value, "x");
  EXPECT_EQ(key.created, 5u);
  EXPECT_EQ(key.modified, 6u);
  EXPECT_EQ(key.lease, 11);
  EXPECT_TRUE(believed(range("")));
}

TEST(Wire, WhatLostSomethingIsNot) {
  const std::string whole = range(",\"kvs\":[" + kKey + "],\"count\":\"1\"");
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(believed(whole.substr(0, size)));
  const auto without = [&](const std::string& from, const std::string& piece) {
    std::string text = from;
    const std::size_t at = text.find(piece);
    EXPECT_NE(at, std::string::npos) << piece;
    return at == std::string::npos ? text : text.erase(at, piece.size());
  };
  for (const char* piece :
       {"\"cluster_id\":\"7\",", "\"revision\":\"20\",", ",\"count\":\"1\"", "\"key\":\"YQ==\",",
        "\"create_revision\":\"5\",", "\"mod_revision\":\"6\",", "\"succeeded\":true,",
        "\"header\":{\"revision\":\"20\"},"}) {
    EXPECT_FALSE(believed(without(whole, piece))) << piece;
  }
  EXPECT_FALSE(believed(without(whole, "\"kvs\":[" + kKey + "],")));
  EXPECT_FALSE(believed("{" + kHeader + ",\"succeeded\":true}")) << "no answers";
  EXPECT_FALSE(believed("{\"succeeded\":true}"));
  EXPECT_FALSE(believed("{}"));
  EXPECT_FALSE(believed("[]"));
  EXPECT_FALSE(believed(""));
  EXPECT_FALSE(believed(whole, Part::put)) << "of another kind";
}

TEST(Wire, ANameTwiceIsNotBelieved) {
  const std::string whole = range(",\"kvs\":[" + kKey + "],\"count\":\"1\"");
  for (const std::string name : {"succeeded", "revision", "count", "lease", "value"}) {
    std::string text = whole;
    const std::size_t at = text.rfind('"' + name + "\":");
    ASSERT_NE(at, std::string::npos) << name;
    const std::size_t end = text.find_first_of(",}", at);
    EXPECT_FALSE(believed(text.insert(at, text.substr(at, end - at) + ","))) << text;
  }
  EXPECT_FALSE(believed(range(",\"x\":" + std::string(100'000, '[') + std::string(100'000, ']'))));
}

TEST(Wire, AKeyThatWasNotAskedForIsNotBelieved) {
  const std::string whole = range(",\"kvs\":[" + kKey + "],\"count\":\"1\"");  // it has the key "a"
  EXPECT_TRUE(parse_txn(whole, {{Part::range, "a"}}));
  EXPECT_TRUE(parse_txn(whole, {{Part::range, "a", "b"}}));
  EXPECT_FALSE(parse_txn(whole, {{Part::range, "b"}}));
  EXPECT_FALSE(parse_txn(whole, {{Part::range, "b", "c"}}));
  EXPECT_FALSE(parse_txn(whole, {{Part::range, "Z", "a"}}));
}

TEST(Wire, WhatCannotBeIsNotBelieved) {
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = range(",\"kvs\":[" + kKey + "],\"count\":\"1\"");
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_FALSE(believed(with("\"mod_revision\":\"6\"", "\"mod_revision\":\"21\"")))
      << "later than the answer";
  EXPECT_FALSE(believed(with("\"mod_revision\":\"6\"", "\"mod_revision\":\"4\"")))
      << "before its creation";
  EXPECT_FALSE(believed(with("\"create_revision\":\"5\"", "\"create_revision\":5")))
      << "etcd writes text";
  EXPECT_FALSE(believed(with("\"create_revision\":\"5\"", "\"create_revision\":\"5x\"")));
  EXPECT_FALSE(believed(with("\"create_revision\":\"5\"", "\"create_revision\":\"-5\"")));
  EXPECT_FALSE(believed(with("\"key\":\"YQ==\"", "\"key\":\"YQ=\"")));
  EXPECT_FALSE(believed(with("\"count\":\"1\"", "\"count\":\"2\""))) << "one is hidden";
  EXPECT_FALSE(believed(with("\"succeeded\":true", "\"succeeded\":\"true\"")));
}

TEST(Wire, WithoutSuccessNothingIsAnswered) {
  const std::optional<TxnReply> reply = parse_txn("{" + kHeader + "}", {Part::put});
  ASSERT_TRUE(reply);
  EXPECT_FALSE(reply->succeeded);
}

TEST(Wire, LeasesThatAreNoMore) {
  const auto ttl = [](const std::string& inside) {
    const std::optional<LeaseReply> reply =
        parse_lease("{\"result\":{" + kHeader + ",\"ID\":\"5\"" + inside + "}}");
    return reply ? reply->ttl : -99;
  };
  EXPECT_EQ(ttl(",\"TTL\":\"15\""), 15);
  EXPECT_EQ(ttl(",\"TTL\":\"-1\""), -1);
  EXPECT_EQ(ttl(""), kAbsentTtl);
  EXPECT_EQ(ttl(",\"TTL\":15"), -99);
  EXPECT_EQ(ttl(",\"TTL\":\"-2\""), -99);
  EXPECT_EQ(ttl(",\"TTL\":\"-1\",\"grantedTTL\":\"15\""), -99) << "about to end";
  EXPECT_EQ(ttl(",\"TTL\":\"9000000001\""), -99) << "etcd grants none so long";
  EXPECT_EQ(ttl(",\"TTL\":\"5\",\"grantedTTL\":\"9223372036854775807\""), -99);
  EXPECT_FALSE(parse_lease("{" + kHeader + ",\"TTL\":\"5\"}")) << "whose?";
}

TEST(Wire, WhatAMemberReportsIsText) {
  const auto errors = [](const std::string& list) {
    const std::optional<StatusReply> reply = parse_status(
        "{" + kHeader + ",\"version\":\"3.4.23\",\"leader\":\"9\",\"errors\":" + list + "}");
    return reply ? reply->errors : "malformed";
  };
  EXPECT_EQ(errors(R"(["memberID:9 alarm:NOSPACE","x"])"), "memberID:9 alarm:NOSPACE; x");
  EXPECT_EQ(errors("7"), "malformed");
  EXPECT_EQ(errors("[[]]"), "malformed");
}

TEST(Wire, AWatchTellsOfItsTroubles) {
  std::string error;
  EXPECT_TRUE(parse_watch("{\"result\":{" + kHeader + ",\"created\":true}}", error)->created);
  const std::optional<WatchReply> reply = parse_watch(
      "{\"result\":{" + kHeader +
          ",\"events\":[{\"type\":\"DELETE\",\"kv\":{\"key\":\"YQ==\",\"mod_revision\":\"8\"}}]}}",
      error);
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->events[0].erased);
  EXPECT_FALSE(
      parse_watch("{\"error\":{\"grpc_code\":14,\"message\":\"etcdserver: no leader\"}}", error));
  EXPECT_EQ(error, "etcdserver: no leader");
  EXPECT_FALSE(parse_watch("{\"result\":{}}", error));
}

TEST(Wire, AComparisonThatFailedIsAnsweredByTheOtherBranch) {
  Txn txn;
  txn.created_at("k", 0).put("k", "v").otherwise().range("/other");
  EXPECT_NE(txn.text().find("\"failure\":[{\"requestRange\""), std::string::npos) << txn.text();
  const std::string empty = "{\"response_range\":{\"header\":{}}}";
  const std::string put = "{\"response_put\":{\"header\":{}}}";
  const auto answered = [&](const std::string& rest) {
    return parse_txn("{" + kHeader + "," + rest + "}", txn.parts(), txn.other_parts());
  };
  EXPECT_TRUE(answered("\"succeeded\":true,\"responses\":[" + put + "]")->succeeded);
  EXPECT_FALSE(answered("\"responses\":[" + empty + "]")->succeeded);
  EXPECT_FALSE(answered("\"responses\":[" + put + "]"));  // "succeeded" was lost
  EXPECT_FALSE(answered("\"succeeded\":true,\"responses\":[" + empty + "]"));
  EXPECT_FALSE(answered("\"responses\":[]"));
}

}  // namespace
}  // namespace atmost::etcd

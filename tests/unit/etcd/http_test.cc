#include "store/etcd/http.h"

#include <gtest/gtest.h>

namespace atmost::etcd {
namespace {

// What is read of it, fed whole and byte by byte; "bad" for no answer, "more" for one that has not
// ended.
std::string read(const std::string& text) {
  std::string results[2];
  for (const std::size_t piece : {text.size(), std::size_t{1}}) {
    HttpReader reader;
    std::string body;
    bool good = true;
    for (std::size_t at = 0; good && at < text.size(); at += piece)
      good = reader.feed(text.substr(at, piece), body);
    std::string& result = results[piece == 1];
    result = !good ? "bad" : !reader.done() ? "more" : std::to_string(reader.status()) + " " + body;
    if (good && reader.done() && !reader.stays()) result += " closes";
    if (piece == 1 && text.size() != 1) {
      EXPECT_EQ(results[0], results[1]) << text;
    }
  }
  return results[1];
}

TEST(Http, BodiesEndWhereTheySay) {
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc"), "200 abc");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\ncontent-length:  0 \r\n\r\n"), "200 ");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n0\r\n\r\n"),
            "200 abc");
  EXPECT_EQ(read("HTTP/1.1 404 Not Found\r\nTransfer-Encoding: "
                 "chunked\r\n\r\n1\r\na\r\n0\r\nTrailer: x\r\n\r\n"),
            "404 a");
  EXPECT_EQ(read("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 None\r\n\r\n"), "204 ");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\na"),
            "200 a closes");
  EXPECT_EQ(read("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na"), "200 a closes");
}

TEST(Http, WhatFollowsAnAnswerIsOfTheNextOne) {
  const std::string next = "HTTP/1.1 204 None\r\n\r\n";
  const std::string both = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc" + next;
  HttpReader reader;
  std::string body, behind;
  EXPECT_TRUE(reader.feed(both.substr(0, both.size() - 4), body, &behind));
  EXPECT_TRUE(reader.feed(both.substr(both.size() - 4), body, &behind));
  EXPECT_TRUE(reader.done());
  EXPECT_EQ(body, "abc");
  EXPECT_EQ(behind, next);
  HttpReader strict;
  EXPECT_FALSE(strict.feed(both, body));
}

TEST(Http, WhatHasNotEndedHasNotEnded) {
  const std::string whole =
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n";
  for (std::size_t size = 2; size < whole.size(); ++size)
    EXPECT_EQ(read(whole.substr(0, size)), "more") << size;
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nab"), "more");
  EXPECT_EQ(read("HTTP/1.1 200 OK\r\n\r\nab"), "more") << "to the end of the connection";
}

TEST(Http, WhatIsNoAnswerIsRefused) {
  for (const char* text :
       {"HTTP/2 200 OK\r\n\r\n", "HTTX/1.1 200 OK\r\n\r\n", "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n", "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxy\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n", "HTTP/1.1 101 Switch\r\n\r\n"}) {
    EXPECT_EQ(read(text), "bad") << text;
  }
}

}  // namespace
}  // namespace atmost::etcd

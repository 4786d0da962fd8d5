// A connection to the server: sends several statements at once, checks the answers strictly, and
// never waits past a deadline.
#ifndef ATMOST_STORE_POSTGRES_CONNECTION_H
#define ATMOST_STORE_POSTGRES_CONNECTION_H

#include <libpq-fe.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "address.h"
#include "answer.h"
#include "core/time.h"

namespace atmost::postgres {

using Value = std::optional<std::string>;  // SQL's null or a text

// One statement, with the required form of its answer.
struct Statement {
  std::string sql;
  std::vector<Value> values = {};  // $1, $2 …
  int columns = 0;                 // of the answer; 0: it has no rows
  // The beginning of the server's confirmation. Empty: the statement's first word, or SELECT for a
  // SELECT with parts before it.
  std::string tag = {};
};

// This caller's identity for other callers, whichever connection it uses.
struct ClientId {
  // 32 random hex digits: names our rows, and the channel of our notifications.
  std::string owner;
  Duration timeout{};  // for one call of the store
};

std::uint64_t random_bits();

// The findings when a connection was made.
struct Server {
  int version = 0;           // 150018
  std::int64_t backend = 0;  // its process for us
  bool behind_proxy = false;
  bool encrypted = false;
  std::string schema;  // the comment of schema atmost; empty: there is none
};

// One connection, made when it is first needed. The socket is closed at exec; a forked child must
// not use it. If this process dies, the server notices at once; if the machine dies, within the
// server's keepalives. Not thread-safe. Deadlines are on the boot clock. (libpq looks host names
// up, which may block longer.)
class Connection {
 public:
  Connection(const Address& address, const ClientId& client) : address_(address), id_(client) {}
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { close(); }

  // Connects if there is no connection. Throws DatabaseError: unreachable (also when the last
  // connections that the server allows are left to holders), silent, or setup (an unsupported
  // version, a pooling proxy).
  void open(std::int64_t deadline_boot_ns);
  // Connects to the first host, even if that is a standby, for questions alone.
  void open_as_is(std::int64_t deadline_boot_ns);
  void close();
  bool is_open() const { return connection_ != nullptr; }
  bool was_open() const { return was_open_; }  // ever
  // When the present connection was made, or later; 0: never.
  std::int64_t opened_boot_ns() const { return opened_ns_; }
  const Server& server() const { return server_; }

  // Call it after the schema was made.
  void look_for_schema(std::int64_t deadline_boot_ns);

  // The advisory lock of this session, from which others see at once that the session has ended.
  // Each connection has another one, so that a new session need not wait until the server has
  // noticed the end of the old one. 0: it has none.
  std::int32_t session_key() const { return key_; }

  // Sends all statements and returns their answers, one for each. If there is no answer after 2/5
  // of the timeout, a second connection checks whether this one is dead (DatabaseError:
  // unreachable). Throws DatabaseError; after `refused` the transaction is rolled back and the
  // connection good, after everything else the connection is closed.
  std::vector<Rows> ask(std::span<const Statement> statements, std::int64_t deadline_boot_ns);

  // When the last complete answer came; 0: never.
  std::int64_t heard_boot_ns() const { return heard_ns_; }

  // Rolls the open transaction back, if there is one. Throws nothing; if that fails, closes the
  // connection.
  void abandon(std::int64_t deadline_boot_ns);

  // Blocks until a notification came (true), `until_boot_ns`, a signal handler ran, or `bell`
  // (-1: none) is readable. Throws DatabaseError: unreachable when the connection broke.
  bool await_news(std::int64_t until_boot_ns, int bell = -1);
  // While `bell` is readable, every wait for the server ends at once (DatabaseError: silent). -1:
  // none.
  void set_bell(int bell) { bell_ = bell; }
  // A holder's connection, or that of a caller that frees slots, is made whoever else needs one,
  // and marks its session as a holder's. Others leave the last ones to holders.
  void go_first(bool first) { goes_first_ = first; }
  // The notifications that came so far have been dealt with.
  void forget_news() { news_ = false; }

  // True if the session has a server process of its own, checked with a second connection: false
  // behind a proxy that pools transactions.
  bool session_is_ours(std::int64_t deadline_boot_ns);

 private:
  static Statement schema_mark();
  void read_schema_mark(const Rows& rows);
  void connect(const Parameters& parameters, std::int64_t deadline_boot_ns);
  void set_up(std::int64_t deadline_boot_ns);
  void make_way(std::int64_t deadline_boot_ns);
  void open_bare(std::int64_t deadline_boot_ns);
  std::int64_t backend_in_transaction(std::int64_t deadline_boot_ns);
  bool ready(short events, std::int64_t deadline_boot_ns) const;
  void await_socket(short events, std::int64_t deadline_boot_ns) const;
  void await_answer(std::int64_t deadline_boot_ns);
  bool is_at_work(std::int64_t deadline_boot_ns) const;
  void refuse_standby(std::int64_t deadline_boot_ns);
  PGresult* next(std::int64_t deadline_boot_ns);
  void flush(std::int64_t deadline_boot_ns);
  void read_notifications();
  [[noreturn]] void not_let_in();
  [[noreturn]] void broken();
  [[noreturn]] void malformed(const std::string& words);

  const Address& address_;
  const ClientId& id_;
  PGconn* connection_ = nullptr;
  std::size_t first_ = 0;  // the server that answered last
  Server server_;
  std::int64_t heard_ns_ = 0;
  std::int64_t opened_ns_ = 0;
  bool was_open_ = false;
  std::int32_t key_ = 0;
  bool news_ = false;
  int bell_ = -1;
  std::int64_t asked_ns_ = 0;
  // True if another connection may check this one when an answer is late.
  bool may_doubt_ = true;
  bool goes_first_ = false;
  bool doubts_ = false;  // it has not checked yet for the present question
};

// The connections that the server still accepts, and the callers that they are left for: a holder
// whose session ended needs another one before its lease ends, so that idle callers leave it one.
// Of the limits of the server, the database and the role, the one of which the least is left.
struct ConnectionLimit {
  std::string of;  // "the server", "database ops", "role atmost"
  std::int64_t most = 0;
  std::int64_t used = 0;
  std::int64_t holders = 0;  // callers whose lease lasts
  std::int64_t away = 0;     // of these, without a session; counted when fewer connections are left

  std::int64_t left() const { return most > used ? most - used : 0; }
};

// One row for read_limit(). The schema has to be there.
Statement ask_limit();
ConnectionLimit read_limit(const Rows& rows);

// Others see by this lock, for as long as the session lasts, that the holder has one.
Statement mark_session(const ClientId& holder);

// The state of the error of a caller that left a connection to a holder: PostgreSQL's for a server
// that accepts no more.
inline constexpr std::string_view kNoMoreConnections = "53300";
DatabaseError left_to_holders(const ConnectionLimit& limit);

// Statements without an answer.
inline Statement begin() { return {"BEGIN"}; }
inline Statement commit() { return {"COMMIT"}; }
inline Statement rollback() { return {"ROLLBACK"}; }

}  // namespace atmost::postgres

#endif

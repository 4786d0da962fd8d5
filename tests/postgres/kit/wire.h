// A proxy between a client and the server that spoils one of the server's messages.
#ifndef ATMOST_TESTS_POSTGRES_KIT_WIRE_H
#define ATMOST_TESTS_POSTGRES_KIT_WIRE_H

#include <atomic>
#include <string>
#include <string_view>
#include <thread>

namespace postgres_kit {

enum class Spoil {
  nothing,
  drop,        // the message is missing
  cut,         // half of it, then the connection is closed
  reset,       // the connection is closed instead
  stall,       // nothing more comes
  empty,       // no body
  zeros,       // a body of zeros
  ones,        // a body of 0xff
  other_type,  // another letter in front
  twice,       // it comes twice
  refuse,      // an error of the server's instead (SQLSTATE 58000)
  null_value,  // one of a row's values (`column`) is missing
  text_value,  // one of a row's values is not a number, bool or list
  fewer,       // a row with one column less
};
inline constexpr int kSpoils = 14;

// Listens on DIRECTORY/.s.PGSQL.5432 for one client after the other. Threads; ends with the object.
class Wire {
 public:
  Wire(const std::string& directory, std::string server_socket);
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  ~Wire();

  // From now on: the message number `at` of the server (counted over all connections, from 0) is
  // spoiled; and with `always` that of each connection, counted in it.
  void spoil(Spoil how, int at, bool always = false, int column = 0);
  // From now on nothing passes either way, without a notice, as with a pulled network cable.
  void cut_off() { cut_off_ = true; }
  // The number of messages that the server sent since spoil().
  int messages() const { return count_; }
  bool hit() const { return hit_; }
  // The traffic of clients since spoil(): connections, batches (round trips), statements in them.
  int connections() const { return connections_; }
  int batches() const { return batches_; }
  int statements() const { return statements_; }
  // The columns of the spoiled message, if it was a row.
  int columns() const { return columns_; }

 private:
  void listen();
  void count_asked(std::string& unread, bool& began, std::string_view more);
  void serve(int client);
  bool pass(int from, int to, std::string& pending, int& in_connection);
  bool send_spoiled(int to, std::string message);

  std::string path_;
  std::string server_socket_;
  int listener_ = -1;
  std::atomic<bool> ending_ = false;
  std::atomic<bool> cut_off_ = false;
  std::atomic<Spoil> how_ = Spoil::nothing;
  std::atomic<int> at_ = 0;
  std::atomic<int> column_ = 0;
  std::atomic<bool> always_ = false;
  std::atomic<int> count_ = 0;
  std::atomic<bool> hit_ = false;
  std::atomic<int> columns_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> batches_ = 0;
  std::atomic<int> statements_ = 0;
  std::atomic<unsigned> order_ = 0;  // of spoil(): connections of before are closed
  std::thread thread_;
};

}  // namespace postgres_kit

#endif

// The tables in the database, and how they come there.
#ifndef ATMOST_STORE_POSTGRES_SCHEMA_H
#define ATMOST_STORE_POSTGRES_SCHEMA_H

#include <cstdint>
#include <string>

namespace atmost::postgres {

class Connection;

// The first of the two numbers of our advisory locks: "atmo". They speed things up and decide
// nothing.
inline constexpr std::int32_t kAdvisoryClass = 0x61746d6f;

// The comment by which schema atmost is known for ours, of this format.
inline constexpr char kSchemaMark[] = "atmost: locks, format 2";

// The whole as a script for psql, with what it is for.
std::string schema_script();

// Creates what is missing. Throws DatabaseError (not permitted, with words what to do).
void create_schema(Connection& connection, std::int64_t deadline_boot_ns);

}  // namespace atmost::postgres

#endif

// The tables in the database, and their creation.
#ifndef ATMOST_STORE_POSTGRES_SCHEMA_H
#define ATMOST_STORE_POSTGRES_SCHEMA_H

#include <cstdint>
#include <string>

namespace atmost::postgres {

class Connection;

// The first of the two numbers of our advisory locks: "atmo". They make callers faster; no decision
// depends on them.
inline constexpr std::int32_t kAdvisoryClass = 0x61746d6f;
// The same of the locks by which holders' sessions are counted: "atmh".
inline constexpr std::int32_t kHolderClass = 0x61746d68;

// The comment that marks schema atmost as ours, in this format.
inline constexpr char kSchemaMark[] = "atmost: locks, format 4";

// Marks of earlier formats, which create_schema() brings to this one.
inline constexpr char kFirstMark[] = "atmost: locks, format 2";
inline constexpr char kSecondMark[] = "atmost: locks, format 3";

// The whole schema as a script for psql, with comments.
std::string schema_script();

// Creates the missing tables and columns, also in an earlier format (`there`); existing rows stay.
// Programs of that format then refuse the schema. Throws DatabaseError (not permitted; the message
// has the remedy).
void create_schema(Connection& connection, bool there, std::int64_t deadline_boot_ns);

}  // namespace atmost::postgres

#endif

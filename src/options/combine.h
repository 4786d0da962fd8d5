// The rules between options: combinations that make no sense are refused, defaults that depend on
// others are set.
#ifndef ATMOST_OPTIONS_COMBINE_H
#define ATMOST_OPTIONS_COMBINE_H

#include "core/schemes.h"
#include "settings.h"

namespace atmost {

// The first rule (rules.cc) that the settings of this taker break, for a lock in such a store: a
// usage error in the taker's words that begins with an option. Pure.
Status check_rules(const Settings& settings, const Scheme& store, unsigned taker);

// The same. If no rule is broken, sets the defaults that one option gives another; the request is
// complete then, except for its places. Not to be called twice.
Status combine(Settings& settings, const Scheme& store, unsigned taker);

// The error of --ttl for a lock without a lease.
Error without_lease();

// A remark for the user that does not stop the run; empty if there is none.
std::string_view doubtful(const Settings& settings);

}  // namespace atmost

#endif

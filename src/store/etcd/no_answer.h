// The reasons of libcurl for a question without an answer, in our terms.
#ifndef ATMOST_STORE_ETCD_NO_ANSWER_H
#define ATMOST_STORE_ETCD_NO_ANSWER_H

#include <curl/curl.h>

#include <string_view>

#include "channel.h"

namespace atmost::etcd {

// Fills `to` but for status, body and date. `code`: not CURLE_OK. `words`: libcurl's of this
// question (CURLOPT_ERRORBUFFER), may be empty.
void no_answer(CURL* handle, CURLcode code, std::string_view words, const Question& question,
               Exchange& to);

}  // namespace atmost::etcd

#endif

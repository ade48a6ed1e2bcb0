/* explain_exchange.h: what moves between devices on a tensor's way from one sharding to another.
 * Depends on arguments.h and relayout/exchange.h. */
#ifndef TOOLS_EXPLAIN_EXCHANGE_H
#define TOOLS_EXPLAIN_EXCHANGE_H

#include <stdbool.h>

#include "command.h"
#include "relayout/relayout.h"

/* What the command line says of it; NULL where it says nothing. */
typedef struct explain_exchange_request {
  const char *from_sharding; /* a side without one is one whole tensor, on device 0 */
  const char *to_sharding;
  const char *devices; /* on a side that is replicated on as many as there are */
  const char *devices_per_node;
  const char *to_first_peer;
  const char *message_bytes;
  const char *wire; /* elements and order of messages */
  bool as_json;
} explain_exchange_request;

exit_code explain_exchange(const explain_exchange_request *asked, const relayout_shape *from,
                           const relayout_shape *to, const relayout_plan_options *values);

#endif

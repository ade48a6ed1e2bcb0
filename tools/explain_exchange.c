/* explain_exchange.c: peers and messages of an exchange, in words and as JSON. */
#include "explain_exchange.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "arguments.h"
#include "json_output.h"
#include "size_text.h"

enum { MOST_PEERS = 4096, MOST_MESSAGES_PRINTED = 64 };

typedef struct peer {
  relayout_exchange *exchange; /* of metadata alone */
  relayout_exchange_volume volume;
  int64_t sent_messages;
  int64_t received_messages;
} peer;

typedef struct scene {
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange_options options;
  int32_t node_of[MOST_PEERS];
  int64_t count;
  peer *peers;
} scene;

static int64_t larger(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* ---- Reading -------------------------------------------------------------------------------- */

static const char *or_whole(const char *sharding) {
  return sharding != NULL ? sharding : "{maximal device=0}";
}

/* 0 where the option is not there. */
static exit_code read_optional(const char *option, const char *text, uint64_t least, uint64_t most,
                               uint64_t *number) {
  *number = 0;
  return text != NULL ? arguments_read_count(option, text, least, most, number) : EXIT_CODE_OK;
}

/* A side whose sharding names no devices is replicated: on as many devices as --devices says, or
 * else as the other side names. */
static exit_code count_peers(scene *of, int64_t asked) {
  const int64_t from = arguments_named_devices(&of->from_sharding);
  const int64_t to = arguments_named_devices(&of->to_sharding);
  const int64_t replicas = asked > 0 ? asked : larger(larger(from, to), 1);
  of->options.from_devices = from > 0 ? from : replicas;
  of->options.to_devices = to > 0 ? to : replicas;
  of->count = larger(of->options.from_devices, of->options.to_first_peer + of->options.to_devices);
  return of->count <= MOST_PEERS
             ? EXIT_CODE_OK
             : report(EXIT_CODE_BAD_INPUT,
                      "the shardings have devices for %" PRId64 " peers; at most %d are explained",
                      of->count, MOST_PEERS);
}

static exit_code read_options(const explain_exchange_request *asked, scene *of) {
  uint64_t replicas, per_node = 0, first = 0, message_bytes = 0;
  exit_code code = read_optional("--devices", asked->devices, 1, MOST_PEERS, &replicas);
  if (code == EXIT_CODE_OK) {
    code = read_optional("--devices-per-node", asked->devices_per_node, 1, MOST_PEERS, &per_node);
  }
  if (code == EXIT_CODE_OK) {
    code = read_optional("--to-first-peer", asked->to_first_peer, 0, MOST_PEERS, &first);
  }
  if (code == EXIT_CODE_OK) {
    code = read_optional("--message-bytes", asked->message_bytes, 1, SIZE_MAX / 2, &message_bytes);
  }
  if (code != EXIT_CODE_OK) {
    return code;
  }
  of->options.to_first_peer = (int64_t)first;
  of->options.message_bytes = (size_t)message_bytes;
  code = count_peers(of, (int64_t)replicas);
  if (code == EXIT_CODE_OK && per_node > 0) {
    for (int64_t i = 0; i < of->count; i++) {
      of->node_of[i] = (int32_t)(i / (int64_t)per_node);
    }
    of->options.node_of = of->node_of;
    of->options.node_count = of->count;
  }
  return code;
}

/* ---- Making --------------------------------------------------------------------------------- */

static exit_code make_peer(const scene *of, int64_t number, peer *made) {
  relayout_error error;
  if (relayout_exchange_create(NULL, &of->from, &of->from_sharding, &of->to, &of->to_sharding,
                               number, &of->options, &made->exchange, &error) != RELAYOUT_OK ||
      relayout_exchange_get_volume(made->exchange, number, &made->volume, &error) != RELAYOUT_OK) {
    return report_error(NULL, &error);
  }
  const int64_t count = relayout_exchange_message_count(made->exchange);
  for (int64_t m = 0; m < count; m++) {
    relayout_exchange_message message;
    relayout_exchange_get_message(made->exchange, m, &message, NULL);
    *(message.is_sent ? &made->sent_messages : &made->received_messages) += 1;
  }
  return EXIT_CODE_OK;
}

static exit_code make_peers(scene *of) {
  of->peers = calloc((size_t)of->count, sizeof *of->peers);
  if (of->peers == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for %" PRId64 " peers", of->count);
  }
  exit_code code = EXIT_CODE_OK;
  for (int64_t i = 0; i < of->count && code == EXIT_CODE_OK; i++) {
    code = make_peer(of, i, &of->peers[i]);
  }
  return code;
}

static void free_peers(scene *of) {
  for (int64_t i = 0; of->peers != NULL && i < of->count; i++) {
    relayout_exchange_destroy(of->peers[i].exchange);
  }
  free(of->peers);
}

/* ---- Sums ----------------------------------------------------------------------------------- */

typedef struct sums {
  relayout_exchange_volume all, most;
  int64_t messages;
} sums;

static sums sum_up(const scene *of) {
  sums found = {.messages = 0};
  for (int64_t i = 0; i < of->count; i++) {
    const relayout_exchange_volume *const own = &of->peers[i].volume;
    found.all.sent += own->sent;
    found.all.kept += own->kept;
    if (own->sent > found.most.sent) {
      found.most.sent = own->sent;
    }
    if (own->received > found.most.received) {
      found.most.received = own->received;
    }
    found.messages += of->peers[i].sent_messages;
  }
  return found;
}

/* ---- In words ------------------------------------------------------------------------------- */

enum { WIRE_TEXT_SIZE = RELAYOUT_SHAPE_TEXT_SIZE };

/* All peers have the same. */
static void print_wire(const scene *of) {
  char wire[WIRE_TEXT_SIZE];
  relayout_exchange_get_wire(of->peers[0].exchange, wire, sizeof wire);
  printf("messages hold %s\n", wire);
}

static void print_sums(const sums *of) {
  char sent[SIZE_TEXT_CAPACITY], kept[SIZE_TEXT_CAPACITY];
  char most_sent[SIZE_TEXT_CAPACITY], most_received[SIZE_TEXT_CAPACITY];
  size_text(of->all.sent, sent);
  size_text(of->all.kept, kept);
  size_text(of->most.sent, most_sent);
  size_text(of->most.received, most_received);
  printf("sent: %s, in messages: %" PRId64 "\n", sent, of->messages);
  printf("kept: %s, which stay on their devices\n", kept);
  printf("a peer sends at most %s, and receives at most %s\n", most_sent, most_received);
}

static void print_peers(const scene *of) {
  printf("\n%6s  %14s  %14s  %14s  %8s  %8s\n", "peer", "sends", "receives", "keeps", "messages",
         "messages");
  printf("%6s  %14s  %14s  %14s  %8s  %8s\n", "", "bytes", "bytes", "bytes", "sent", "received");
  for (int64_t i = 0; i < of->count; i++) {
    const peer *const own = &of->peers[i];
    printf("%6" PRId64 "  %14" PRIu64 "  %14" PRIu64 "  %14" PRIu64 "  %8" PRId64 "  %8" PRId64
           "\n",
           i, own->volume.sent, own->volume.received, own->volume.kept, own->sent_messages,
           own->received_messages);
  }
}

static void print_numbers(int32_t count, const int64_t *numbers) {
  for (int32_t d = 0; d < count; d++) {
    printf("%s%" PRId64, d > 0 ? "," : "", numbers[d]);
  }
  printf("%s", count == 0 ? "-" : "");
}

static void print_messages(const scene *of) {
  printf("\n%6s  %6s  %14s  sizes at start\n", "from", "to", "bytes");
  for (int64_t i = 0; i < of->count; i++) {
    for (int64_t m = 0; m < of->peers[i].sent_messages; m++) {
      relayout_exchange_message message;
      relayout_exchange_get_message(of->peers[i].exchange, m, &message, NULL);
      printf("%6" PRId64 "  %6" PRId64 "  %14zu  ", i, message.peer, message.bytes);
      print_numbers(of->from.rank, message.sizes);
      printf(" at ");
      print_numbers(of->from.rank, message.start);
      if (message.box_count > 1) {
        printf(", and %" PRId64 " boxes more", message.box_count - 1);
      }
      printf("\n");
    }
  }
}

/* ---- As JSON -------------------------------------------------------------------------------- */

static json_t *json_of_peers(const scene *of) {
  json_t *peers = json_of_no_elements();
  for (int64_t i = 0; i < of->count; i++) {
    const peer *const own = &of->peers[i];
    peers =
        json_with_element(peers, json_of_members((json_member[]){
                                     {"peer", json_of_integer(i)},
                                     {"sent", json_of_size(own->volume.sent)},
                                     {"received", json_of_size(own->volume.received)},
                                     {"kept", json_of_size(own->volume.kept)},
                                     {"messages_sent", json_of_integer(own->sent_messages)},
                                     {"messages_received", json_of_integer(own->received_messages)},
                                     {NULL, NULL}}));
  }
  return peers;
}

static json_t *json_of_messages(const scene *of) {
  const size_t rank = (size_t)of->from.rank;
  json_t *messages = json_of_no_elements();
  for (int64_t i = 0; i < of->count; i++) {
    for (int64_t m = 0; m < of->peers[i].sent_messages; m++) {
      relayout_exchange_message message;
      relayout_exchange_get_message(of->peers[i].exchange, m, &message, NULL);
      messages = json_with_element(messages, json_of_members((json_member[]){
                                                 {"from", json_of_integer(i)},
                                                 {"to", json_of_integer(message.peer)},
                                                 {"tag", json_of_integer(message.tag)},
                                                 {"bytes", json_of_size(message.bytes)},
                                                 {"boxes", json_of_integer(message.box_count)},
                                                 {"start", json_of_integers(rank, message.start)},
                                                 {"sizes", json_of_integers(rank, message.sizes)},
                                                 {NULL, NULL}}));
    }
  }
  return messages;
}

static exit_code print_json(const scene *of) {
  char from[RELAYOUT_SHAPE_TEXT_SIZE], to[RELAYOUT_SHAPE_TEXT_SIZE];
  char from_sharding[RELAYOUT_SHARDING_TEXT_SIZE], to_sharding[RELAYOUT_SHARDING_TEXT_SIZE];
  char wire[WIRE_TEXT_SIZE];
  relayout_exchange_get_wire(of->peers[0].exchange, wire, sizeof wire);
  relayout_shape_format(&of->from, from, sizeof from);
  relayout_shape_format(&of->to, to, sizeof to);
  relayout_sharding_format(&of->from_sharding, from_sharding, sizeof from_sharding);
  relayout_sharding_format(&of->to_sharding, to_sharding, sizeof to_sharding);
  return json_print_line(
      json_of_members((json_member[]){{"from", json_of_text(from)},
                                      {"from_sharding", json_of_text(from_sharding)},
                                      {"to", json_of_text(to)},
                                      {"to_sharding", json_of_text(to_sharding)},
                                      {"wire", json_of_text(wire)},
                                      {"peers", json_of_peers(of)},
                                      {"messages", json_of_messages(of)},
                                      {NULL, NULL}}),
      stdout);
}

static exit_code print(const scene *of, bool as_json) {
  if (as_json) {
    return print_json(of);
  }
  const sums found = sum_up(of);
  print_sums(&found);
  print_wire(of);
  print_peers(of);
  if (found.messages > 0 && found.messages <= MOST_MESSAGES_PRINTED) {
    print_messages(of);
  }
  return EXIT_CODE_OK;
}

exit_code explain_exchange(const explain_exchange_request *asked, const relayout_shape *from,
                           const relayout_shape *to, const relayout_plan_options *values) {
  scene *const of = calloc(1, sizeof *of);
  if (of == NULL) {
    return report(EXIT_CODE_FAILURE, "no memory for an exchange");
  }
  of->from = *from;
  of->to = *to;
  of->options = (relayout_exchange_options)RELAYOUT_EXCHANGE_OPTIONS_INIT;
  of->options.plan = values;
  of->options.wire = asked->wire;
  exit_code code = arguments_read_sharding("--from-sharding", or_whole(asked->from_sharding), from,
                                           &of->from_sharding);
  if (code == EXIT_CODE_OK) {
    code = arguments_read_sharding("--to-sharding", or_whole(asked->to_sharding), to,
                                   &of->to_sharding);
  }
  if (code == EXIT_CODE_OK) {
    code = read_options(asked, of);
  }
  if (code == EXIT_CODE_OK) {
    code = make_peers(of);
  }
  if (code == EXIT_CODE_OK) {
    code = print(of, asked->as_json);
  }
  free_peers(of);
  free(of);
  return code;
}

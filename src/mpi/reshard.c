/* reshard.c: the messages of an exchange by MPI, point to point.
 *
 * Messages of each direction have slots, which they take in turns: message i waits for the end of
 * message i - depth. Both sides count messages by the distance of the other rank first, and the
 * distance is the same on both; so the first message of all that has not arrived has a slot with
 * its sender and with its receiver, and no rank waits for ever. */
#include "relayout/mpi.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  DEFAULT_DEPTH = 2,
  MOST_DEPTH = 64,
  DEFAULT_MESSAGE_BYTES = 1 << 20,
  MOST_MESSAGE_BYTES = 1 << 30,
  LEAST_TAG_UB = 32767 /* of any MPI */
};

typedef struct message {
  int64_t number; /* in the exchange */
  int peer;
  int tag;
  int bytes;
  int64_t place; /* in the shard; -1: it is packed, or unpacked */
  MPI_Request persistent;
} message;

/* The messages of one direction. */
typedef struct lane {
  int64_t count;
  message *messages;
  int64_t *under_way;    /* the message of each slot; count or more: none */
  MPI_Request *requests; /* of each slot */
  uint8_t *slots;        /* memory, slot_bytes each; NULL where no message needs any */
  size_t slot_bytes;
} lane;

struct relayout_mpi_reshard {
  MPI_Comm comm;
  relayout_exchange *exchange;
  int depth;
  bool keeps; /* something stays with this rank */
  lane sent, received;
  MPI_Request *requests; /* of both lanes, those that are sent first */
  MPI_Status *statuses;  /* of those that have ended */
  int *ended;
  const uint8_t *source;
  uint8_t *destination;
  bool runs;
  relayout_error failure; /* the first one; its status is RELAYOUT_OK before */
};

/* ---- Errors --------------------------------------------------------------------------------- */

__attribute__((format(printf, 3, 4))) static relayout_status
fail(relayout_error *error, relayout_status status, const char *format, ...) {
  if (error != NULL) {
    va_list arguments;
    va_start(arguments, format);
    *error = (relayout_error){.status = status};
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
  }
  return status;
}

static relayout_status fail_in_mpi(relayout_error *error, const char *what, int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  return fail(error, RELAYOUT_TRANSPORT_ERROR, "%s: MPI: %.*s", what, length, text);
}

static bool has_failed(const relayout_mpi_reshard *of) {
  return of->failure.status != RELAYOUT_OK;
}

static void note(relayout_mpi_reshard *of, const relayout_error *failure) {
  if (!has_failed(of)) {
    of->failure = *failure;
  }
}

static void note_message(relayout_mpi_reshard *of, const lane *in, const message *about, int code) {
  char what[64];
  relayout_error failure;
  snprintf(what, sizeof what, "a message %s rank %d", in == &of->sent ? "to" : "from", about->peer);
  fail_in_mpi(&failure, what, code);
  note(of, &failure);
}

/* ---- Making --------------------------------------------------------------------------------- */

/* Programs that were compiled with an older header give less, and mean the defaults by it. */
static relayout_status read_struct(const char *name, const void *given, size_t size, void *read,
                                   relayout_error *error) {
  size_t given_size = 0;
  memcpy(&given_size, given, sizeof given_size); /* each begins with it */
  if (given_size < sizeof given_size || given_size > size) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT, "%s->struct_size is %zu; expected %zu", name,
                given_size, size);
  }
  memcpy(read, given, given_size);
  return RELAYOUT_OK;
}

static relayout_status read_options(const relayout_mpi_reshard_options *given,
                                    relayout_mpi_reshard_options *read,
                                    relayout_exchange_options *exchange, relayout_error *error) {
  relayout_status status = RELAYOUT_OK;
  *read = (relayout_mpi_reshard_options)RELAYOUT_MPI_RESHARD_OPTIONS_INIT;
  *exchange = (relayout_exchange_options)RELAYOUT_EXCHANGE_OPTIONS_INIT;
  if (given != NULL) {
    status = read_struct("options", given, sizeof *read, read, error);
  }
  if (status == RELAYOUT_OK && read->exchange != NULL) {
    status = read_struct("options->exchange", read->exchange, sizeof *exchange, exchange, error);
    exchange->struct_size = sizeof *exchange;
  }
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (read->depth < 0 || read->depth > MOST_DEPTH) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT, "options->depth is %" PRId32 "; expected 0 to %d",
                read->depth, MOST_DEPTH);
  }
  if (exchange->message_bytes > MOST_MESSAGE_BYTES) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT,
                "options->exchange->message_bytes is %zu; expected at most %d",
                exchange->message_bytes, MOST_MESSAGE_BYTES);
  }
  read->depth = read->depth > 0 ? read->depth : DEFAULT_DEPTH;
  exchange->message_bytes =
      exchange->message_bytes > 0 ? exchange->message_bytes : DEFAULT_MESSAGE_BYTES;
  return RELAYOUT_OK;
}

static bool make_room(relayout_mpi_reshard *made) {
  const size_t count = (size_t)relayout_exchange_message_count(made->exchange);
  const size_t both = 2 * (size_t)made->depth;
  made->requests = calloc(both, sizeof *made->requests);
  made->statuses = calloc(both, sizeof *made->statuses);
  made->ended = calloc(both, sizeof *made->ended);
  made->sent.under_way = calloc(both, sizeof *made->sent.under_way);
  made->sent.messages = calloc(count + 1, sizeof *made->sent.messages);
  if (made->requests == NULL || made->statuses == NULL || made->ended == NULL ||
      made->sent.under_way == NULL || made->sent.messages == NULL) {
    return false;
  }
  made->received.under_way = made->sent.under_way + made->depth;
  made->sent.requests = made->requests;
  made->received.requests = made->requests + made->depth;
  for (size_t i = 0; i < both; i++) {
    made->requests[i] = MPI_REQUEST_NULL;
  }
  return true;
}

/* Those that are sent come first in an exchange, and so in memory. */
static void take_messages(relayout_mpi_reshard *made) {
  const int64_t count = relayout_exchange_message_count(made->exchange);
  for (int64_t i = 0; i < count; i++) {
    relayout_exchange_message of;
    relayout_exchange_get_message(made->exchange, i, &of, NULL);
    lane *const in = of.is_sent ? &made->sent : &made->received;
    made->sent.messages[i] = (message){.number = i,
                                       .peer = (int)of.peer,
                                       .tag = of.tag % (LEAST_TAG_UB + 1),
                                       .bytes = (int)of.bytes,
                                       .place = of.place,
                                       .persistent = MPI_REQUEST_NULL};
    in->slot_bytes = of.place < 0 && of.bytes > in->slot_bytes ? of.bytes : in->slot_bytes;
    in->count += 1;
  }
  made->received.messages = made->sent.messages + made->sent.count;
}

static size_t lane_bytes(const relayout_mpi_reshard *of, const lane *in) {
  const int64_t slots = in->count < of->depth ? in->count : of->depth;
  return (size_t)slots * in->slot_bytes;
}

static relayout_status make_lane(relayout_mpi_reshard *made, lane *in, relayout_error *error) {
  const size_t bytes = lane_bytes(made, in);
  in->slots = bytes > 0 ? malloc(bytes) : NULL;
  if (bytes > 0 && in->slots == NULL) {
    return fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for messages of %zu bytes", bytes);
  }
  for (int64_t i = 0; i < in->count; i++) {
    message *const of = &in->messages[i];
    uint8_t *const slot = in->slots + (size_t)(i % made->depth) * in->slot_bytes;
    const int code = of->place >= 0      ? MPI_SUCCESS
                     : in == &made->sent ? MPI_Send_init(slot, of->bytes, MPI_BYTE, of->peer,
                                                         of->tag, made->comm, &of->persistent)
                                         : MPI_Recv_init(slot, of->bytes, MPI_BYTE, of->peer,
                                                         of->tag, made->comm, &of->persistent);
    if (code != MPI_SUCCESS) {
      return fail_in_mpi(error, "a persistent request", code);
    }
  }
  return RELAYOUT_OK;
}

static relayout_status make_lanes(relayout_mpi_reshard *made, int ranks, relayout_error *error) {
  const int64_t peers = relayout_exchange_peer_count(made->exchange);
  if (peers > ranks) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT,
                "peer %" PRId64 " takes part, but the communicator has %d ranks", peers - 1, ranks);
  }
  if (!make_room(made)) {
    return fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for the messages of a reshard");
  }
  take_messages(made);
  const relayout_status status = make_lane(made, &made->sent, error);
  return status == RELAYOUT_OK ? make_lane(made, &made->received, error) : status;
}

/* What all ranks return: the status of one that failed, or RELAYOUT_OK if they mean the same. */
static relayout_status agree(MPI_Comm comm, int rank, relayout_status own, uint64_t fingerprint,
                             relayout_error *error) {
  const uint64_t failed = own == RELAYOUT_OK ? 0 : (uint64_t)own << 32 | (uint64_t)rank;
  const uint64_t mine[3] = {failed, fingerprint, ~fingerprint};
  uint64_t all[3] = {0, 0, 0};
  const int code = MPI_Allreduce(mine, all, 3, MPI_UINT64_T, MPI_MAX, comm);
  const relayout_status status = (relayout_status)(all[0] >> 32);
  if (code != MPI_SUCCESS) {
    return fail_in_mpi(error, "agreeing on a reshard", code);
  }
  if (status == RELAYOUT_OK && all[1] != ~all[2]) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT,
                "the ranks were given different arguments: shapes, shardings or options");
  }
  return status == own ? status
                       : fail(error, status, "rank %d failed: %s", (int)(all[0] & 0xffffffff),
                              relayout_status_text(status));
}

static relayout_status check_comm(MPI_Comm comm, relayout_error *error) {
  int is_inter = 0;
  if (comm == MPI_COMM_NULL) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT, "comm is MPI_COMM_NULL");
  }
  MPI_Comm_test_inter(comm, &is_inter);
  return is_inter ? fail(error, RELAYOUT_INVALID_ARGUMENT, "comm is an intercommunicator")
                  : RELAYOUT_OK;
}

static relayout_status make(relayout_mpi_reshard *made, relayout_device *device,
                            const relayout_shape *from, const relayout_sharding *from_sharding,
                            const relayout_shape *to, const relayout_sharding *to_sharding,
                            const relayout_mpi_reshard_options *options, relayout_error *error) {
  relayout_mpi_reshard_options read;
  relayout_exchange_options exchange;
  relayout_exchange_volume volume = {.kept = 0};
  int rank = 0, ranks = 0;
  MPI_Comm_rank(made->comm, &rank);
  MPI_Comm_size(made->comm, &ranks);
  relayout_status status = read_options(options, &read, &exchange, error);
  made->depth = read.depth;
  if (status == RELAYOUT_OK) {
    status = relayout_exchange_create(device, from, from_sharding, to, to_sharding, rank, &exchange,
                                      &made->exchange, error);
  }
  if (status == RELAYOUT_OK) {
    status = relayout_exchange_get_volume(made->exchange, rank, &volume, error);
    made->keeps = volume.kept > 0;
  }
  if (status == RELAYOUT_OK && device == NULL && volume.sent + volume.received + volume.kept > 0) {
    status =
        fail(error, RELAYOUT_INVALID_ARGUMENT, "device is NULL on rank %d, which takes part", rank);
  }
  return status == RELAYOUT_OK ? make_lanes(made, ranks, error) : status;
}

relayout_status relayout_mpi_reshard_create(MPI_Comm comm, relayout_device *device,
                                            const relayout_shape *from,
                                            const relayout_sharding *from_sharding,
                                            const relayout_shape *to,
                                            const relayout_sharding *to_sharding,
                                            const relayout_mpi_reshard_options *options,
                                            relayout_mpi_reshard **reshard, relayout_error *error) {
  relayout_status status = check_comm(comm, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  relayout_mpi_reshard *made = calloc(1, sizeof *made);
  MPI_Comm own = MPI_COMM_NULL;
  int rank = 0;
  const int code = MPI_Comm_dup(comm, &own);
  if (code != MPI_SUCCESS) {
    free(made);
    return fail_in_mpi(error, "a communicator for a reshard", code);
  }
  MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN);
  MPI_Comm_rank(own, &rank);
  status = made == NULL      ? fail(error, RELAYOUT_OUT_OF_MEMORY, "no memory for a reshard")
           : reshard == NULL ? fail(error, RELAYOUT_INVALID_ARGUMENT, "reshard is NULL")
                             : RELAYOUT_OK;
  if (made != NULL) {
    made->comm = own;
  }
  if (status == RELAYOUT_OK) {
    status = make(made, device, from, from_sharding, to, to_sharding, options, error);
  }
  status = agree(own, rank, status,
                 made != NULL ? relayout_exchange_fingerprint(made->exchange) : 0, error);
  if (status == RELAYOUT_OK) {
    *reshard = made;
  } else if (made != NULL) {
    relayout_mpi_reshard_destroy(made);
  } else {
    MPI_Comm_free(&own);
  }
  return status;
}

static bool is_over(const relayout_mpi_reshard *of) {
  bool is = true;
  for (int i = 0; i < 2 * of->depth; i++) {
    is = is && of->requests[i] == MPI_REQUEST_NULL;
  }
  return is;
}

/* What MPI has been left with may still be written to. */
static void free_lane(lane *of, bool is_over) {
  for (int64_t i = 0; i < of->count; i++) {
    if (of->messages[i].persistent != MPI_REQUEST_NULL) {
      MPI_Request_free(&of->messages[i].persistent);
    }
  }
  if (is_over) {
    free(of->slots);
  }
}

void relayout_mpi_reshard_destroy(relayout_mpi_reshard *reshard) {
  if (reshard == NULL) {
    return;
  }
  const bool over = reshard->requests == NULL || is_over(reshard);
  free_lane(&reshard->sent, over);
  free_lane(&reshard->received, over);
  free(reshard->sent.messages);
  free(reshard->sent.under_way);
  free(reshard->requests);
  free(reshard->statuses);
  free(reshard->ended);
  relayout_exchange_destroy(reshard->exchange);
  MPI_Comm_free(&reshard->comm);
  free(reshard);
}

const relayout_exchange *relayout_mpi_reshard_exchange(const relayout_mpi_reshard *reshard) {
  return reshard != NULL ? reshard->exchange : NULL;
}

size_t relayout_mpi_reshard_staging_bytes(const relayout_mpi_reshard *reshard) {
  return reshard != NULL
             ? lane_bytes(reshard, &reshard->sent) + lane_bytes(reshard, &reshard->received)
             : 0;
}

/* ---- Messages ------------------------------------------------------------------------------- */

/* Packs what has to be packed. After another failure too: the receiver has no part in that. */
static bool prepare(relayout_mpi_reshard *of, const message *about, uint8_t *slot) {
  relayout_error failure;
  if (about->place >= 0 && of->source == NULL) {
    fail(&failure, RELAYOUT_INVALID_ARGUMENT, "source is NULL");
  } else if (about->place >= 0 || relayout_exchange_pack(of->exchange, about->number, of->source,
                                                         slot, &failure) == RELAYOUT_OK) {
    return true;
  }
  note(of, &failure);
  return false;
}

static int begin_sending(relayout_mpi_reshard *of, message *about, uint8_t *slot,
                         MPI_Request *request) {
  int code = MPI_SUCCESS;
  if (prepare(of, about, slot)) {
    if (about->place < 0) {
      *request = about->persistent;
      code = MPI_Start(request);
    } else {
      code = MPI_Isend(of->source + about->place, about->bytes, MPI_BYTE, about->peer, about->tag,
                       of->comm, request);
    }
    if (code == MPI_SUCCESS) {
      return code;
    }
    note_message(of, &of->sent, about, code);
  }
  /* The receiver finds that it has got less than it waits for. */
  return MPI_Isend(NULL, 0, MPI_BYTE, about->peer, about->tag, of->comm, request);
}

static int begin_receiving(relayout_mpi_reshard *of, message *about, MPI_Request *request) {
  if (about->place < 0) {
    *request = about->persistent;
    return MPI_Start(request);
  }
  const bool has_place = of->destination != NULL;
  return MPI_Irecv(has_place ? of->destination + about->place : NULL, has_place ? about->bytes : 0,
                   MPI_BYTE, about->peer, about->tag, of->comm, request);
}

static int begin_message(relayout_mpi_reshard *of, lane *in, int slot, message *about) {
  uint8_t *const memory = in->slots + (size_t)slot * in->slot_bytes;
  return in == &of->sent ? begin_sending(of, about, memory, &in->requests[slot])
                         : begin_receiving(of, about, &in->requests[slot]);
}

/* Begins with the next message of a slot, if there is one. What fails is tried once more, since the
 * other rank waits for it; if it fails again, the one behind it is next. */
static void begin(relayout_mpi_reshard *of, lane *in, int slot) {
  for (; in->under_way[slot] < in->count; in->under_way[slot] += of->depth) {
    message *const about = &in->messages[in->under_way[slot]];
    for (int trial = 0; trial < 2; trial++) {
      const int code = begin_message(of, in, slot, about);
      if (code == MPI_SUCCESS) {
        return;
      }
      note_message(of, in, about, code);
      in->requests[slot] = MPI_REQUEST_NULL;
    }
  }
}

/* Unpacks what a slot has received. */
static void take(relayout_mpi_reshard *of, int slot, const message *about,
                 const MPI_Status *status) {
  relayout_error failure;
  int bytes = 0;
  MPI_Get_count(status, MPI_BYTE, &bytes);
  if (bytes != about->bytes) {
    fail(&failure, RELAYOUT_TRANSPORT_ERROR,
         "a message from rank %d has %d bytes in place of %d: that rank has failed", about->peer,
         bytes, about->bytes);
    note(of, &failure);
  } else if (about->place < 0 &&
             relayout_exchange_unpack(of->exchange, about->number,
                                      of->received.slots + (size_t)slot * of->received.slot_bytes,
                                      of->destination, &failure) != RELAYOUT_OK) {
    note(of, &failure);
  }
}

/* What follows the end of a slot's message. */
static void end(relayout_mpi_reshard *of, int number, const MPI_Status *status, int code) {
  lane *const in = number < of->depth ? &of->sent : &of->received;
  const int slot = number % of->depth;
  const message *const about = &in->messages[in->under_way[slot]];
  if (code != MPI_SUCCESS) {
    note_message(of, in, about, code);
  } else if (in == &of->received) {
    take(of, slot, about, status);
  }
  in->requests[slot] = MPI_REQUEST_NULL; /* a persistent one is only at rest */
  in->under_way[slot] += of->depth;
  begin(of, in, slot);
}

/* ---- Running -------------------------------------------------------------------------------- */

relayout_status relayout_mpi_reshard_start(relayout_mpi_reshard *reshard, const void *source,
                                           void *destination, relayout_error *error) {
  relayout_error failure;
  if (reshard == NULL || reshard->runs || has_failed(reshard)) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT, "reshard %s",
                reshard == NULL ? "is NULL"
                : reshard->runs ? "runs already"
                                : "has failed before");
  }
  reshard->source = source;
  reshard->destination = destination;
  reshard->runs = true;
  for (int i = 0; i < reshard->depth; i++) {
    reshard->received.under_way[i] = reshard->sent.under_way[i] = i;
    begin(reshard, &reshard->received, i);
  }
  for (int i = 0; i < reshard->depth; i++) {
    begin(reshard, &reshard->sent, i);
  }
  if (reshard->keeps &&
      relayout_exchange_keep(reshard->exchange, source, destination, &failure) != RELAYOUT_OK) {
    note(reshard, &failure);
  }
  return RELAYOUT_OK;
}

static bool note_call(relayout_mpi_reshard *of, int code) {
  relayout_error failure;
  fail_in_mpi(&failure, "waiting for messages", code);
  note(of, &failure);
  return false;
}

/* Waits for a message. One at a time, so that what follows its end begins at once. False if MPI
 * cannot tell. */
static bool wait_for_one(relayout_mpi_reshard *of) {
  MPI_Status status = {.MPI_ERROR = MPI_SUCCESS};
  int number = MPI_UNDEFINED;
  const int code = MPI_Waitany(2 * of->depth, of->requests, &number, &status);
  if (number == MPI_UNDEFINED) {
    return note_call(of, code);
  }
  end(of, number, &status, code);
  return true;
}

/* Ends what has ended. */
static bool test_all(relayout_mpi_reshard *of) {
  int count = 0;
  const int code = MPI_Testsome(2 * of->depth, of->requests, &count, of->ended, of->statuses);
  if (code != MPI_SUCCESS && code != MPI_ERR_IN_STATUS) {
    return note_call(of, code);
  }
  for (int i = 0; i < count; i++) {
    end(of, of->ended[i], &of->statuses[i],
        code == MPI_SUCCESS ? MPI_SUCCESS : of->statuses[i].MPI_ERROR);
  }
  return true;
}

/* A call that failed for once may succeed next time, and others wait for what it lets begin. */
static bool go_on(relayout_mpi_reshard *of, bool waits) {
  enum { MOST_TRIALS = 3 };
  bool is_done = false;
  for (int i = 0; i < MOST_TRIALS && !is_done; i++) {
    is_done = waits ? wait_for_one(of) : test_all(of);
  }
  return is_done;
}

static relayout_status finish(relayout_mpi_reshard *of, relayout_error *error) {
  of->runs = false;
  if (has_failed(of) && error != NULL) {
    *error = of->failure;
  }
  return of->failure.status;
}

static relayout_status check_running(const relayout_mpi_reshard *of, relayout_error *error) {
  return of != NULL && of->runs ? RELAYOUT_OK
                                : fail(error, RELAYOUT_INVALID_ARGUMENT, "reshard %s",
                                       of == NULL ? "is NULL" : "does not run");
}

relayout_status relayout_mpi_reshard_test(relayout_mpi_reshard *reshard, bool *is_done,
                                          relayout_error *error) {
  const relayout_status status = check_running(reshard, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  if (is_done == NULL) {
    return fail(error, RELAYOUT_INVALID_ARGUMENT, "is_done is NULL");
  }
  const bool can_go_on = is_over(reshard) || go_on(reshard, false);
  *is_done = !can_go_on || is_over(reshard);
  return *is_done ? finish(reshard, error) : RELAYOUT_OK;
}

relayout_status relayout_mpi_reshard_wait(relayout_mpi_reshard *reshard, relayout_error *error) {
  const relayout_status status = check_running(reshard, error);
  if (status != RELAYOUT_OK) {
    return status;
  }
  bool can_go_on = true;
  while (can_go_on && !is_over(reshard)) {
    can_go_on = go_on(reshard, true);
  }
  return finish(reshard, error);
}

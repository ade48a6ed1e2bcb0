/* hand_over.c: a trainer hands its weights over to a server without a checkpoint. Four processes
 * hold quarters of the rows as f32, two others get half of the columns each as bf16 in an
 * accelerator's tiles. Each process makes the same exchange by itself, without asking anybody;
 * pipes carry the messages, and could be MPI, NCCL or sockets as well. */
#include <relayout/relayout.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROWS = 64, COLUMNS = 512, TRAINERS = 4, SERVERS = 2, PEERS = TRAINERS + SERVERS };

static const char from_text[] = "f32[64,512]", to_text[] = "bf16[64,512]{1,0:T(8,128)(2,1)}";
static const char from_sharding_text[] = "{devices=[4,1]<=[4]}";
static const char to_sharding_text[] = "{devices=[1,2]<=[2]}";

static int pipes[TRAINERS][SERVERS][2];

/* A number that bf16 holds. */
static float weight(int64_t row, int64_t column) {
  return (float)((row * 31 + column * 7) % 251 - 125);
}

static relayout_exchange *make_exchange(int64_t self, relayout_device *device,
                                        relayout_shape *shard, relayout_error *error) {
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange *exchange = NULL;
  relayout_exchange_options options = RELAYOUT_EXCHANGE_OPTIONS_INIT;
  options.to_first_peer = TRAINERS; /* servers are other processes */
  options.message_bytes = 4096;
  if (relayout_shape_parse(from_text, &from, error) != RELAYOUT_OK ||
      relayout_shape_parse(to_text, &to, error) != RELAYOUT_OK ||
      relayout_sharding_parse(from_sharding_text, &from_sharding, error) != RELAYOUT_OK ||
      relayout_sharding_parse(to_sharding_text, &to_sharding, error) != RELAYOUT_OK) {
    return NULL;
  }
  const relayout_status status =
      self < TRAINERS
          ? relayout_sharding_local_shape(&from_sharding, &from, self, shard, error)
          : relayout_sharding_local_shape(&to_sharding, &to, self - TRAINERS, shard, error);
  return status == RELAYOUT_OK &&
                 relayout_exchange_create(device, &from, &from_sharding, &to, &to_sharding, self,
                                          &options, &exchange, error) == RELAYOUT_OK
             ? exchange
             : NULL;
}

/* All of it, in as many calls as it takes. */
static int send_bytes(int pipe, const char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t sent = write(pipe, bytes, size);
    if (sent <= 0) {
      return 0;
    }
    bytes += sent;
    size -= (size_t)sent;
  }
  return 1;
}

static int receive_bytes(int pipe, char *bytes, size_t size) {
  while (size > 0) {
    const ssize_t received = read(pipe, bytes, size);
    if (received <= 0) {
      return 0;
    }
    bytes += received;
    size -= (size_t)received;
  }
  return 1;
}

/* Messages between two peers come in the order of their tags on either side. */
static int move_messages(const relayout_exchange *exchange, int self, void *shard,
                         relayout_error *error) {
  const int64_t count = relayout_exchange_message_count(exchange);
  int is_done = 1;
  for (int64_t i = 0; i < count && is_done; i++) {
    relayout_exchange_message message;
    relayout_exchange_get_message(exchange, i, &message, NULL);
    char *const bytes = malloc(message.bytes);
    if (message.is_sent) {
      is_done = bytes != NULL &&
                relayout_exchange_pack(exchange, i, shard, bytes, error) == RELAYOUT_OK &&
                send_bytes(pipes[self][message.peer - TRAINERS][1], bytes, message.bytes);
    } else {
      is_done = bytes != NULL &&
                receive_bytes(pipes[message.peer][self - TRAINERS][0], bytes, message.bytes) &&
                relayout_exchange_unpack(exchange, i, bytes, shard, error) == RELAYOUT_OK;
    }
    free(bytes);
  }
  return is_done;
}

static void fill_shard(int self, const relayout_shape *shape, float *shard) {
  for (int64_t i = 0; i < relayout_shape_element_count(shape); i++) {
    shard[i] = weight(self * (ROWS / TRAINERS) + i / COLUMNS, i % COLUMNS);
  }
}

/* bf16 is the upper half of the f32. */
static int is_right(int server, const relayout_shape *shape, const uint16_t *shard) {
  int right = 1;
  for (int64_t row = 0; row < ROWS; row++) {
    for (int64_t column = 0; column < COLUMNS / SERVERS; column++) {
      const int64_t index[] = {row, column};
      const float wanted = weight(row, server * (COLUMNS / SERVERS) + column);
      int64_t place = 0;
      uint32_t bits;
      memcpy(&bits, &wanted, sizeof bits);
      relayout_index_to_linear(shape, index, &place, NULL);
      right = right && shard[place] == bits >> 16;
    }
  }
  return right;
}

static int run_peer(int self) {
  relayout_error error = {.message = "the transport failed"};
  relayout_device *device = NULL;
  relayout_shape shape;
  relayout_exchange *exchange = NULL;
  size_t size = 0;
  if (relayout_device_open("cpu", &device, &error) == RELAYOUT_OK) {
    exchange = make_exchange(self, device, &shape, &error);
  }
  void *shard = NULL;
  if (exchange != NULL && relayout_shape_byte_size(&shape, &size, &error) == RELAYOUT_OK) {
    shard = calloc(1, size);
  }
  int is_done = 0;
  if (shard != NULL) {
    if (self < TRAINERS) {
      fill_shard(self, &shape, shard);
    }
    is_done = move_messages(exchange, self, shard, &error) &&
              (self < TRAINERS || is_right(self - TRAINERS, &shape, shard));
  }
  if (is_done) {
    char text[RELAYOUT_SHAPE_TEXT_SIZE];
    relayout_shape_format(&shape, text, sizeof text);
    printf("peer %d %s %s\n", self, self < TRAINERS ? "sent" : "received", text);
  } else {
    fprintf(stderr, "peer %d: %s\n", self, error.message);
  }
  free(shard);
  relayout_exchange_destroy(exchange);
  relayout_device_destroy(device);
  return is_done ? EXIT_SUCCESS : EXIT_FAILURE;
}

int main(void) {
  for (int t = 0; t < TRAINERS; t++) {
    for (int s = 0; s < SERVERS; s++) {
      if (pipe(pipes[t][s]) != 0) {
        perror("pipe");
        return EXIT_FAILURE;
      }
    }
  }
  int failures = 0;
  for (int self = 0; self < PEERS; self++) {
    const pid_t process = fork();
    if (process == 0) {
      return run_peer(self);
    }
    failures += process < 0;
  }
  for (int i = 0; i < TRAINERS * SERVERS; i++) { /* so that readers see an end */
    close(pipes[i / SERVERS][i % SERVERS][0]);
    close(pipes[i / SERVERS][i % SERVERS][1]);
  }
  for (int self = 0; self < PEERS; self++) {
    int status = 0;
    failures += wait(&status) < 0 || status != 0;
  }
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

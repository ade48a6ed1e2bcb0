/* test_exchange.c: exchanges on a queue: what buffers hold at the end is each device's part of the
 * tensor by the definition. */
#include "cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "conformance/random.h"
#include "conformance/shards.h"
#include "opencl/bench.h"
#include "oracle/oracle.h"
#include "shape_of.h"
#include "sharding_of.h"

enum {
  PEERS = 6,
  POISON = 0xa5,
  BEFORE = 64 /* bytes before a shard, or message, in its buffer */
};

static opencl_bench *bench;

typedef struct shard {
  size_t bytes;
  uint8_t *memory; /* what the buffer is to hold; NULL where the peer has nothing */
  cl_mem buffer;
} shard;

typedef struct scene {
  relayout_shape from, to;
  relayout_sharding from_sharding, to_sharding;
  relayout_exchange_options options;
  relayout_exchange *exchanges[PEERS];
  shard sources[PEERS], destinations[PEERS];
  cl_command_queue queue;
} scene;

static shard make_shard(const scene *of, const uint8_t *tensor, bool is_from, int64_t peer) {
  const relayout_sharding *const sharding = is_from ? &of->from_sharding : &of->to_sharding;
  const relayout_exchange_options *const options = &of->options;
  const int64_t device = peer - (is_from ? options->from_first_peer : options->to_first_peer);
  shard made = {.bytes = 0};
  relayout_shape shape;
  if (!shards_holds(sharding, device, is_from ? options->from_devices : options->to_devices)) {
    return made;
  }
  assert_int_equal(
      relayout_sharding_local_shape(sharding, is_from ? &of->from : &of->to, device, &shape, NULL),
      RELAYOUT_OK);
  made.bytes = oracle_byte_size(&shape);
  made.memory = malloc(made.bytes + BEFORE);
  memset(made.memory, POISON, made.bytes + BEFORE);
  uint8_t *const poisoned = malloc(made.bytes + BEFORE);
  memset(poisoned, POISON, made.bytes + BEFORE);
  assert_true(shards_fill(NULL, tensor, &of->from, sharding, device, &shape, made.memory + BEFORE));
  made.buffer = opencl_buffer(bench, made.bytes + BEFORE, is_from ? made.memory : poisoned);
  free(poisoned);
  return made;
}

static void set_up(scene *of) {
  relayout_shape dense;
  uint64_t random = 7;
  relayout_shape_make(of->from.element_type, of->from.rank, of->from.dimensions, &dense, NULL);
  const size_t bytes = oracle_byte_size(&dense);
  uint8_t *const tensor = malloc(bytes);
  for (size_t i = 0; i < bytes; ++i) {
    tensor[i] = random_element_byte(&random, dense.element_type);
  }
  for (int64_t p = 0; p < PEERS; ++p) {
    relayout_error error;
    of->sources[p] = make_shard(of, tensor, true, p);
    of->destinations[p] = make_shard(of, tensor, false, p);
    if (relayout_exchange_create(bench->device, &of->from, &of->from_sharding, &of->to,
                                 &of->to_sharding, p, &of->options, &of->exchanges[p],
                                 &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
  }
  free(tensor);
}

static void tear_down(scene *of) {
  for (int64_t p = 0; p < PEERS; ++p) {
    shard *const both[] = {&of->sources[p], &of->destinations[p]};
    for (int i = 0; i < 2; ++i) {
      if (both[i]->memory != NULL) {
        clReleaseMemObject(both[i]->buffer);
        free(both[i]->memory);
      }
    }
    relayout_exchange_destroy(of->exchanges[p]);
  }
}

/* The number under which the receiver knows a message. */
static int64_t number_at(const relayout_exchange *receiver, int64_t sender, int32_t tag) {
  relayout_exchange_message message = {.number = -1};
  for (int64_t i = 0; i < relayout_exchange_message_count(receiver); ++i) {
    assert_int_equal(relayout_exchange_get_message(receiver, i, &message, NULL), RELAYOUT_OK);
    if (!message.is_sent && message.peer == sender && message.tag == tag) {
      return i;
    }
  }
  fail_msg("no message of tag %d", (int)tag);
  return -1;
}

/* Packed behind a gate, unpacked behind the packing. */
static void send_message(scene *of, int64_t sender, const relayout_exchange_message *message,
                         cl_event gate, cl_event *done) {
  const relayout_exchange *const receiver = of->exchanges[message->peer];
  const shard *const from = &of->sources[sender], *const to = &of->destinations[message->peer];
  uint8_t *const nothing = calloc(1, message->bytes + BEFORE);
  const cl_mem between = opencl_buffer(bench, message->bytes + BEFORE, nothing);
  free(nothing);
  relayout_error error;
  cl_event packed = NULL;
  if (relayout_exchange_enqueue_pack(of->exchanges[sender], message->number, of->queue,
                                     from->buffer, BEFORE, between, BEFORE, 1, &gate, &packed,
                                     &error) != RELAYOUT_OK ||
      relayout_exchange_enqueue_unpack(receiver, number_at(receiver, sender, message->tag),
                                       of->queue, between, BEFORE, to->buffer, BEFORE, 1, &packed,
                                       done, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  clReleaseEvent(packed);
  clReleaseMemObject(between);
}

static void finish(cl_event event) {
  assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
  clReleaseEvent(event);
}

static void exchange_all(scene *of) {
  enum { MOST = 256 };
  cl_event events[MOST];
  cl_int code = CL_SUCCESS;
  int count = 0;
  const cl_event gate = clCreateUserEvent(bench->context, &code);
  assert_int_equal(code, CL_SUCCESS);
  for (int64_t p = 0; p < PEERS; ++p) {
    relayout_error error;
    if (relayout_exchange_enqueue_keep(of->exchanges[p], of->queue, of->sources[p].buffer, BEFORE,
                                       of->destinations[p].buffer, BEFORE, 1, &gate,
                                       &events[count++], &error) != RELAYOUT_OK) {
      fail_msg("%s", error.message);
    }
    for (int64_t i = 0; i < relayout_exchange_message_count(of->exchanges[p]); ++i) {
      relayout_exchange_message message;
      relayout_exchange_get_message(of->exchanges[p], i, &message, NULL);
      if (message.is_sent) {
        assert_true(count < MOST - 1);
        send_message(of, p, &message, gate, &events[count++]);
      }
    }
  }
  assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  clReleaseEvent(gate);
  for (int i = 0; i < count; ++i) {
    finish(events[i]);
  }
}

/* The same in one call, behind a gate. */
static void execute(scene *of) {
  cl_command_queue queues[PEERS];
  cl_mem sources[PEERS], destinations[PEERS];
  size_t offsets[PEERS];
  cl_int code = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(bench->context, &code);
  relayout_error error;
  assert_int_equal(code, CL_SUCCESS);
  for (int64_t p = 0; p < PEERS; ++p) {
    queues[p] = p % 2 == 0 ? of->queue : bench->queue;
    sources[p] = of->sources[p].buffer;
    destinations[p] = of->destinations[p].buffer;
    offsets[p] = BEFORE;
  }
  const relayout_exchange *const *const exchanges =
      (const relayout_exchange *const *)(const void *)of->exchanges;
  cl_event done = gate; /* may be one of those that are waited for */
  if (relayout_exchange_enqueue_execute(PEERS, exchanges, queues, sources, offsets, destinations,
                                        offsets, 1, &done, &done, &error) != RELAYOUT_OK) {
    fail_msg("%s", error.message);
  }
  assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
  finish(done);
  clReleaseEvent(gate);
}

static void expect_wanted(const scene *of) {
  for (int64_t p = 0; p < PEERS; ++p) {
    const shard *const own = &of->destinations[p];
    if (own->memory != NULL) {
      uint8_t *const found = malloc(own->bytes + BEFORE);
      opencl_read(bench, own->buffer, own->bytes + BEFORE, found);
      assert_memory_equal(found, own->memory, own->bytes + BEFORE);
      free(found);
    }
  }
}

static cl_command_queue queue_of(bool in_order) {
  cl_int code = CL_SUCCESS;
  const cl_command_queue made = clCreateCommandQueue(
      bench->context, bench->id, in_order ? 0 : CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
  return code == CL_SUCCESS ? made : NULL;
}

static void test_moves(void **state) {
  (void)state;
  static const struct {
    const char *from, *from_sharding, *to, *to_sharding;
    int64_t from_devices, to_devices, to_first_peer;
    size_t message_bytes;
  } cases[] = {
      {"f32[16,12]", "{devices=[4,1]<=[4]}", "f32[16,12]{0,1}", "{devices=[1,4]<=[4]}", 4, 4, 0, 0},
      {"f32[16,12]", "{devices=[4,1]<=[4]}", "bf16[16,12]{1,0:T(8,8)(2,1)}", "{devices=[1,2]<=[2]}",
       4, 2, 4, 64},
      {"u16[40,6]", "{devices=[2,2]<=[4] block=[3,2]}", "u16[40,6]{0,1}",
       "{devices=[3,1]<=[3] block=[5,6]}", 4, 3, 2, 0},
      {"u8[9]", "{devices=[2]<=[2]}", "u8[9]{0:L(32)}", "{devices=[3]<=[3]}", 2, 3, 0, 0},
  };
  for (size_t i = 0; i < 4 * sizeof cases / sizeof cases[0]; ++i) {
    const size_t c = i / 4;
    scene of = {.from = shape_of(cases[c].from),
                .to = shape_of(cases[c].to),
                .from_sharding = sharding_of(cases[c].from_sharding),
                .to_sharding = sharding_of(cases[c].to_sharding),
                .options = RELAYOUT_EXCHANGE_OPTIONS_INIT,
                .queue = queue_of(i % 2 == 0)};
    of.options.from_devices = cases[c].from_devices;
    of.options.to_devices = cases[c].to_devices;
    of.options.to_first_peer = cases[c].to_first_peer;
    of.options.message_bytes = cases[c].message_bytes;
    if (of.queue == NULL) {
      continue; /* not all devices have queues out of order */
    }
    set_up(&of);
    if (i / 2 % 2 == 0) {
      exchange_all(&of);
    } else {
      execute(&of);
    }
    expect_wanted(&of);
    tear_down(&of);
    clReleaseCommandQueue(of.queue);
  }
}

/* ---- Refusals ------------------------------------------------------------------------------- */

static relayout_exchange *exchange_on(relayout_device *device, const char *to) {
  const relayout_shape from = shape_of("f32[8,8]{1,0:T(4,4)}"), other = shape_of(to);
  const relayout_sharding rows = sharding_of("{devices=[2,1]<=[2]}");
  const relayout_sharding columns = sharding_of("{devices=[1,2]<=[2]}");
  relayout_exchange *made = NULL;
  assert_int_equal(
      relayout_exchange_create(device, &from, &rows, &other, &columns, 1, NULL, &made, NULL),
      RELAYOUT_OK);
  return made;
}

/* Nothing is enqueued, and no event is left behind. */
static void expect_refusal(relayout_status found, relayout_status status, const char *message,
                           const relayout_error *error, cl_event event) {
  assert_int_equal(found, status);
  assert_non_null(strstr(error->message, message));
  assert_null(event);
}

static void test_refusals(void **state) {
  (void)state;
  relayout_device *cpu = NULL;
  relayout_error error;
  cl_event event = NULL;
  uint8_t bytes[512] = {0};
  assert_int_equal(relayout_device_open("cpu", &cpu, NULL), RELAYOUT_OK);
  relayout_exchange *const here = exchange_on(bench->device, "f32[8,8]"),
                           *const tiled = exchange_on(bench->device, "f32[8,8]{1,0:T(2,2)}"),
                           *const elsewhere = exchange_on(cpu, "f32[8,8]");
  const cl_mem buffer = opencl_buffer(bench, sizeof bytes, bytes);
  expect_refusal(relayout_exchange_enqueue_pack(elsewhere, 0, bench->queue, buffer, 0, buffer, 256,
                                                0, NULL, &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "exchange was not made on an OpenCL device", &error,
                 event);
  expect_refusal(relayout_exchange_enqueue_keep(elsewhere, bench->queue, buffer, 0, buffer, 256, 0,
                                                NULL, &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "exchange was not made on an OpenCL device", &error,
                 event);
  expect_refusal(relayout_exchange_enqueue_keep(NULL, bench->queue, buffer, 0, buffer, 256, 0, NULL,
                                                &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "exchange is NULL", &error, event);
  expect_refusal(relayout_exchange_enqueue_unpack(here, 0, bench->queue, buffer, 0, buffer, 256, 0,
                                                  NULL, &event, &error),
                 RELAYOUT_OUT_OF_RANGE, "number is 0, which is a message that is sent", &error,
                 event);
  expect_refusal(relayout_exchange_enqueue_pack(here, 0, bench->queue, NULL, 0, buffer, 256, 0,
                                                NULL, &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "source is NULL", &error, event);
  expect_refusal(relayout_exchange_enqueue_keep(tiled, bench->queue, buffer, 0, buffer, 256, 0,
                                                NULL, &event, &error),
                 RELAYOUT_UNSUPPORTED, "both sides have tiles", &error, event);
  const relayout_exchange *const mixed[] = {elsewhere, here};
  const cl_command_queue queues[] = {bench->queue, bench->queue};
  const cl_mem buffers[] = {buffer, buffer};
  expect_refusal(relayout_exchange_enqueue_execute(2, mixed, queues, buffers, NULL, buffers, NULL,
                                                   0, NULL, &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "exchanges[0] is that of peer 1", &error, event);
  expect_refusal(relayout_exchange_enqueue_execute(2, mixed, queues, NULL, NULL, buffers, NULL, 0,
                                                   NULL, &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "sources is NULL, with count 2", &error, event);
  expect_refusal(relayout_exchange_enqueue_execute(2, mixed, queues, buffers, NULL, NULL, NULL, 0,
                                                   NULL, &event, &error),
                 RELAYOUT_INVALID_ARGUMENT, "destinations is NULL, with count 2", &error, event);
  clReleaseMemObject(buffer);
  relayout_exchange_destroy(here);
  relayout_exchange_destroy(tiled);
  relayout_exchange_destroy(elsewhere);
  relayout_device_destroy(cpu);
}

/* The message's buffer has room for the first of three boxes: that one is packed, and the event is
 * its own. */
static void test_packed_in_part(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[12]");
  const relayout_sharding pairs = sharding_of("{devices=[2]<=[2] block=[2]}");
  const relayout_sharding one = sharding_of("{maximal device=1}");
  const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 0, 0};
  uint8_t found[2] = {0, 0};
  relayout_exchange *exchange = NULL;
  relayout_error error;
  cl_event event = NULL;
  assert_int_equal(relayout_exchange_create(bench->device, &shape, &pairs, &shape, &one, 0, NULL,
                                            &exchange, NULL),
                   RELAYOUT_OK);
  const cl_mem source = opencl_buffer(bench, sizeof bytes, bytes);
  const cl_mem message = opencl_buffer(bench, sizeof found, found);
  assert_int_equal(relayout_exchange_enqueue_pack(exchange, 0, bench->queue, source, 0, message, 0,
                                                  0, NULL, &event, &error),
                   RELAYOUT_BUFFER_TOO_SMALL);
  assert_non_null(event);
  finish(event);
  opencl_read(bench, message, sizeof found, found);
  assert_int_equal(found[0], 1);
  assert_int_equal(found[1], 2);
  /* Without an event to be had. */
  assert_int_equal(relayout_exchange_enqueue_pack(exchange, 0, bench->queue, source, 0, source, 6,
                                                  0, NULL, NULL, NULL),
                   RELAYOUT_BUFFER_TOO_SMALL);
  assert_int_equal(clFinish(bench->queue), CL_SUCCESS);
  clReleaseMemObject(source);
  clReleaseMemObject(message);
  relayout_exchange_destroy(exchange);
}

/* The destination has room for the first of three boxes. */
static void test_executed_in_part(void **state) {
  (void)state;
  const relayout_shape shape = shape_of("u8[12]");
  const relayout_sharding pairs = sharding_of("{devices=[2]<=[2] block=[2]}");
  const relayout_sharding one = sharding_of("{maximal device=1}");
  const uint8_t bytes[] = {1, 2, 3, 4, 5, 6, 0, 0};
  uint8_t found[4] = {0};
  relayout_exchange *exchanges[2];
  relayout_error error;
  cl_event event = NULL;
  for (int64_t p = 0; p < 2; ++p) {
    assert_int_equal(relayout_exchange_create(bench->device, &shape, &pairs, &shape, &one, p, NULL,
                                              &exchanges[p], NULL),
                     RELAYOUT_OK);
  }
  const relayout_exchange *const all[] = {exchanges[0], exchanges[1]};
  const cl_command_queue queues[] = {bench->queue, bench->queue};
  const cl_mem source = opencl_buffer(bench, sizeof bytes, bytes);
  const cl_mem destination = opencl_buffer(bench, sizeof found, found);
  const cl_mem sources[] = {source, source}, destinations[] = {NULL, destination};
  assert_int_equal(relayout_exchange_enqueue_execute(2, all, queues, sources, NULL, destinations,
                                                     NULL, 0, NULL, &event, &error),
                   RELAYOUT_BUFFER_TOO_SMALL);
  assert_non_null(event);
  finish(event);
  opencl_read(bench, destination, sizeof found, found);
  assert_memory_equal(found, ((const uint8_t[]){1, 2, 0, 0}), sizeof found);
  assert_int_equal(relayout_exchange_enqueue_execute(2, all, NULL, sources, NULL, destinations,
                                                     NULL, 0, NULL, &event, &error),
                   RELAYOUT_INVALID_ARGUMENT);
  assert_string_equal(error.message, "queues is NULL");
  event = (cl_event)(uintptr_t)1;
  assert_int_equal(relayout_exchange_enqueue_execute(0, all, queues, sources, NULL, destinations,
                                                     NULL, 0, NULL, &event, &error),
                   RELAYOUT_OK);
  assert_null(event);
  clReleaseMemObject(source);
  clReleaseMemObject(destination);
  relayout_exchange_destroy(exchanges[0]);
  relayout_exchange_destroy(exchanges[1]);
}

static int run_all(opencl_bench *on) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_moves), cmocka_unit_test(test_refusals),
                                     cmocka_unit_test(test_packed_in_part),
                                     cmocka_unit_test(test_executed_in_part)};
  bench = on;
  return cmocka_run_group_tests(tests, NULL, NULL);
}

int main(void) {
  return opencl_on_each_device(run_all);
}

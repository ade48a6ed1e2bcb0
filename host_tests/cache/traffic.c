/* traffic.c: a plan for another machine, and its replay. */
#include "cache/traffic.h"

#include <stdio.h>
#include <stdlib.h>

#include "plan/plan.h"
#include "schedule/schedule_text.h"

/* Of bench/suites/, and matrices of each element size whose rows lie powers of two apart, an odd
 * number of elements, and in between. */
const traffic_case traffic_cases[] = {
    {"8192_u8", "u8[8192,8192]{1,0}", "u8[8192,8192]{0,1}", true, true},
    {"8192_u16", "u16[8192,8192]{1,0}", "u16[8192,8192]{0,1}", true, false},
    {"8192_f32", "f32[8192,8192]{1,0}", "f32[8192,8192]{0,1}", true, false},
    {"8192_f64", "f64[8192,8192]{1,0}", "f64[8192,8192]{0,1}", true, false},
    {"odd_u8", "u8[4097,8191]{1,0}", "u8[4097,8191]{0,1}", true, true},
    {"odd_u16", "u16[4097,8191]{1,0}", "u16[4097,8191]{0,1}", true, false},
    {"odd_f32", "f32[4097,8191]{1,0}", "f32[4097,8191]{0,1}", true, false},
    {"odd_f64", "f64[4097,8191]{1,0}", "f64[4097,8191]{0,1}", true, false},
    {"6144x10240_u8", "u8[6144,10240]{1,0}", "u8[6144,10240]{0,1}", true, true},
    {"6144x10240_u16", "u16[6144,10240]{1,0}", "u16[6144,10240]{0,1}", true, false},
    {"6144x10240_f32", "f32[6144,10240]{1,0}", "f32[6144,10240]{0,1}", true, false},
    {"6144x10240_f64", "f64[6144,10240]{1,0}", "f64[6144,10240]{0,1}", true, false},
    {"ttc01", "f32[7264,7264]{0,1}", "f32[7264,7264]{1,0}", false, false},
    {"ttc02", "f32[43408,1216]{0,1}", "f32[43408,1216]{1,0}", false, false},
    {"ttc03", "f32[1216,43408]{0,1}", "f32[1216,43408]{1,0}", false, false},
    {"ttc04", "f32[368,384,384]{0,1,2}", "f32[368,384,384]{0,2,1}", false, false},
    {"ttc08", "f32[2320,384,59]{0,1,2}", "f32[2320,384,59]{1,0,2}", false, false},
    {"ttc12", "f32[384,59,2320]{0,1,2}", "f32[384,59,2320]{2,1,0}", false, false},
    {"ttc16", "f32[96,75,96,75]{0,1,2,3}", "f32[96,75,96,75]{2,1,3,0}", false, false},
    {"ttc20", "f32[608,12,96,75]{0,1,2,3}", "f32[608,12,96,75]{2,0,3,1}", false, false},
    {"ttc24", "f32[96,608,12,75]{0,1,2,3}", "f32[96,608,12,75]{1,0,3,2}", false, false},
    {"ttc30", "f32[32,8,28,28,298]{0,1,2,3,4}", "f32[32,8,28,28,298]{0,4,2,1,3}", false, false},
    {"ttc40", "f32[48,28,28,28,48]{0,1,2,3,4}", "f32[48,28,28,28,48]{4,3,2,1,0}", true, false},
    {"ttc46", "f32[32,15,15,32,15,15]{0,1,2,3,4,5}", "f32[32,15,15,32,15,15]{3,2,0,5,1,4}", false,
     false},
    {"nhwc_nchw_f32", "f32[32,256,56,56]{1,3,2,0}", "f32[32,256,56,56]{3,2,1,0}", false, false},
    {"nchw_nhwc_f32", "f32[32,256,56,56]{3,2,1,0}", "f32[32,256,56,56]{1,3,2,0}", false, false},
    {"nchw_nhwc_s8", "s8[128,256,56,56]{3,2,1,0}", "s8[128,256,56,56]{1,3,2,0}", false, true},
    {"hwc_chw_3_u8", "u8[256,3,512,512]{1,3,2,0}", "u8[256,3,512,512]{3,2,1,0}", false, true},
    {"chw_hwc_3_u8", "u8[256,3,512,512]{3,2,1,0}", "u8[256,3,512,512]{1,3,2,0}", false, true},
    {"hwc_chw_3_f32", "f32[256,3,224,224]{1,3,2,0}", "f32[256,3,224,224]{3,2,1,0}", false, false},
    {"attention_bf16", "bf16[16,2048,16,128]{3,2,1,0}", "bf16[16,2048,16,128]{3,1,2,0}", false,
     false},
    {"attention_kt_bf16", "bf16[16,2048,16,128]{3,2,1,0}", "bf16[16,2048,16,128]{1,3,2,0}", true,
     false},
    {"xlnet_f16", "f16[8,12,1024,1024]{1,3,2,0}", "f16[8,12,1024,1024]{3,2,1,0}", false, false},
    {"aos_soa_3_f32", "f32[16777216,3]{1,0}", "f32[16777216,3]{0,1}", false, false},
    {"points_xyzw_f64", "f64[8388608,4]{1,0}", "f64[8388608,4]{0,1}", false, false},
    {"volume_swap_yz_f32", "f32[384,384,384]{2,1,0}", "f32[384,384,384]{2,0,1}", false, false},
};
const size_t traffic_case_count = sizeof traffic_cases / sizeof traffic_cases[0];

/* What is read before anything is counted fills the second level of most; what is counted is as
 * much as a block of the largest. */
enum { BYTES_BEFORE = 1 << 20, BYTES_COUNTED = 4 << 20, SEED = 1 };

static void expect(relayout_status status, const relayout_error *error) {
  if (status != RELAYOUT_OK) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
}

static rlt_tuning changed(const rlt_tuning *from, const rlt_tile_blocking *blocking) {
  rlt_tuning tuning = *from;
  for (int w = 0; w < RLT_WORD_SIZES && blocking->runs.read_bytes > 0; ++w) {
    for (int t = 0; t < RLT_TILES; ++t) {
      tuning.words[w].tiles[t] = *blocking;
    }
  }
  return tuning;
}

static relayout_plan *make_plan(relayout_device *device, const traffic_case *of,
                                const char *schedule) {
  relayout_error error = {0};
  relayout_shape from, to;
  expect(relayout_shape_parse(of->from, &from, &error), &error);
  expect(relayout_shape_parse(of->to, &to, &error), &error);
  rlt_plan_request request;
  rlt_plan_request_clear(&request);
  relayout_plan *plan = NULL;
  const rlt_texts texts = {.count = schedule != NULL, .of = &schedule};
  expect(rlt_plan_create(device, &from, &to, &request, texts, &plan, &error), &error);
  return plan;
}

static void count(const replay_result *of, const simulator_geometry *geometry, traffic *found) {
  const simulator_counts *const counts = &of->counts;
  const double line = (double)geometry->line_bytes;
  const double written = (double)of->bytes_written / line;
  for (int i = 0; i < SIMULATOR_CACHES; ++i) {
    found->source[i] = replay_source_fetches(of, geometry, i);
    found->destination[i] = (double)counts->fills[SIMULATOR_DESTINATION][i] / written;
  }
  found->waits = (double)counts->misses[SIMULATOR_SOURCE][0] * line / (double)of->bytes_read;
  found->buffers = (double)counts->fills[SIMULATOR_SCRATCH][0] / written;
  found->streamed = (double)counts->streamed / written;
  found->in_parts = (double)counts->in_parts / written;
  for (int i = 0; i < SIMULATOR_TLBS; ++i) {
    found->pages[i] = (double)counts->page_misses[i] / written;
  }
  for (int i = 1; i < SIMULATOR_CACHES; ++i) {
    found->page_tables[i] = (double)counts->fills[SIMULATOR_PAGE_TABLES][i] / written;
  }
}

static void replay_plan(const relayout_plan *plan, const processor *on, traffic *found) {
  const rlt_variant *const way = rlt_part_variant(&plan->work.parts[0], 0, 0);
  rlt_text text = rlt_text_in(found->schedule, sizeof found->schedule);
  rlt_schedule_add_text(&way->candidate.schedule, &text);
  if (!replay_can(way->executable)) {
    fprintf(stderr, "cannot be replayed: %s\n", found->schedule);
    exit(1);
  }
  static const replay_options options = {.bytes_before = BYTES_BEFORE,
                                         .bytes_counted = BYTES_COUNTED,
                                         .streams = true,
                                         .prefetches = true};
  simulator *const caches = simulator_create(&on->geometry, SEED);
  const replay_result result = replay(way->executable, &plan->device->facts, &options, caches);
  count(&result, &on->geometry, found);
  simulator_destroy(caches);
}

void traffic_find(const processor *on, const traffic_case *of, const traffic_change *change,
                  traffic *found) {
  relayout_device *const device = processor_device(on);
  const rlt_tuning tuning = changed(device->tuning, &change->blocking);
  device->tuning = &tuning;
  relayout_plan *const plan = make_plan(device, of, change->schedule);
  replay_plan(plan, on, found);
  relayout_plan_destroy(plan);
  relayout_device_destroy(device);
}

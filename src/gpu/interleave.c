/* interleave.c: two to eight short runs side by side, such as colour channels, are joined or
 * parted in the registers of work-items that share a tile. */
#include "base/checked.h"
#include "base/error.h"
#include "gpu/local_tile.h"
#include "gpu/planning.h"

enum { MOST_CHANNELS = RLT_LOCAL_MOST_CHANNELS, ROUNDS_A_TILE = 2 };

/* Of more channels that take a unit each, neighbours' loads would have hardly a
 * sector in common. */
static int64_t most_channels(const rlt_problem *problem) {
  return rlt_local_unit(8 * problem->element_bytes) > 1 ? MOST_CHANNELS : MOST_CHANNELS / 2;
}

/* The axis that runs on this side, and moves in the source: -1 where there is none. */
static int32_t running_axis(const rlt_problem *problem, bool in_source) {
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    const rlt_axis *const axis = &problem->axes[a];
    if (axis->valid > 1 && (in_source ? axis->source_stride : axis->destination_stride) == 1) {
      return a;
    }
  }
  return -1;
}

/* Pixels lie side by side where channels are parted, and a few words apart where these are joined
 * and lie side by side. */
typedef struct pixels {
  int32_t axis;
  int32_t channels; /* another axis */
} pixels;

static bool find_pixels(const rlt_problem *problem, bool joins, pixels *found) {
  *found =
      (pixels){.axis = running_axis(problem, joins), .channels = running_axis(problem, !joins)};
  if (found->axis < 0 || found->channels < 0 || found->axis == found->channels) {
    return false;
  }
  const rlt_axis *const pixel = &problem->axes[found->axis];
  const rlt_axis *const channel = &problem->axes[found->channels];
  const int64_t pitch = joins ? pixel->destination_stride : pixel->source_stride;
  return pitch >= 2 && pitch <= most_channels(problem) &&
         (joins ? channel->extent == pitch : channel->extent <= pitch);
}

/* Where there are few pixels, several runs of them along another axis: the first that has as many,
 * or the longest. */
static int32_t axis_of_runs(const rlt_problem *problem, const pixels *of, int64_t runs) {
  int32_t best = -1;
  for (int32_t a = 0; a < problem->axis_count; ++a) {
    if (a != of->axis && a != of->channels &&
        (best < 0 || problem->axes[best].extent < rlt_min(runs, problem->axes[a].extent))) {
      best = a;
    }
  }
  return best;
}

/* Pieces of each channel that a group takes. Where three channels of bytes or halves are parted,
 * and do not all begin with pieces, it has one less at once than work-items: blocks begin before
 * these, and are one more. */
static int64_t pieces_wanted(const rlt_scene *scene, const pixels *of, bool joins) {
  const rlt_problem *const problem = scene->problem;
  const int64_t stride = problem->axes[of->channels].destination_stride * problem->element_bytes;
  const bool begins_before = !joins && problem->axes[of->axis].source_stride == 3 &&
                             rlt_local_unit(8 * problem->element_bytes) > 1 &&
                             stride % RLT_LOCAL_PIECE_BYTES != 0;
  return ROUNDS_A_TILE * (scene->facts->group_size - (begins_before ? 1 : 0));
}

/* As many pixels as give each work-item of a group a few pieces of each channel. Where there are
 * too few most would idle, and nothing is offered. */
static void offer_channels(const rlt_scene *scene, bool joins, rlt_candidates *candidates) {
  const rlt_problem *const problem = scene->problem;
  pixels of;
  if (!find_pixels(problem, joins, &of)) {
    return;
  }
  const rlt_axis *const pixel = &problem->axes[of.axis];
  const int64_t wanted =
      pieces_wanted(scene, &of, joins) * (RLT_LOCAL_PIECE_BYTES / problem->element_bytes);
  rlt_schedule schedule = rlt_gpu_schedule(scene, RLT_MOVE_INTERLEAVE, rlt_interleave_reason);
  schedule.rows = rlt_group_of_axis(problem, of.channels, MOST_CHANNELS);
  schedule.columns = rlt_group_of_axis(problem, of.axis, wanted);
  const int64_t runs = wanted / pixel->extent;
  const int32_t along = axis_of_runs(problem, &of, runs);
  if (runs > 1 && along >= 0 && pixel->valid == pixel->extent) {
    rlt_group_append(problem, &schedule.columns, along, runs * pixel->extent);
  }
  if (rlt_group_length(&schedule.columns) >= wanted / 4) {
    rlt_candidates_add(candidates, &schedule);
  }
}

relayout_status rlt_gpu_take_channels(rlt_schedule *schedule, relayout_error *error) {
  const rlt_problem *const problem = schedule->problem;
  const rlt_group *const columns = &schedule->columns;
  const rlt_group *const rows = &schedule->rows;
  for (int joins = 0; joins < 2; ++joins) {
    pixels of;
    if (find_pixels(problem, joins, &of) && columns->axis_count > 0 &&
        columns->axes[0] == of.axis && rows->axis_count == 1 && rows->axes[0] == of.channels &&
        rows->steps == rlt_group_extent(problem, rows) &&
        (columns->axis_count == 1 ||
         (columns->axis_count == 2 &&
          problem->axes[of.axis].valid == problem->axes[of.axis].extent))) {
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_UNSUPPORTED,
                  "schedule: the rows of a tile are all channels, and its columns begin with the "
                  "pixels' axis, which one more may follow if each of its pixels has a source");
}

void rlt_gpu_offer_interleave(const rlt_scene *scene, rlt_candidates *candidates) {
  if (rlt_gpu_permute_applies(scene) && rlt_problem_keeps_elements(scene->problem)) {
    offer_channels(scene, false, candidates);
    offer_channels(scene, true, candidates);
  }
}

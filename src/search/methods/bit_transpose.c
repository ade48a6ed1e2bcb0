/* bit_transpose.c: packed elements change places with their neighbours in other rows of the source,
 * as a transposition of bits, and bytes move. */
#include "search/methods/method.h"

static void offer(const rlt_scene *scene, rlt_offers *offers) {
  if (!rlt_problem_transposes_bits(scene->problem)) {
    return;
  }
  const rlt_schedule schedule = rlt_method_schedule(
      scene, RLT_MOVE_BIT_TRANSPOSE, "packed elements are transposed, by swapping them among rows");
  rlt_offer_private_tiles(scene, &schedule, offers);
}

const rlt_method rlt_method_bit_transpose = {"bit-transpose", offer};

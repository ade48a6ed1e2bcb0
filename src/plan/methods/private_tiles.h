/* private_tiles.h: tiles for a worker who moves them alone, by tables and mostly through a staging
 * buffer: a group of axes for each side, none in both.
 *
 * Depends on method.h.
 */
#ifndef RLT_PLAN_METHODS_PRIVATE_TILES_H
#define RLT_PLAN_METHODS_PRIVATE_TILES_H

#include "plan/methods/method.h"

/* Offers `like` with such tiles: those that the word size's own runs ask for, and those of the
 * other runs. Only tiles are offered that move as `like` does. */
void rlt_offer_private_tiles(const rlt_scene *scene, const rlt_schedule *like, rlt_offers *offers);

#endif

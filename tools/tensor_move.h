/* tensor_move.h: one tensor from a file to another, relaid on the way, with whatever goes before it
 * there. Depends on the public headers, arguments.h, large_files.h, record_form.h, stream.h and
 * verify.h. */
#ifndef TOOLS_TENSOR_MOVE_H
#define TOOLS_TENSOR_MOVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_form.h"
#include "relayout/relayout.h"
#include "relayout/scaled.h"
#include "stream.h"

typedef struct tensor_move {
  relayout_device *device;
  relayout_plan_options options;
  relayout_shape from;
  relayout_shape to;
  /* Of a side whose elements lie in records; its shape is one of f32 in the default layout. */
  record_form from_blocks;
  record_form to_blocks;
  relayout_byte_order from_order; /* of the bytes of numbers */
  relayout_byte_order to_order;
  bool packs_source;      /* the file has elements of 6 bits packed (six_bits.h) */
  bool packs_destination; /* likewise */
  bool verifies;
  bool says; /* what runs where */
  relayout_plan *plan;
  int64_t part; /* how many elements the plan moves at once, where there are blocks */
} tensor_move;

/* Whether a tensor can be put into blocks, and is worth it: other programs, too, keep vectors as
 * they are. */
bool tensor_move_suits_blocks(const relayout_shape *shape);

/* A tensor in blocks of these dimensions, which are valid: the shape of its values, and its
 * bytes. */
relayout_shape tensor_move_block_shape(int32_t rank, const int64_t *dimensions);
uint64_t tensor_move_block_bytes(relayout_block_format format, const relayout_shape *shape);

/* Whether the rows of such a tensor are a multiple of those that a form interleaves. */
bool tensor_move_suits_rows(const relayout_shape *shape, const record_form *form);

/* What the destination is, once the source is known: in records of the form `blocks`, or, if that
 * is none, as `to` says. */
exit_code tensor_move_aim(tensor_move *move, const char *to, const record_form *blocks);

/* Makes the plan, which the caller destroys; all else is filled in. Then says what will run where,
 * if anything is to be said. */
exit_code tensor_move_plan(tensor_move *move);
void tensor_move_say(const tensor_move *move);

/* Takes the next `size` bytes of an input into memory that is the caller's to free, NULL for none;
 * where `ends_input` says so, there must be no more of them. Messages say that `text` takes so
 * many. */
exit_code tensor_move_read(stream_input *input, bool ends_input, const char *text, size_t size,
                           uint8_t **bytes);

/* Reads the source, which lies next in the input and, where `ends_input` says so, is all that is
 * left there; writes `size` bytes of header, and the destination behind them. Bytes that
 * PV(unknown) leaves alone become zero. A large file goes to another a part at a time. */
exit_code tensor_move_run(const tensor_move *move, stream_input *input, bool ends_input,
                          const void *header, size_t size, stream_output *output);

#endif

/* picture.c: draws the planes of a small array, then the cells of its memory. */
#include "picture.h"

#include <inttypes.h>
#include <string.h>

#include "padding_text.h"
#include "relayout/index.h"

enum { MAX_ELEMENTS = 128, MAX_LINES = 48, LINE_WIDTH = 80, MARGIN = 4 };

/* What all of a picture's cells have in common. */
typedef struct picture {
  const relayout_shape *shape;
  int64_t count;                       /* of cells, padding included */
  char padding[PADDING_TEXT_CAPACITY]; /* what stands for padding */
  int width;                           /* of the widest cell */
  int64_t tile; /* cells of the innermost tiles; 0 without tiles of more than 1 */
} picture;

/* Cells of the last tile, which follow each other; those of others may be interleaved. */
static int64_t tile_of(const relayout_layout *layout) {
  int64_t cells = 1;
  const int64_t *dimensions = layout->tile_dimensions;
  for (int32_t i = 0; i < layout->tile_count; i++) {
    cells = 1;
    for (int32_t j = 0; j < layout->tile_ranks[i]; j++) {
      cells *= dimensions[j] == RELAYOUT_TILE_COMBINE ? 1 : dimensions[j];
    }
    dimensions += layout->tile_ranks[i];
  }
  return cells > 1 ? cells : 0;
}

static picture picture_of(const relayout_shape *shape) {
  picture drawing = {.shape = shape};
  if (relayout_shape_physical_element_count(shape, &drawing.count, NULL) != RELAYOUT_OK) {
    return drawing;
  }
  drawing.tile = tile_of(&shape->layout);
  drawing.width = relayout_shape_element_count(shape) > 26 ? 2 : 1;
  if (!relayout_shape_is_padded(shape)) {
    return drawing;
  }
  padding_text(&shape->layout, shape->element_type, drawing.padding);
  switch (shape->layout.padding_value) {
  case RELAYOUT_PADDING_ZERO:
    strcpy(drawing.padding, "0");
    break;
  case RELAYOUT_PADDING_ONE:
    strcpy(drawing.padding, "1");
    break;
  case RELAYOUT_PADDING_UNKNOWN:
    strcpy(drawing.padding, "?");
    break;
  default: /* lowest, highest, and literals are drawn as they are written */
    break;
  }
  const int padding_width = (int)strlen(drawing.padding);
  drawing.width = padding_width > drawing.width ? padding_width : drawing.width;
  return drawing;
}

/* Some padded dimension is wider than its dimension: the array itself is drawn with padding. */
static bool is_widened(const relayout_shape *shape) {
  for (int32_t d = 0; d < shape->rank; d++) {
    if (relayout_shape_padded_dimension(shape, d) > shape->dimensions[d]) {
      return true;
    }
  }
  return false;
}

static bool has_matrix(const relayout_shape *shape) {
  return shape->rank >= 2 && shape->rank <= 4;
}

/* Planes of a matrix; its other two dimensions are the last ones. */
static int64_t count_planes(const relayout_shape *shape) {
  int64_t count = 1;
  for (int32_t d = 0; d < shape->rank - 2; d++) {
    count *= relayout_shape_padded_dimension(shape, d);
  }
  return count;
}

bool picture_is_possible(const relayout_shape *shape) {
  const picture drawing = picture_of(shape);
  if (drawing.count == 0 || drawing.count > MAX_ELEMENTS || drawing.width > LINE_WIDTH - MARGIN) {
    return false;
  }
  if (!has_matrix(shape)) {
    return true;
  }
  const int64_t columns = relayout_shape_padded_dimension(shape, shape->rank - 1);
  const int64_t rows = relayout_shape_padded_dimension(shape, shape->rank - 2);
  return MARGIN + 3 + columns * (drawing.width + 1) <= LINE_WIDTH &&
         count_planes(shape) * (rows + 3) <= MAX_LINES;
}

/* Elements are named in the order of ascending multi-indices: a .. z, then aa, ab and so on. */
static void print_cell(const picture *drawing, const int64_t *index, int width, FILE *file) {
  const relayout_shape *shape = drawing->shape;
  if (!relayout_index_in_bounds(shape, index)) {
    fprintf(file, "%-*s", width, drawing->padding);
    return;
  }
  int64_t number = 0;
  for (int32_t d = 0; d < shape->rank; d++) {
    number = number * shape->dimensions[d] + index[d];
  }
  char name[3] = {(char)('a' + number % 26)};
  if (number >= 26) {
    name[0] = (char)('a' + number / 26 - 1);
    name[1] = (char)('a' + number % 26);
  }
  fprintf(file, "%-*s", width, name);
}

/* One plane: rows along y, columns along x; the other entries of `index` stay. */
static void draw_plane(const picture *drawing, int64_t *index, FILE *file) {
  const int32_t x = drawing->shape->rank - 1;
  const int32_t y = drawing->shape->rank - 2;
  const int64_t columns = relayout_shape_padded_dimension(drawing->shape, x);
  const int64_t rows = relayout_shape_padded_dimension(drawing->shape, y);
  fprintf(file, "%*s    x\n%*s  +", MARGIN, "", MARGIN, "");
  for (int64_t i = 0; i < columns * (drawing->width + 1); i++) {
    fputc('-', file);
  }
  fputc('\n', file);
  for (int64_t row = 0; row < rows; row++) {
    fprintf(file, "%*s%c |", MARGIN, "", row == 0 ? 'y' : ' ');
    for (int64_t column = 0; column < columns; column++) {
      index[y] = row;
      index[x] = column;
      fputc(' ', file);
      print_cell(drawing, index, column + 1 < columns ? drawing->width : 0, file);
    }
    fputc('\n', file);
  }
}

static void draw_matrix(const picture *drawing, FILE *file) {
  static const char axis_names[] = "pzyx";
  const int32_t rank = drawing->shape->rank;
  const char *names = axis_names + 4 - rank;
  const int64_t plane_count = count_planes(drawing->shape);
  for (int64_t plane = 0; plane < plane_count; plane++) {
    int64_t index[4] = {0};
    int64_t rest = plane;
    for (int32_t d = rank - 3; d >= 0; d--) {
      index[d] = rest % relayout_shape_padded_dimension(drawing->shape, d);
      rest /= relayout_shape_padded_dimension(drawing->shape, d);
    }
    for (int32_t d = 0; d < rank - 2; d++) {
      fprintf(file, "%s%c = %" PRId64 "%s", d > 0 ? ", " : "  ", names[d], index[d],
              d == rank - 3 ? "\n" : "");
    }
    draw_plane(drawing, index, file);
  }
}

/* What lies at `linear`. The padding of a scalar has the same index as its
 * element, the empty one. */
static void print_position(const picture *drawing, int64_t linear, FILE *file) {
  int64_t index[RELAYOUT_MAX_RANK];
  relayout_index_from_linear(drawing->shape, linear, index, NULL);
  if (drawing->shape->rank == 0 && linear > 0) {
    fputs(drawing->padding, file);
  } else {
    print_cell(drawing, index, 0, file);
  }
}

/* Whole tiles a line where one fits. */
static void draw_memory(const picture *drawing, FILE *file) {
  const int cell_width = drawing->width + 1;
  const int64_t tiles_a_line =
      drawing->tile > 0 ? (LINE_WIDTH - MARGIN + 3) / (drawing->tile * cell_width + 2) : 0;
  const int64_t cells_a_line =
      tiles_a_line > 0 ? tiles_a_line * drawing->tile : (LINE_WIDTH - MARGIN + 1) / cell_width;
  for (int64_t linear = 0; linear < drawing->count; linear++) {
    if (linear % cells_a_line == 0) {
      fprintf(file, "%s%*s", linear > 0 ? "\n" : "", MARGIN, "");
    } else {
      fputs(tiles_a_line > 0 && linear % drawing->tile == 0 ? " | " : " ", file);
    }
    print_position(drawing, linear, file);
  }
  fputc('\n', file);
}

void picture_draw(const relayout_shape *shape, FILE *file) {
  const picture drawing = picture_of(shape);
  if (has_matrix(shape)) {
    fprintf(file, "\nthe array%s:\n", is_widened(shape) ? ", with its padding" : "");
    draw_matrix(&drawing, file);
  }
  fputs("\nits memory:\n", file);
  draw_memory(&drawing, file);
}

/* Eigen's Tensor: a shuffle, and slices where there is padding. It is all headers, which have to be
 * there when the command is built. */
#define EIGEN_USE_THREADS
#include <algorithm>
#include <complex>
#include <cstdint>
#include <unsupported/Eigen/CXX11/Tensor>

extern "C" {
#include "cpu_mover.h"
}

namespace {

constexpr int most_axes = 8;

/* A relayout as one between two tensors without gaps, their dimensions from the innermost out: the
 * destination's are the axes of bench_strided in their order. */
struct dense {
  size_t rank;
  size_t source_axes[most_axes]; /* the axis that each of the source's dimensions is */
  size_t source_widths[most_axes];
  size_t destination_widths[most_axes];
  size_t extents[most_axes]; /* what is moved, by axis */

  bool is_whole() const {
    bool whole = true;
    for (size_t i = 0; i < rank; i++) {
      whole = whole && destination_widths[i] == extents[i] &&
              source_widths[i] == extents[source_axes[i]];
    }
    return whole;
  }
};

/* False where one side does not begin with an axis without gaps. */
bool dense_of(const bench_strided &moved, dense &made) {
  const size_t rank = moved.axis_count;
  if (rank < 1 || rank > most_axes) {
    return false;
  }
  const bench_axis *const axes = moved.axes;
  made.rank = rank;
  for (size_t i = 0; i < rank; i++) {
    made.source_axes[i] = i;
    made.extents[i] = axes[i].extent;
  }
  std::sort(made.source_axes, made.source_axes + rank,
            [axes](size_t a, size_t b) { return axes[a].source_stride < axes[b].source_stride; });
  /* Of what the outermost dimension has behind its elements nothing is touched. */
  for (size_t i = 0; i + 1 < rank; i++) {
    made.source_widths[i] =
        axes[made.source_axes[i + 1]].source_stride / axes[made.source_axes[i]].source_stride;
    made.destination_widths[i] = axes[i + 1].destination_stride / axes[i].destination_stride;
  }
  made.source_widths[rank - 1] = made.extents[made.source_axes[rank - 1]];
  made.destination_widths[rank - 1] = made.extents[rank - 1];
  return axes[0].destination_stride == 1 && axes[made.source_axes[0]].source_stride == 1;
}

template <typename Element, int rank>
void move(const dense &of, void *to, const void *from, Eigen::ThreadPoolDevice &device) {
  using tensor = Eigen::Tensor<Element, rank>;
  Eigen::DSizes<Eigen::DenseIndex, rank> source_widths;
  Eigen::DSizes<Eigen::DenseIndex, rank> destination_widths;
  Eigen::DSizes<Eigen::DenseIndex, rank> extents;
  const Eigen::DSizes<Eigen::DenseIndex, rank> origin;
  Eigen::array<size_t, rank> order;
  for (size_t i = 0; i < rank; i++) {
    source_widths[i] = static_cast<Eigen::DenseIndex>(of.source_widths[i]);
    destination_widths[i] = static_cast<Eigen::DenseIndex>(of.destination_widths[i]);
    extents[i] = static_cast<Eigen::DenseIndex>(of.extents[i]);
    order[of.source_axes[i]] = i;
  }
  const Eigen::TensorMap<const tensor, Eigen::Aligned> source(static_cast<const Element *>(from),
                                                              source_widths);
  Eigen::TensorMap<tensor, Eigen::Aligned> destination(static_cast<Element *>(to),
                                                       destination_widths);
  /* Slices of the whole would be right as well, but most of the time slower. Where there is
   * padding, these take a tenth of the time of a pad, or of a slice that is shuffled. */
  if (of.is_whole()) {
    destination.device(device) = source.shuffle(order);
  } else {
    destination.slice(origin, extents).device(device) =
        source.shuffle(order).slice(origin, extents);
  }
}

using mover_function = void (*)(const dense &, void *, const void *, Eigen::ThreadPoolDevice &);

template <typename Element> mover_function function_for(size_t axis_count) {
  static const mover_function functions[most_axes] = {
      move<Element, 1>, move<Element, 2>, move<Element, 3>, move<Element, 4>,
      move<Element, 5>, move<Element, 6>, move<Element, 7>, move<Element, 8>};
  return functions[axis_count - 1];
}

/* By types that move without a change of bits. */
mover_function function_for(size_t element_bytes, size_t axis_count) {
  switch (element_bytes) {
  case 1:
    return function_for<int8_t>(axis_count);
  case 2:
    return function_for<int16_t>(axis_count);
  case 4:
    return function_for<float>(axis_count);
  case 8:
    return function_for<double>(axis_count);
  case 16:
    return function_for<std::complex<double>>(axis_count);
  default:
    return nullptr;
  }
}

struct eigen {
  explicit eigen(int threads) : pool(threads), device(&pool, threads) {
  }

  Eigen::ThreadPool pool;
  Eigen::ThreadPoolDevice device;
  dense prepared;
  mover_function function = nullptr;
};

/* No exception may leave for C. */
void *open_pool(int threads) {
  try {
    return new eigen(threads);
  } catch (...) {
    return nullptr;
  }
}

void close_pool(void *mover) {
  delete static_cast<eigen *>(mover);
}

bool prepare(void *mover, const bench_strided *moved) {
  eigen &own = *static_cast<eigen *>(mover);
  if (!dense_of(*moved, own.prepared)) {
    return false;
  }
  own.function = function_for(moved->element_bytes, moved->axis_count);
  return own.function != nullptr;
}

bool run(void *mover, void *to, const void *from) {
  eigen &own = *static_cast<eigen *>(mover);
  try {
    own.function(own.prepared, to, from, own.device);
    return true;
  } catch (...) {
    return false;
  }
}

} // namespace

const cpu_mover eigen_mover = {open_pool, close_pool, prepare, nullptr, run};

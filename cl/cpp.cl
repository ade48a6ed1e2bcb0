/* cpp.cl: what OpenCL C has and C++ lacks, where kernels are handed out as CUDA's or HIP's C++
 * (src/emit/spell.c). Comes first; what a kernel does not need of it is left out.
 *
 * Vectors have constructors for `(uint4)(a, b, c, d)`, and for `(uint4)(0)`, which is one of a
 * number.
 */
using uchar = unsigned char;
using ushort = unsigned short;
using uint = unsigned int;
using long = decltype(0LL);
using ulong = decltype(0ULL);
using uintptr_t = decltype(0ULL);
using int32_t = int;
using uint32_t = unsigned int;
using int64_t = decltype(0LL);
using uint64_t = decltype(0ULL);

#define LONG_MAX 0x7fffffffffffffffLL
#define LONG_MIN (-LONG_MAX - 1)

#define get_local_id(dimension) threadIdx.x
#define get_group_id(dimension) blockIdx.x
#define barrier(fence)          __syncthreads()

struct alignas(4) uchar4 {
  uchar x, y, z, w;
};

struct alignas(4) ushort2 {
  ushort x, y;
};

struct alignas(8) int2 {
  int x, y;
  int2() = default;
  __device__ constexpr int2(int x_, int y_) : x(x_), y(y_) {}
};

struct alignas(8) uint2 {
  uint x, y;
  uint2() = default;
  __device__ constexpr uint2(uint x_, uint y_) : x(x_), y(y_) {}
  __device__ uint2 operator|(uint2 by) const { return uint2(x | by.x, y | by.y); }
};

struct alignas(16) long2 {
  long x, y;
  long2() = default;
  __device__ constexpr long2(long x_, long y_) : x(x_), y(y_) {}
};

struct alignas(16) ulong2 {
  ulong x, y;
  ulong2() = default;
  __device__ constexpr ulong2(ulong x_, ulong y_) : x(x_), y(y_) {}
};

struct alignas(16) uint4 {
  uint x, y, z, w;
  uint4() = default;
  __device__ constexpr uint4(uint all) : x(all), y(all), z(all), w(all) {}
  __device__ constexpr uint4(uint x_, uint y_, uint z_, uint w_) : x(x_), y(y_), z(z_), w(w_) {}
  __device__ uint4 operator|(uint4 by) const {
    return uint4(x | by.x, y | by.y, z | by.z, w | by.w);
  }
  __device__ uint4 operator&(uint4 by) const {
    return uint4(x & by.x, y & by.y, z & by.z, w & by.w);
  }
  __device__ uint4 operator|=(uint4 by) { return *this = *this | by; }
  __device__ uint4 operator<<(int by) const { return uint4(x << by, y << by, z << by, w << by); }
  __device__ uint4 operator>>(int by) const { return uint4(x >> by, y >> by, z >> by, w >> by); }
};

template <typename To, typename From> union same_bits {
  From from;
  To to;
};

template <typename To, typename From> static To as_type(From value) {
  same_bits<To, From> bits;
  bits.from = value;
  return bits.to;
}

#define as_int(value)     as_type<int>(value)
#define as_uint(value)    as_type<uint>(value)
#define as_float(value)   as_type<float>(value)
#define as_uchar4(value)  as_type<uchar4>(value)
#define as_ushort2(value) as_type<ushort2>(value)
#define as_uint4(value)   as_type<uint4>(value)
#define as_ulong2(value)  as_type<ulong2>(value)

template <typename T> static T min(T a, T b) {
  return b < a ? b : a;
}

template <typename T> static T max(T a, T b) {
  return a < b ? b : a;
}

template <typename T> static T clamp(T value, T least, T most) {
  return min(max(value, least), most);
}

/* Zeros before the highest one. */
template <typename T> static int clz(T value) {
  return sizeof value == 8 ? __clzll((long)value) : __clz((int)value);
}

/* The upper half of the product. */
static ulong mul_hi(ulong a, ulong b) {
  const ulong low = (a & 0xffffffffu) * (b & 0xffffffffu);
  const ulong one = (a >> 32) * (b & 0xffffffffu) + (low >> 32);
  const ulong other = (a & 0xffffffffu) * (b >> 32) + (one & 0xffffffffu);
  return (a >> 32) * (b >> 32) + (one >> 32) + (other >> 32);
}

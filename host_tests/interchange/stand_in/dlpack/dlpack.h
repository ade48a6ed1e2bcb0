/* dlpack.h: the fields of DLPack's structs that relayout's header uses, where its own is not there.
 * DLPACK_MAJOR_VERSION 0 gives those of an old header. */
#ifndef DLPACK_DLPACK_H_
#define DLPACK_DLPACK_H_

#include <stdint.h>

#ifndef DLPACK_MAJOR_VERSION
#define DLPACK_MAJOR_VERSION 1
#endif

typedef struct DLDataType {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;

typedef struct DLTensor {
  void *data;
  int32_t ndim;
  DLDataType dtype;
  int64_t *shape;
  int64_t *strides;
  uint64_t byte_offset;
} DLTensor;

#if DLPACK_MAJOR_VERSION >= 1
typedef struct DLManagedTensorVersioned {
  struct {
    uint32_t major;
    uint32_t minor;
  } version;
  uint64_t flags;
  DLTensor dl_tensor;
} DLManagedTensorVersioned;
#endif

enum { kDLInt = 0, kDLFloat = 2, kDLBfloat = 4 };

#endif

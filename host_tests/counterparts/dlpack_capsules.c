/* dlpack_capsules.c: what lies in DLPack's capsules as views, and views as what lies in capsules,
 * by relayout/dlpack.h and DLPack's own header: a shared library for test_dlpack.py, whose ctypes
 * hand it both. */
#include <stdlib.h>

#include <dlpack/dlpack.h>

#include "relayout/dlpack.h"

#if !defined(DLPACK_MAJOR_VERSION) || DLPACK_MAJOR_VERSION < 1
#error "this is no DLPack that has versioned capsules"
#endif

relayout_status view_of_capsule(const void *managed, int is_versioned, relayout_view *view,
                                void **data, relayout_error *error);
relayout_status make_managed(const relayout_view *view, void *data, int is_versioned,
                             void **managed, relayout_error *error);

/* The view of a DLManagedTensor or of a DLManagedTensorVersioned, and its pointer. */
relayout_status view_of_capsule(const void *managed, int is_versioned, relayout_view *view,
                                void **data, relayout_error *error) {
  if (is_versioned) {
    const DLManagedTensorVersioned *versioned = managed;
    *data = versioned->dl_tensor.data;
    return relayout_view_from_dlpack_versioned(versioned, view, error);
  }
  const DLManagedTensor *unversioned = managed;
  *data = unversioned->dl_tensor.data;
  return relayout_view_from_dlpack(&unversioned->dl_tensor, 0, view, error);
}

/* Either kind of managed tensor, with the lists that it points to. */
typedef struct owner {
  union {
    DLManagedTensor unversioned;
    DLManagedTensorVersioned versioned;
  } managed; /* first: who deletes it knows no more */
  int64_t shape[RELAYOUT_MAX_RANK];
  int64_t strides[RELAYOUT_MAX_RANK];
} owner;

static void delete_unversioned(DLManagedTensor *managed) {
  free(managed);
}

static void delete_versioned(DLManagedTensorVersioned *managed) {
  free(managed);
}

/* A managed tensor on memory of the caller's, which outlives it. Its deleter frees it. */
relayout_status make_managed(const relayout_view *view, void *data, int is_versioned,
                             void **managed, relayout_error *error) {
  owner *made = calloc(1, sizeof *made);
  if (made == NULL) {
    return RELAYOUT_OUT_OF_MEMORY;
  }
  uint64_t flags = 0;
  DLTensor *tensor =
      is_versioned ? &made->managed.versioned.dl_tensor : &made->managed.unversioned.dl_tensor;
  const relayout_status status =
      relayout_view_to_dlpack(view, made->shape, made->strides, tensor, &flags, error);
  if (status != RELAYOUT_OK) {
    free(made);
    return status;
  }
  tensor->data = data;
  tensor->device.device_type = kDLCPU;
  if (is_versioned) {
    made->managed.versioned.version.major = DLPACK_MAJOR_VERSION;
    made->managed.versioned.version.minor = DLPACK_MINOR_VERSION;
    made->managed.versioned.flags = flags;
    made->managed.versioned.deleter = delete_versioned;
  } else {
    made->managed.unversioned.deleter = delete_unversioned;
  }
  *managed = made;
  return RELAYOUT_OK;
}

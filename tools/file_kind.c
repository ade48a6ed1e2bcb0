/* file_kind.c: the table of the bytes by which files are known. */
#include "file_kind.h"

#include <string.h>
#include <strings.h>

/* X(place, bytes, kind): the bytes stand at that place of every such file. */
#define KINDS(X)                                                                                   \
  X(0, "\x93NUMPY", FILE_KIND_NPY)                                                                 \
  X(0, "GGUF", "a GGUF file")                                                                      \
  X(0, "lmgg", "a GGML file")                                                                      \
  X(0, "fmgg", "a GGML file")                                                                      \
  X(0, "tjgg", "a GGML file")                                                                      \
  X(0, "PK\x03\x04", FILE_KIND_ZIP)                                                                \
  X(0, "PK\x05\x06", FILE_KIND_ZIP)                                                                \
  X(0, "\x89HDF\r\n\x1a\n", "an HDF5 file")                                                        \
  X(0, "CDF\x01", "a NetCDF file")                                                                 \
  X(0, "CDF\x02", "a NetCDF file")                                                                 \
  X(0, "CDF\x05", "a NetCDF file")                                                                 \
  X(0, "MATLAB 5.0 MAT-file", "a MATLAB file")                                                     \
  X(0, "SIMPLE  =", "a FITS file")                                                                 \
  X(128, "DICM", "a DICOM file")                                                                   \
  X(4, "TFL3", "a TensorFlow Lite model")                                                          \
  X(0, "\x80\x02\x8a\x0a\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", "a PyTorch file")               \
  X(0, "PAR1", "a Parquet file")                                                                   \
  X(0, "ARROW1", "an Arrow file")                                                                  \
  X(0, "SQLite format 3", "an SQLite database")                                                    \
  X(0, "\x1f\x8b\x08", "a gzip file")                                                              \
  X(0, "BZh91AY&SY", "a bzip2 file")                                                               \
  X(0, "\xfd\x37zXZ", "an xz file")                                                                \
  X(0, "\x28\xb5\x2f\xfd", "a Zstandard file")                                                     \
  X(0, "\x04\x22\x4d\x18", "an LZ4 file")                                                          \
  X(0, "7z\xbc\xaf\x27\x1c", "a 7z archive")                                                       \
  X(257, "ustar", "a tar archive")                                                                 \
  X(0, "\x89PNG\r\n\x1a\n", "a PNG image")                                                         \
  X(0, "\xff\xd8\xff\xe0", "a JPEG image")                                                         \
  X(0, "\xff\xd8\xff\xe1", "a JPEG image")                                                         \
  X(0, "\xff\xd8\xff\xdb", "a JPEG image")                                                         \
  X(0, "GIF87a", "a GIF image")                                                                    \
  X(0, "GIF89a", "a GIF image")                                                                    \
  X(0, "II*\x00", "a TIFF image")                                                                  \
  X(0, "MM\x00*", "a TIFF image")                                                                  \
  X(0, "\x76\x2f\x31\x01", "an OpenEXR image")                                                     \
  X(8, "WEBPVP8", "a WebP image")                                                                  \
  X(8, "WAVEfmt ", "a WAV file")                                                                   \
  X(0, "%PDF-", "a PDF file")                                                                      \
  X(0, "\x7f\x45LF", "an ELF file")                                                                \
  X(0, "version https://git-lfs", "a Git LFS pointer ('git lfs pull' fetches the file)")           \
  X(0, "<!DOCTYPE html", "an HTML page")                                                           \
  X(0, "<!doctype html", "an HTML page")

bool file_kind_has_suffix(const char *path, const char *suffix) {
  const size_t length = strlen(path);
  const size_t size = strlen(suffix);
  return length >= size && strcasecmp(path + length - size, suffix) == 0;
}

static bool has(const uint8_t *bytes, size_t size, size_t place, const char *wanted,
                size_t length) {
  return size >= place + length && memcmp(bytes + place, wanted, length) == 0;
}

/* A header's size of which the upper four bytes are 0, and its JSON. */
static bool is_safetensors(const uint8_t *bytes, size_t size) {
  return has(bytes, size, 4, "\0\0\0\0{\"", 6);
}

/* Two bytes that say the protocol tell little: of the older protocols a name has to say the rest,
 * of those since 4 the size of a frame, which is no long one. */
static bool is_pickle(const char *path, const uint8_t *bytes, size_t size) {
  static const char *const suffixes[] = {".pkl", ".pickle", ".pt", ".pth", ".ckpt"};
  if (size < 2 || bytes[0] != 0x80 || bytes[1] < 2 || bytes[1] > 5) {
    return false;
  }
  bool is_named_so = false;
  for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
    is_named_so = is_named_so || file_kind_has_suffix(path, suffixes[i]);
  }
  return is_named_so ||
         (bytes[1] >= 4 && has(bytes, size, 2, "\x95", 1) && has(bytes, size, 7, "\0\0\0\0", 4));
}

/* Its first field is the version of the format, a small number. */
static bool is_onnx(const char *path, const uint8_t *bytes, size_t size) {
  return file_kind_has_suffix(path, ".onnx") && size >= 2 && bytes[0] == 0x08 && bytes[1] < 0x80;
}

/* Four bytes of it are reserved, and the picture begins within 64 KiB. */
static bool is_bmp(const uint8_t *bytes, size_t size) {
  return has(bytes, size, 0, "BM", 2) && has(bytes, size, 6, "\0\0\0\0", 4) &&
         has(bytes, size, 12, "\0\0", 2);
}

const char *file_kind_of(const char *path, const uint8_t *bytes, size_t size) {
  static const struct {
    size_t place;
    size_t length;
    const char *bytes;
    const char *kind;
  } kinds[] = {
#define KIND_ROW(place, bytes, kind) {place, sizeof(bytes) - 1, bytes, kind},
      KINDS(KIND_ROW)
#undef KIND_ROW
  };
  if (is_safetensors(bytes, size)) {
    return FILE_KIND_SAFETENSORS;
  }
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (has(bytes, size, kinds[i].place, kinds[i].bytes, kinds[i].length)) {
      return kinds[i].kind;
    }
  }
  return is_pickle(path, bytes, size) ? "a Python pickle"
         : is_onnx(path, bytes, size) ? "an ONNX model"
         : is_bmp(bytes, size)        ? "a BMP image"
                                      : NULL;
}

exit_code file_kind_check(const stream_input *input, const char *wanted) {
  const char *const kind = file_kind_of(input->name, input->ahead, input->ahead_size);
  if (kind == NULL || (wanted != NULL && strcmp(kind, wanted) == 0)) {
    return EXIT_CODE_OK;
  }
  return wanted != NULL
             ? report(EXIT_CODE_BAD_INPUT, "%s is %s, not %s", input->name, kind, wanted)
             : report(EXIT_CODE_BAD_INPUT,
                      "%s is %s, not raw bytes; --raw reads it as raw bytes all the same",
                      input->name, kind);
}

/* language.c: see language.h; and the languages' names. */
#include "emit/language.h"

#include <string.h>

#include "base/error.h"
#include "metadata/quote.h"

/* ---- Words ---------------------------------------------------------------------------------- */

/* Keywords, what is reserved to become one, types, and what else a function cannot be called. */
static const char words_of_c[] =
    "auto bool break case char const continue default do double else enum extern false float"
    " for goto if inline int int16_t int32_t int64_t int8_t int_fast16_t int_fast32_t"
    " int_fast64_t int_fast8_t int_least16_t int_least32_t int_least64_t int_least8_t intmax_t"
    " intptr_t long main register restrict return short signed sizeof static struct switch"
    " true typedef uint16_t uint32_t uint64_t uint8_t uint_fast16_t uint_fast32_t"
    " uint_fast64_t uint_fast8_t uint_least16_t uint_least32_t uint_least64_t uint_least8_t"
    " uintmax_t uintptr_t union unsigned void volatile while";

static const char words_of_cpp[] =
    "alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept bitand bitor"
    " catch char16_t char32_t char8_t class co_await co_return co_yield compl concept"
    " const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export"
    " final friend import module mutable namespace new noexcept not not_eq nullptr operator or"
    " or_eq override private protected public reflexpr reinterpret_cast requires static_assert"
    " static_cast std synchronized template this thread_local throw try typeid typename typeof"
    " typeof_unqual using virtual wchar_t xor xor_eq";

static const char words_of_opencl[] =
    "NULL bool bool16 bool2 bool3 bool4 bool8 char16 char2 char3 char4 char8"
    " cl_mem_fence_flags clk_event_t complex constant double16 double2 double3 double4 double8"
    " event_t float16 float2 float3 float4 float8 generic global half half16 half2 half3 half4"
    " half8 image1d_array_t image1d_buffer_t image1d_t image2d_array_depth_t image2d_array_t"
    " image2d_depth_t image2d_msaa_t image2d_t image3d_t imaginary int16 int2 int3 int4 int8"
    " intptr_t kernel local long16 long2 long3 long4 long8 memory_order memory_scope ndrange_t"
    " pipe private ptrdiff_t quad quad16 quad2 quad3 quad4 quad8 queue_t read_only read_write"
    " reserve_id_t sampler_t short16 short2 short3 short4 short8 size_t uchar uchar16 uchar2"
    " uchar3 uchar4 uchar8 uint uint16 uint2 uint3 uint4 uint8 uintptr_t ulong ulong16 ulong2"
    " ulong3 ulong4 ulong8 uniform ushort ushort16 ushort2 ushort3 ushort4 ushort8 write_only";

static const char words_of_cuda[] = "blockDim blockIdx dim3 gridDim threadIdx warpSize";

static const char words_of_metal[] =
    "array as_type atomic_bool atomic_int atomic_uint atomic_ulong bfloat bfloat2 bfloat3"
    " bfloat4 bool2 bool3 bool4 buffer char2 char3 char4 compute constant device float2"
    " float2x2 float2x3 float2x4 float3 float3x2 float3x3 float3x4 float4 float4x2 float4x3"
    " float4x4 fragment half half2 half2x2 half2x3 half2x4 half3 half3x2 half3x3 half3x4 half4"
    " half4x2 half4x3 half4x4 int2 int3 int4 intersection kernel long2 long3 long4 mesh metal"
    " object object_data patch ptrdiff_t quadgroup ray_data sampler short2 short3 short4"
    " simdgroup size_t stage_in texture1d texture2d texture3d texturecube thread threadgroup"
    " threadgroup_imageblock uchar uchar2 uchar3 uchar4 uint uint2 uint3 uint4 ulong ulong2"
    " ulong3 ulong4 ushort ushort2 ushort3 ushort4 vertex visible";

static const char words_of_wgsl[] =
    "NULL Self abstract active alias alignas alignof array as asm asm_fragment async atomic"
    " attribute auto await become bool break case cast catch class co_await co_return co_yield"
    " coherent column_major common compile compile_fragment concept const const_assert"
    " const_cast consteval constexpr constinit continue continuing crate debugger decltype"
    " default delete demote demote_to_helper diagnostic discard do dynamic_cast else enable"
    " enum explicit export extends extern external f16 f32 fallthrough false filter final"
    " finally fn for friend from function fxgroup get goto groupshared highp i32 if impl"
    " implements import inline instanceof interface layout let loop lowp macro macro_rules"
    " mat2x2 mat2x3 mat2x4 mat3x2 mat3x3 mat3x4 mat4x2 mat4x3 mat4x4 match mediump meta mod"
    " module move mut mutable namespace new nil noexcept noinline nointerpolation non_coherent"
    " noncoherent noperspective null nullptr of operator override package packoffset partition"
    " pass patch pixelfragment precise precision premerge priv private protected ptr pub"
    " public readonly ref regardless register reinterpret_cast require requires resource"
    " restrict return sampler sampler_comparison self set shared sizeof smooth snorm static"
    " static_assert static_cast std storage struct subroutine super switch target template"
    " this thread_local throw trait true try type typedef typeid typename typeof u32 uniform"
    " union unless unorm unsafe unsized use using var varying vec2 vec3 vec4 virtual volatile"
    " wgsl where while with workgroup writeonly yield";

static const char words_of_glsl[] =
    "active asm atomic_uint attribute bool break buffer bvec2 bvec3 bvec4 case cast centroid"
    " class coherent common const continue default discard dmat2 dmat2x2 dmat2x3 dmat2x4 dmat3"
    " dmat3x2 dmat3x3 dmat3x4 dmat4 dmat4x2 dmat4x3 dmat4x4 do double dvec2 dvec3 dvec4 else"
    " enum extern external false filter fixed flat float for fvec2 fvec3 fvec4 goto half highp"
    " hvec2 hvec3 hvec4 if iimage1D iimage1DArray iimage2D iimage2DArray iimage2DMS"
    " iimage2DMSArray iimage2DRect iimage3D iimageBuffer iimageCube iimageCubeArray image1D"
    " image1DArray image2D image2DArray image2DMS image2DMSArray image2DRect image3D"
    " imageBuffer imageCube imageCubeArray in inline inout input int interface invariant"
    " isampler1D isampler1DArray isampler2D isampler2DArray isampler2DMS isampler2DMSArray"
    " isampler2DRect isampler3D isamplerBuffer isamplerCube isamplerCubeArray isubpassInput"
    " ivec2 ivec3 ivec4 layout long lowp main mat2 mat2x2 mat2x3 mat2x4 mat3 mat3x2 mat3x3"
    " mat3x4 mat4 mat4x2 mat4x3 mat4x4 mediump namespace noinline noperspective out output"
    " partition patch precise precision public readonly resource restrict return sample"
    " sampler sampler1D sampler1DArray sampler1DArrayShadow sampler1DShadow sampler2D"
    " sampler2DArray sampler2DArrayShadow sampler2DMS sampler2DMSArray sampler2DRect"
    " sampler2DRectShadow sampler2DShadow sampler3D sampler3DRect samplerBuffer samplerCube"
    " samplerCubeArray samplerCubeArrayShadow samplerCubeShadow samplerExternalOES shared"
    " short sizeof smooth static struct subpassInput subpassInputMS subroutine superp switch"
    " template texture2D this true typedef uimage1D uimage1DArray uimage2D uimage2DArray"
    " uimage2DMS uimage2DMSArray uimage2DRect uimage3D uimageBuffer uimageCube uimageCubeArray"
    " uint uniform union unsigned usampler1D usampler1DArray usampler2D usampler2DArray"
    " usampler2DMS usampler2DMSArray usampler2DRect usampler3D usamplerBuffer usamplerCube"
    " usamplerCubeArray using usubpassInput uvec2 uvec3 uvec4 varying vec2 vec3 vec4 void"
    " volatile while writeonly";

static const char words_of_python[] =
    "False None True and as assert async await break class continue def del elif else except"
    " finally for from global if import in is lambda nonlocal not or pass raise return try"
    " while with yield";

/* Whether a list of words, with spaces between them, has this one. */
static bool has_word(const char *words, const char *word) {
  const size_t length = strlen(word);
  for (const char *at = strstr(words, word); at != NULL; at = strstr(at + 1, word)) {
    if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0')) {
      return true;
    }
  }
  return false;
}

bool rlt_language_reserves(relayout_language language, const char *word) {
  switch (language) {
  case RELAYOUT_LANGUAGE_C:
    return has_word(words_of_c, word) || has_word(words_of_cpp, word);
  case RELAYOUT_LANGUAGE_OPENCL:
    return has_word(words_of_c, word) || has_word(words_of_cpp, word) ||
           has_word(words_of_opencl, word);
  case RELAYOUT_LANGUAGE_METAL:
    return has_word(words_of_c, word) || has_word(words_of_cpp, word) ||
           has_word(words_of_metal, word);
  case RELAYOUT_LANGUAGE_WGSL:
    return has_word(words_of_wgsl, word);
  case RELAYOUT_LANGUAGE_GLSL:
    return has_word(words_of_glsl, word) || strncmp(word, "gl_", strlen("gl_")) == 0;
  case RELAYOUT_LANGUAGE_PYTHON:
    return has_word(words_of_python, word);
  default:
    return has_word(words_of_c, word) || has_word(words_of_cpp, word) ||
           has_word(words_of_cuda, word);
  }
}

/* ---- Spellings ------------------------------------------------------------------------------ */

#define CUDA_FUNCTION "static __host__ __device__ __forceinline__ "

#define CUDA                                                                                       \
  {                                                                                                \
    .wide = "long long", .unsigned_wide = "unsigned long long", .narrow = "unsigned",              \
    .constant = {"#define ", " ", "LL"}, .function = CUDA_FUNCTION "long long ",                   \
    .inverse = CUDA_FUNCTION "bool ", .argument = {"long long ", ""}, .no_arguments = "void",      \
    .end_of_head = ") {\n", .end_of_inverse_head = ") {\n", .indices = {"long long *indices", ""}, \
    .element = "indices", .named = "const ", .end = ";\n"                                          \
  }

static const rlt_language languages[] = {
    [RELAYOUT_LANGUAGE_C] = {.wide = "int64_t",
                             .unsigned_wide = "uint64_t",
                             .narrow = "uint32_t",
                             .includes = "#include <stdbool.h>\n#include <stdint.h>\n\n",
                             .constant = {"#define ", " INT64_C(", ")"},
                             .function = "static inline int64_t ",
                             .inverse = "static inline bool ",
                             .argument = {"int64_t ", ""},
                             .no_arguments = "void",
                             .end_of_head = ") {\n",
                             .end_of_inverse_head = ") {\n",
                             .indices = {"int64_t *indices", ""},
                             .element = "indices",
                             .named = "const ",
                             .end = ";\n"},
    [RELAYOUT_LANGUAGE_OPENCL] = {.wide = "long",
                                  .unsigned_wide = "ulong",
                                  .narrow = "uint",
                                  .constant = {"#define ", " ", "L"},
                                  .function = "static inline long ",
                                  .inverse = "static inline bool ",
                                  .argument = {"long ", ""},
                                  .no_arguments = "void",
                                  .end_of_head = ") {\n",
                                  .end_of_inverse_head = ") {\n",
                                  .indices = {"long *indices", ""},
                                  .element = "indices",
                                  .named = "const ",
                                  .end = ";\n"},
    [RELAYOUT_LANGUAGE_CUDA] = CUDA,
    [RELAYOUT_LANGUAGE_HIP] = CUDA,
    [RELAYOUT_LANGUAGE_METAL] = {.wide = "long",
                                 .unsigned_wide = "ulong",
                                 .narrow = "uint",
                                 .constant = {"#define ", " ", "L"},
                                 .function = "static inline long ",
                                 .inverse = "static inline bool ",
                                 .argument = {"long ", ""},
                                 .no_arguments = "void",
                                 .end_of_head = ") {\n",
                                 .end_of_inverse_head = ") {\n",
                                 .indices = {"thread long *indices", ""},
                                 .element = "indices",
                                 .named = "const ",
                                 .end = ";\n"},
    [RELAYOUT_LANGUAGE_WGSL] = {.integers = RLT_INTEGERS_OF_32_BITS,
                                .constant = {"const ", " = ", "u;"},
                                .function = "fn ",
                                .inverse = "fn ",
                                .argument = {"", ": u32"},
                                .no_arguments = "",
                                .end_of_head = ") -> u32 {\n",
                                .end_of_inverse_head = ") -> bool {\n",
                                .indices = {"indices: ptr<function, array<u32, ", ">>"},
                                .has_sized_indices = true,
                                .element = "(*indices)",
                                .named = "let ",
                                .end = ";\n"},
    [RELAYOUT_LANGUAGE_GLSL] = {.integers = RLT_INTEGERS_OF_32_BITS,
                                .constant = {"const uint ", " = ", "u;"},
                                .function = "uint ",
                                .inverse = "bool ",
                                .argument = {"uint ", ""},
                                .no_arguments = "",
                                .end_of_head = ") {\n",
                                .end_of_inverse_head = ") {\n",
                                .indices = {"out uint indices[", "]"},
                                .has_sized_indices = true,
                                .element = "indices",
                                .named = "uint ",
                                .end = ";\n"},
    [RELAYOUT_LANGUAGE_PYTHON] = {.integers = RLT_INTEGERS_OF_ANY_SIZE,
                                  .constant = {"", " = ", ""},
                                  .function = "def ",
                                  .inverse = "def ",
                                  .argument = {"", ""},
                                  .no_arguments = "",
                                  .end_of_head = "):\n",
                                  .end_of_inverse_head = "):\n",
                                  .named = "",
                                  .end = "\n"},
};

/* ---- Names ---------------------------------------------------------------------------------- */

static const char *const names[] = {
#define NAME(name, value, text) [value] = text,
    RELAYOUT_LANGUAGE_TABLE(NAME)
#undef NAME
};

enum { LANGUAGE_COUNT = sizeof names / sizeof names[0] };

static bool is_language(relayout_language language) {
  const int64_t number = (int64_t)language;
  return number >= 0 && number < LANGUAGE_COUNT;
}

const rlt_language *rlt_language_find(relayout_language language) {
  return is_language(language) ? &languages[language] : NULL;
}

const char *relayout_language_name(relayout_language language) {
  return is_language(language) ? names[language] : "invalid";
}

relayout_status relayout_language_parse(const char *text, relayout_language *language,
                                        relayout_error *error) {
  if (text == NULL || language == NULL) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT, "%s is NULL",
                    text == NULL ? "text" : "language");
  }
  for (int i = 0; i < LANGUAGE_COUNT; ++i) {
    if (strcmp(text, names[i]) == 0) {
      *language = (relayout_language)i;
      return RELAYOUT_OK;
    }
  }
  return rlt_fail(error, RELAYOUT_INVALID_TEXT,
                  "%s is no language; expected c, opencl, cuda, hip, metal, wgsl, glsl or python",
                  rlt_quote_text(text, strlen(text)).text);
}

/* ---- Names of functions ---- */

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_identifier(const char *name) {
  size_t length = 0;
  for (; name[length] != '\0' && length <= RELAYOUT_EMIT_MAX_NAME; ++length) {
    const char c = name[length];
    const bool is_later =
        length > 0 && ((c >= '0' && c <= '9') || (c == '_' && name[length - 1] != '_'));
    if (!is_letter(c) && !is_later) {
      return false;
    }
  }
  return length > 0 && length <= RELAYOUT_EMIT_MAX_NAME && name[length - 1] != '_';
}

relayout_status rlt_language_check_name(relayout_language language, const char *name,
                                        relayout_error *error) {
  const rlt_quote quote = rlt_quote_text(name, strlen(name));
  if (!is_identifier(name)) {
    return rlt_fail(
        error, RELAYOUT_INVALID_ARGUMENT,
        "options->name is %s; expected a letter, followed by letters, digits and single "
        "underscores, %d characters at most",
        quote.text, RELAYOUT_EMIT_MAX_NAME);
  }
  if (rlt_language_reserves(language, name)) {
    return rlt_fail(error, RELAYOUT_INVALID_ARGUMENT,
                    "options->name is %s, which means something else in %s", quote.text,
                    relayout_language_name(language));
  }
  return RELAYOUT_OK;
}

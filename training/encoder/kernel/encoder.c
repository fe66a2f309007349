// The inner loops of the encoder, as WebAssembly with (relaxed) SIMD. Built by build.sh into models/encoder/encoder.wasm.
//
// Activations are rounded to 7 bits and stored with 64 added (1..127), weights to 8 bits; so the relaxed dot product, whose
// second operand must lie in 0..127, gives the same integers on every machine. Everything else is plain f32, without fused
// operations, for the same reason.

#include <stdint.h>
#include <wasm_simd128.h>

#define WIDTH 384
#define HEADS 12
#define HEAD_WIDTH 32
#define INNER 1536
#define ZERO_POINT 64
#define ACTIVATION_MAX 63.0f

typedef float f4 __attribute__((vector_size(16)));
typedef int32_t i4 __attribute__((vector_size(16)));

// Weights lie in blocks of 4 outputs by 4 inputs, inputs first: 16 bytes feed one dot product of four lanes.
typedef struct {
  const int8_t *weights;
  const float *scales;      // per output
  const int32_t *offsets;   // per output: 64 times the sum of its weights
  const float *bias;        // per output
} Linear;

typedef struct {
  Linear qkv, out, up, down;
  const float *norm1_weight, *norm1_bias, *norm2_weight, *norm2_bias;
} Layer;

static inline f4 splat(float value) { return (f4){value, value, value, value}; }
static inline float sum4(f4 v) { return (v[0] + v[1]) + (v[2] + v[3]); }
static inline f4 load(const float *at) { return *(const f4 *)at; }

// 2^x by a polynomial on the fraction and the exponent bits for the rest; relative error below 3e-6.
static inline f4 exp4(f4 x) {
  f4 t = x * splat(1.44269504f);
  t = (f4)wasm_f32x4_max(wasm_f32x4_splat(-126.0f), wasm_f32x4_min(wasm_f32x4_splat(126.0f), (v128_t)t));
  f4 whole = (f4)wasm_f32x4_nearest((v128_t)t);
  f4 f = t - whole;
  f4 p = splat(0.00133335581f);
  p = p * f + splat(0.00961812911f);
  p = p * f + splat(0.0555041087f);
  p = p * f + splat(0.240226507f);
  p = p * f + splat(0.693147181f);
  p = p * f + splat(1.0f);
  i4 bits = (i4)wasm_i32x4_trunc_sat_f32x4((v128_t)whole) << 23;
  return (f4)((i4)p + bits);
}

// The tanh form of GELU: within 5e-4 of the exact one.
static inline f4 gelu4(f4 x) {
  f4 inner = x * (splat(1.59576912f) + splat(0.0713548163f) * x * x);
  return x / (splat(1.0f) + exp4(-inner));
}

// Rounds each row by its own largest value.
static void quantize(const float *x, int rows, int cols, uint8_t *q, float *scales) {
  for (int row = 0; row < rows; row++, x += cols, q += cols) {
    v128_t most = wasm_f32x4_splat(1e-6f);
    for (int at = 0; at < cols; at += 4) most = wasm_f32x4_pmax(most, wasm_f32x4_abs(wasm_v128_load(x + at)));
    f4 m = (f4)most;
    float high = m[0] > m[1] ? m[0] : m[1], other = m[2] > m[3] ? m[2] : m[3];
    if (other > high) high = other;
    scales[row] = high / ACTIVATION_MAX;
    f4 inverse = splat(ACTIVATION_MAX / high);
    v128_t zero = wasm_i32x4_splat(ZERO_POINT);
    for (int at = 0; at < cols; at += 16) {
      v128_t part[4];
      for (int i = 0; i < 4; i++) {
        v128_t whole = wasm_f32x4_nearest((v128_t)(load(x + at + i * 4) * inverse));
        part[i] = wasm_i32x4_add(wasm_i32x4_trunc_sat_f32x4(whole), zero);
      }
      v128_t low = wasm_i16x8_narrow_i32x4(part[0], part[1]), up = wasm_i16x8_narrow_i32x4(part[2], part[3]);
      wasm_v128_store(q + at, wasm_u8x16_narrow_i16x8(low, up));
    }
  }
}

#define DOT(w, a, acc) wasm_i32x4_relaxed_dot_i8x16_i7x16_add(w, a, acc)
enum { PLAIN, GELU };

static inline __attribute__((always_inline)) void store(v128_t acc, float scale, const Linear *l, int out, float *y, int mode) {
  f4 whole = (f4)wasm_f32x4_convert_i32x4(wasm_i32x4_sub(acc, wasm_v128_load(l->offsets + out)));
  f4 value = whole * splat(scale) * load(l->scales + out) + load(l->bias + out);
  *(f4 *)(y + out) = mode == GELU ? gelu4(value) : value;
}

// Four tokens by eight outputs at a time: eight sums stay in registers.
static inline __attribute__((always_inline)) void linear(const uint8_t *q, const float *scales, int rows, const Linear *l, int in, int out, float *y, int mode) {
  for (int o = 0; o < out; o += 8) {
    const int8_t *w0 = l->weights + o * in, *w1 = w0 + 4 * in;
    int row = 0;
    for (; row + 4 <= rows; row += 4) {
      const uint8_t *a0 = q + row * in, *a1 = a0 + in, *a2 = a1 + in, *a3 = a2 + in;
      v128_t s00 = wasm_i32x4_splat(0), s01 = s00, s02 = s00, s03 = s00, s10 = s00, s11 = s00, s12 = s00, s13 = s00;
      for (int k = 0; k < in; k += 4) {
        v128_t b0 = wasm_v128_load(w0 + k * 4), b1 = wasm_v128_load(w1 + k * 4), a;
        a = wasm_v128_load32_splat(a0 + k); s00 = DOT(b0, a, s00); s10 = DOT(b1, a, s10);
        a = wasm_v128_load32_splat(a1 + k); s01 = DOT(b0, a, s01); s11 = DOT(b1, a, s11);
        a = wasm_v128_load32_splat(a2 + k); s02 = DOT(b0, a, s02); s12 = DOT(b1, a, s12);
        a = wasm_v128_load32_splat(a3 + k); s03 = DOT(b0, a, s03); s13 = DOT(b1, a, s13);
      }
      float *y0 = y + row * out;
      store(s00, scales[row], l, o, y0, mode); store(s10, scales[row], l, o + 4, y0, mode);
      store(s01, scales[row + 1], l, o, y0 + out, mode); store(s11, scales[row + 1], l, o + 4, y0 + out, mode);
      store(s02, scales[row + 2], l, o, y0 + 2 * out, mode); store(s12, scales[row + 2], l, o + 4, y0 + 2 * out, mode);
      store(s03, scales[row + 3], l, o, y0 + 3 * out, mode); store(s13, scales[row + 3], l, o + 4, y0 + 3 * out, mode);
    }
    for (; row < rows; row++) {
      const uint8_t *a0 = q + row * in;
      v128_t s0 = wasm_i32x4_splat(0), s1 = s0;
      for (int k = 0; k < in; k += 4) {
        v128_t a = wasm_v128_load32_splat(a0 + k);
        s0 = DOT(wasm_v128_load(w0 + k * 4), a, s0);
        s1 = DOT(wasm_v128_load(w1 + k * 4), a, s1);
      }
      store(s0, scales[row], l, o, y + row * out, mode);
      store(s1, scales[row], l, o + 4, y + row * out, mode);
    }
  }
}

// y becomes the normalised sum of x and y; x may be null.
static void add_and_norm(const float *x, float *y, int rows, const float *weight, const float *bias) {
  for (int row = 0; row < rows; row++, y += WIDTH) {
    f4 total = splat(0), squares = splat(0);
    for (int at = 0; at < WIDTH; at += 4) {
      f4 value = load(y + at);
      if (x) value += load(x + row * WIDTH + at);
      *(f4 *)(y + at) = value;
      total += value;
    }
    f4 mean = splat(sum4(total) / WIDTH);
    for (int at = 0; at < WIDTH; at += 4) {
      f4 d = load(y + at) - mean;
      squares += d * d;
    }
    f4 inverse = splat(1.0f / __builtin_sqrtf(sum4(squares) / WIDTH + 1e-12f));
    for (int at = 0; at < WIDTH; at += 4) *(f4 *)(y + at) = (load(y + at) - mean) * inverse * load(weight + at) + load(bias + at);
  }
}

// qkv holds a row of 3 * WIDTH per token. `keys` has room for HEAD_WIDTH * stride, `scores` for stride floats; the stride is the
// number of tokens rounded up to four.
static void attend(const float *qkv, int tokens, float *keys, float *scores, float *mixed) {
  int stride = (tokens + 3) & ~3;
  for (int head = 0; head < HEADS; head++) {
    const float *base = qkv + head * HEAD_WIDTH;
    for (int t = 0; t < stride; t++)
      for (int d = 0; d < HEAD_WIDTH; d++) keys[d * stride + t] = t < tokens ? base[t * 3 * WIDTH + WIDTH + d] * 0.176776695f : 0;
    for (int t = 0; t < tokens; t++) {
      const float *query = base + t * 3 * WIDTH;
      v128_t most = wasm_f32x4_splat(-1e30f);
      for (int at = 0; at < stride; at += 4) {
        f4 sum = splat(0);
        for (int d = 0; d < HEAD_WIDTH; d++) sum += splat(query[d]) * load(keys + d * stride + at);
        *(f4 *)(scores + at) = sum;
      }
      for (int at = tokens; at < stride; at++) scores[at] = -1e30f;
      for (int at = 0; at < stride; at += 4) most = wasm_f32x4_pmax(most, (v128_t)load(scores + at));
      f4 m = (f4)most;
      float a = m[0] > m[1] ? m[0] : m[1], b = m[2] > m[3] ? m[2] : m[3];
      f4 high = splat(a > b ? a : b), total = splat(0);
      for (int at = 0; at < stride; at += 4) {
        f4 e = exp4(load(scores + at) - high);
        *(f4 *)(scores + at) = e;
        total += e;
      }
      for (int at = tokens; at < stride; at++) { total[at & 3] -= scores[at]; scores[at] = 0; }
      f4 inverse = splat(1.0f / sum4(total));
      f4 acc[HEAD_WIDTH / 4];
      for (int i = 0; i < HEAD_WIDTH / 4; i++) acc[i] = splat(0);
      const float *value = base + 2 * WIDTH;
      for (int other = 0; other < tokens; other++, value += 3 * WIDTH) {
        f4 share = splat(scores[other]);
        for (int i = 0; i < HEAD_WIDTH / 4; i++) acc[i] += share * load(value + i * 4);
      }
      for (int i = 0; i < HEAD_WIDTH / 4; i++) *(f4 *)(mixed + t * WIDTH + head * HEAD_WIDTH + i * 4) = acc[i] * inverse;
    }
  }
}

__attribute__((export_name("normalize"))) void normalize(float *x, int tokens, const float *weight, const float *bias) {
  add_and_norm(0, x, tokens, weight, bias);
}

// One layer over x, in place. The rows of x belong to `count` texts of the given lengths, one after the other: a text attends
// only to itself, everything else works row by row. Scratch: wide (tokens * INNER floats), narrow (tokens * WIDTH floats), rounded (tokens * INNER
// bytes), scales (tokens floats), keys and scores as above.
__attribute__((export_name("run_layer"))) void run_layer(const Layer *layer, float *x, const int *lengths, int count, float *wide, float *narrow, uint8_t *rounded, float *scales, float *keys, float *scores) {
  int tokens = 0;
  for (int text = 0; text < count; text++) tokens += lengths[text];
  quantize(x, tokens, WIDTH, rounded, scales);
  linear(rounded, scales, tokens, &layer->qkv, WIDTH, 3 * WIDTH, wide, PLAIN);
  for (int text = 0, first = 0; text < count; first += lengths[text++])
    attend(wide + first * 3 * WIDTH, lengths[text], keys, scores, narrow + first * WIDTH);
  quantize(narrow, tokens, WIDTH, rounded, scales);
  linear(rounded, scales, tokens, &layer->out, WIDTH, WIDTH, narrow, PLAIN);
  add_and_norm(narrow, x, tokens, layer->norm1_weight, layer->norm1_bias);
  quantize(x, tokens, WIDTH, rounded, scales);
  linear(rounded, scales, tokens, &layer->up, WIDTH, INNER, wide, GELU);
  quantize(wide, tokens, INNER, rounded, scales);
  linear(rounded, scales, tokens, &layer->down, INNER, WIDTH, narrow, PLAIN);
  add_and_norm(narrow, x, tokens, layer->norm2_weight, layer->norm2_bias);
}

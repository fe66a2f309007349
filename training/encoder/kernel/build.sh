#!/bin/sh
# Builds the WebAssembly of the encoder. Needs the Python package ziglang (pip install ziglang==0.17.0), a C compiler for it.
set -e
cd "$(dirname "$0")"
python -m ziglang cc -target wasm32-freestanding -O3 -msimd128 -mrelaxed-simd -mbulk-memory -ffreestanding -fno-math-errno \
  -nostdlib -Wl,--no-entry -Wl,--export=__heap_base -Wl,--export-memory -Wl,--strip-all -o ../../../models/encoder/encoder.wasm encoder.c

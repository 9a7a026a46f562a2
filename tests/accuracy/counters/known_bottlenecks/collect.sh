#!/usr/bin/env bash
# On a machine with a GPU, ncu, nvcc and Warplens: counters of the kernels at all sizes, and times without a profiler.
#     collect.sh FOLDER ARCHITECTURE      (sm_90, say)
# A sweep that was stopped goes on where it was; to_table.py makes one table of what is in FOLDER.
set -euo pipefail
source=$(cd "$(dirname "$0")" && pwd)/kernels.cu
mkdir -p "$1" && cd "$1"
nvcc -O3 -arch="$2" -o kernels "$source"
sizes=(256 320 384 512 640 768 896 1024 1280 1536 1792 2048 2560 3072)
for n in "${sizes[@]}"; do ./kernels "$n" times > "times_n=$n.csv"; done
warplens counters collect -D n="$(IFS=,; echo "${sizes[*]}")" --launches 60 -o runs -- ./kernels '{n}'

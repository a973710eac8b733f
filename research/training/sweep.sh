#!/usr/bin/env bash
# Train several variants side by side on one GPU: research/training/sweep.sh FOLDER < variants
# Each input line is a name and the arguments of training.train.
set -u
folder=$1
mkdir -p "$folder"
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
while read -r name arguments; do
  [ -n "$name" ] || continue
  # shellcheck disable=SC2086
  python3 -m training.train --out "$folder/$name" $arguments >"$folder/$name.log" 2>&1 &
done
wait

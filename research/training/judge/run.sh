#!/usr/bin/env bash
# Train all teachers side by side on one GPU, and each model's student as soon as its teachers are done:
#   research/training/judge/run.sh RUNS BASE STORE [seconds until teachers end] [seconds until students end]
set -u
runs=$1 base=$2 store=$3 taught=${4:-450} ended=${5:-1080}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=2 TOKENIZERS_PARALLELISM=false
begun=$(date +%s)
mkdir -p "$runs"
one() { # NAME ARGUMENTS
  local name=$1
  shift
  # shellcheck disable=SC2086
  python3 -m training.judge.train --store "$store" --base "$base" --out "$runs/$name" "$@" ${EXTRA:-} >"$runs/$name.log" 2>&1
}
model() { # NAME, share of soft labels
  local model=$1 until=$((begun + taught)) run
  local -a teachers=()
  one "t-$model-1" --model "$model" --layers 12 --lr 4e-5 --seed 1 --until "$until" &
  one "t-$model-2" --model "$model" --layers 12 --rank 32 --lr 4e-4 --seed 2 --soft "$2" --until "$until" &
  wait
  for run in "$runs/t-$model-1" "$runs/t-$model-2"; do [ -f "$run/scores.npy" ] && teachers+=("$run"); done
  [ ${#teachers[@]} = 0 ] && return
  until=$((begun + ended))
  one "s-$model" --model "$model" --passes 3 --seed 3 --until "$until" --teachers "${teachers[@]}" &
  if [ "$model" = b ]; then # what the facts about characters add
    one "n-$model" --model "$model" --passes 3 --seed 3 --until "$until" --no-facts --teachers "${teachers[@]}" &
  fi
  wait
}
model all 0.5 &
model a 0.5 &
model b 0 &
wait
touch "$runs/done"

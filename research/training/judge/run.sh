#!/usr/bin/env bash
# Train all teachers side by side on one GPU, each model's student as soon as its teachers are done, and at
# last the cloze heads on the shipping student, where CLOZE names their data:
#   research/training/judge/run.sh RUNS BASE STORE [seconds until teachers end] [until students] [until all]
# Teachers of a run before this one (RUNS/t-*/scores.npy) are not trained again.
set -u
runs=$1 base=$2 store=$3 taught=${4:-420} ended=${5:-960} over=${6:-1110}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=2 TOKENIZERS_PARALLELISM=false
python=${PYTHON:-python3}
begun=$(date +%s)
mkdir -p "$runs"
rm -f "$runs/done"
one() { # NAME ARGUMENTS
  local name=$1
  shift
  # shellcheck disable=SC2086
  $python -m training.judge.train --store "$store" --base "$base" --out "$runs/$name" "$@" ${EXTRA:-} >>"$runs/$name.log" 2>&1
}
teacher() { # NAME ARGUMENTS: again with smaller batches where it broke off and there is time
  [ -f "$runs/$1/scores.npy" ] && return
  local until=$((begun + taught))
  one "$@" --layers "${LAYERS:-12}" --budget 12000 --until $until --latest $((until + 90))
  [ ! -f "$runs/$1/scores.npy" ] && [ "$(date +%s)" -lt $((until - 120)) ] && one "$@" --layers "${LAYERS:-12}" --budget 7000 --until $until --latest $((until + 90))
}
cloze() { # NAME ARGUMENTS: a cloze head on the shipping student
  local name=$1
  shift
  [ -f "$runs/s-all/weights.npz" ] || return
  # shellcheck disable=SC2086
  $python -m training.cloze.train --judge "$runs/s-all" --store "$CLOZE" --out "$runs/$name" --aside 30 \
    --until $((begun + over)) --latest $((begun + over + 60)) "$@" ${CLOZE_EXTRA:-} >"$runs/$name.log" 2>&1
}
model() { # NAME, share of soft labels
  local model=$1 run
  local -a teachers=()
  teacher "t-$model-1" --model "$model" --lr 4e-5 --seed 1 --soft "$2" &
  teacher "t-$model-2" --model "$model" --rank 32 --lr 2e-4 --seed 2 --soft "$2" &
  wait
  for run in "$runs/t-$model-1" "$runs/t-$model-2"; do [ -f "$run/scores.npy" ] && teachers+=("$run"); done
  [ ${#teachers[@]} = 0 ] && return
  one "s-$model" --model "$model" --passes 3 --seed 3 --until $((begun + ended)) --latest $((begun + over)) --teachers "${teachers[@]}" &
  if [ "$model" = all ] && [ -n "${CLOZE:-}" ]; then
    until [ -f "$runs/s-all/trained" ] || [ "$(date +%s)" -ge $((begun + over - 60)) ]; do sleep 2; done
    cloze cloze --tower 2 &
    cloze cloze-rank --tower 0 --rank 36 --lr 2e-4 &
  fi
  wait
}
model all 0.5 &
model a 0.5 &
model b 0 &
wait
touch "$runs/done"

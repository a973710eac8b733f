#!/usr/bin/env bash
# Train the students of all teachers side by side on one GPU:
#   research/training/judge/students.sh RUNS BASES STORE [minutes of each]   (after teachers.sh)
set -u
runs=$1 bases=$2 store=$3 minutes=${4:-4.0}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
chosen=$(sed -n 's/^chosen: //p' "$runs/choice.log" | tail -n 1)
one() { # NAME MODEL TEACHERS: those that have scores teach
  local name=$1 model=$2 run
  local -a taught=()
  shift 2
  for run; do [ -f "$run/scores.npy" ] && taught+=("$run"); done
  [ ${#taught[@]} -gt 0 ] || { echo "$name: no teacher has scores" && return; }
  # shellcheck disable=SC2086
  python3 -m training.judge.train --store "$store" --out "$runs/$name" --model "$model" --targets "${taught[@]}" \
    --base "$bases/minilm" --lr 4e-4 --head-lr 1e-3 --layer-decay 0.9 --budget 24000 --passes 6 \
    --minutes "$minutes" --eight-bit-from 0.6 $chosen ${EXTRA:-} >"$runs/$name.log" 2>&1 &
}
one s-all all "$runs/t-all-1" "$runs/t-all-2"
one s-no12 no12 "$runs/t-no12"
one s-no13 no13 "$runs/t-no13"
one s-no21 no21 "$runs/t-no21"
one s-no23 no23 "$runs/t-no23"
wait
tail -n 2 "$runs"/s-*.log

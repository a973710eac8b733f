#!/usr/bin/env bash
# Train `judge-many` on one GPU, both folds next to each other, by the clock, and write the results:
#   research/training/many/run.sh RUNS DATA OUT
# DATA holds `store.npz.xz` and `base-*.safetensors`. TOY=1 runs it on a CPU with few batches.
set -u
runs=$1 data=$2 out=$3
# seconds from the start: end of training, end of scoring
teach=1080 score=1200 budgets="18000 9000" extra= layers=12
[ -n "${TOY:-}" ] && teach=240 score=420 budgets=600 extra="--limit 2 --passes 1 --rank 2 --tokens 2000" layers=2
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-2}
python=${PYTHON:-python3}
begun=$(date +%s)
mkdir -p "$runs" "$out"
rm -f "$runs/done"
fold() { # NAME: again with smaller batches after an error, if there is time
  local name=$1 budget
  for budget in $budgets; do
    [ -f "$runs/$name/scores.npz" ] && return
    # shellcheck disable=SC2086
    $python -m training.many.train --store "$data/store.npz.xz" --base "$data" --out "$runs/$name" \
      --budget "$budget" --fold "${name%-*}" --layers "${name#*-}" --seed 2 \
      --until $((begun + teach)) --latest $((begun + score)) $extra >>"$runs/$name.log" 2>&1
    [ "$(date +%s)" -gt $((begun + teach - 120)) ] && return
  done
}
fold all-$layers &
fold b-$layers &
wait
$python -m training.many.report "$runs" --store "$data/store.npz.xz" --out "$out"
touch "$runs/done"
echo "$(($(date +%s) - begun)) seconds"

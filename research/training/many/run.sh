#!/usr/bin/env bash
# Train the judges of many languages side by side on one GPU, by the clock, and write what comes back:
#   research/training/many/run.sh RUNS DATA OUT [seconds until training ends] [seconds until scoring ends]
# A run for each fold and depth, as `a-12`; what `all` learns from everything could ship: its adapters come
# back. BUDGETS are pieces a batch, a second try included; WHICH names the runs, where not all are wanted; EXTRA has more arguments for each.
set -u
runs=$1 data=$2 out=$3 taught=${4:-1200} scored=${5:-1260}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=2
python=${PYTHON:-python3}
begun=$(date +%s)
mkdir -p "$runs" "$out"
one() { # NAME: again with smaller batches where it broke off and there is time
  local name=$1 budget until=$((begun + taught))
  for budget in ${BUDGETS:-18000 9000}; do
    # shellcheck disable=SC2086
    $python -m training.many.train --store "$data/store.npz.xz" --base "$data" --out "$runs/$name" --budget $budget \
      --fold "${name%-*}" --layers "${name#*-}" --seed 2 \
      --until $until --latest $((begun + scored)) ${EXTRA:-} >>"$runs/$name.log" 2>&1
    [ -f "$runs/$name/scores.npz" ] || [ "$(date +%s)" -gt $((until - 60)) ] && return
  done
}
started=()
for name in ${WHICH:-a-12 b-12 all-12}; do
  one "$name" &
  started+=($!)
done
[ -z "${WATCH:-}" ] || { sleep "$WATCH" && nvidia-smi && tail -qn 3 "$runs"/*.log; }
wait "${started[@]}"
tail -qn 2 "$runs"/*.log
$python -m training.many.report "$runs" --store "$data/store.npz.xz" --out "$out"
ls -l "$out"
echo "$(($(date +%s) - begun)) seconds"

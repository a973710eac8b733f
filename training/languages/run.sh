#!/usr/bin/env bash
# All networks over the multilingual encoder, side by side on one GPU: bash training/languages/run.sh MINUTES
# DATA holds triples.npz.xz, discourse.npz.xz and encoder.npz; results go to OUT, in four archives.
set -u
MINUTES=${1:-8}
DATA=${DATA:-data} OUT=${OUT:-out} PYTHON=${PYTHON:-python3} EXTRA=${EXTRA:-}
RUNS=$OUT.runs
export OMP_NUM_THREADS=1 PYTHONPATH=.
mkdir -p "$OUT" "$RUNS"
started=$(date +%s)
judge_minutes=$($PYTHON -c "print($MINUTES - 1.8)")
other_minutes=$($PYTHON -c "print(min(4, $MINUTES - 3))")
pids=()
start() { # name, module, options
  name=$1 module=$2
  shift 2
  $PYTHON -m "training.languages.$module" --encoder "$DATA/encoder.npz" --out "$RUNS/$name" $EXTRA "$@" > "$RUNS/$name.log" 2>&1 &
  pids+=($!)
}
for corpora in all ship english; do
  start "edus-$corpora" edus --corpora $corpora --store "$DATA/discourse.npz.xz" --minutes "$other_minutes"
  start "trees-$corpora" trees --corpora $corpora --store "$DATA/discourse.npz.xz" --minutes "$other_minutes"
done
for model in all no23 no24 no21 no13 no12 node noen; do
  start "judge-$model" train --model $model --store "$DATA/triples.npz.xz" --minutes "$judge_minutes"
done
pack() {
  (cd "$RUNS" && tar czf figures.tar.gz ./*.log ./*/figures.json ./*/scores.npz 2> /dev/null
    tar cf ship.tar judge-all/judge.pt edus-ship/edus.pt trees-ship/trees.pt 2> /dev/null
    tar cf left-out.tar judge-no23/judge.pt judge-no24/judge.pt 2> /dev/null
    tar cf measured.tar edus-all/edus.pt trees-all/trees.pt judge-no21/judge.pt 2> /dev/null)
  mv "$RUNS"/figures.tar.gz "$RUNS"/*.tar "$OUT"/
}
while sleep 5; do
  running=0
  for pid in "${pids[@]}"; do kill -0 "$pid" 2> /dev/null && running=$((running + 1)); done
  now=$(($(date +%s) - started))
  if [ $running -eq 0 ]; then break; fi
  if [ "$now" -ge "$($PYTHON -c "print(int(60 * $MINUTES - 15))")" ]; then
    echo "the clock: $running still running"
    for pid in "${pids[@]}"; do kill "$pid" 2> /dev/null; done
    break
  fi
done
pack
for log in "$RUNS"/*.log; do echo "== $log"; tail -n 24 "$log" | cut -c1-220; done
ls -l "$OUT"
echo "$(($(date +%s) - started)) seconds"

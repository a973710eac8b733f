#!/usr/bin/env bash
# Networks of discourse over the multilingual encoder, side by side on one GPU: bash research/training/languages/run.sh MINUTES
# DATA holds discourse.npz.xz and encoder.npz; results go to OUT, in five archives.
set -u
MINUTES=${1:-7}
DATA=${DATA:-data} OUT=${OUT:-out} PYTHON=${PYTHON:-python3} EXTRA=${EXTRA:-}
RUNS=$OUT.runs
export OMP_NUM_THREADS=1 PYTHONPATH=research
mkdir -p "$OUT" "$RUNS"
started=$(date +%s)
half=$($PYTHON -c "print(max(0.1, ($MINUTES - 1.5) / 2))")
pids=()
start() { # name, corpora, whether trees follow, options of the reader
  name=$1 corpora=$2 trees=$3
  shift 3
  given="--corpora $corpora --store $DATA/discourse.npz.xz --encoder $DATA/encoder.npz --minutes $half $EXTRA"
  (
    seed=$(echo "$name" | tr -dc '0-9')
    $PYTHON -m training.languages.edus $given --out "$RUNS/$name" --seed "${seed:-1}" "$@" > "$RUNS/$name.log" 2>&1
    [ "$trees" = yes ] && $PYTHON -m training.languages.trees $given --edus "$RUNS/$name" --out "$RUNS/$name" \
      --seed "${seed:-1}" --width 128 > "$RUNS/$name-trees.log" 2>&1
  ) &
  pids+=($!)
}
start all-1 all yes --passes 14
start all-2 all yes --passes 14
start all-wide all no --width 512 --dropout 0.4
start all-tuned all no --tuned 0.2 --width 384
start all-windows all no --reader windows
start all-attention all no --reader attention --layers 4 --lr 0.0005
start all-plain all no --syntax 0
start ship-1 ship yes --passes 22
start ship-2 ship yes --passes 22
start ship-tuned ship yes --tuned 0.2 --passes 22
start gold-1 gold no --passes 24
start english-1 english yes --passes 40
start english-2 english yes --passes 40
pack() {
  (cd "$RUNS" && tar czf figures.tar.gz ./*.log ./*/*.json 2> /dev/null
    tar cf ship.tar ship-[12]/*.pt 2> /dev/null
    tar cf tuned.tar ship-tuned/*.pt english-1/*.pt 2> /dev/null
    tar cf all.tar all-1/*.pt all-tuned/*.pt 2> /dev/null
    tar cf wide.tar all-wide/*.pt all-windows/*.pt 2> /dev/null)
  mv "$RUNS"/figures.tar.gz "$RUNS"/*.tar "$OUT"/
}
while sleep 2; do
  running=0
  for pid in "${pids[@]}"; do kill -0 "$pid" 2> /dev/null && running=$((running + 1)); done
  [ $running -eq 0 ] && break
  if [ $(($(date +%s) - started)) -ge "$($PYTHON -c "print(int(60 * $MINUTES - 5))")" ]; then
    echo "the clock: $running still running"
    break
  fi
done
pack
for pid in "${pids[@]}"; do pkill -P "$pid" 2> /dev/null; done
tail -qn 3 "$RUNS"/*.log | cut -c1-200
ls -l "$OUT"
echo "$(($(date +%s) - started)) seconds"

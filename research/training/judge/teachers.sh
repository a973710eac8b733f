#!/usr/bin/env bash
# Choose on development documents with small models, then train all teachers side by side on one GPU:
#   research/training/judge/teachers.sh RUNS BASES STORE [minutes of each]   (BASES holds minilm/ and mpnet/)
set -u
runs=$1 bases=$2 store=$3 minutes=${4:-4.6} small=${SMALL_MINUTES:-0.6}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
mkdir -p "$runs"
one() { # NAME ARGUMENTS: a run in the background
  local name=$1
  shift
  # shellcheck disable=SC2086
  python3 -m training.judge.train --store "$store" --out "$runs/$name" "$@" ${EXTRA:-} >"$runs/$name.log" 2>&1 &
}
small() {
  one "$@" --base "$bases/minilm" --lr 1.5e-4 --layer-decay 0.9 --passes 2 --minutes "$small" --dev-only
}
small v-3 --margin 0.3
small v-6 --margin 0.6
small v-10 --margin 1.0
small v-plain --margin 0.6 --no-crossed
wait
chosen=$(python3 -m training.judge.choose "$runs"/v-* -- margin crossed 2>"$runs/choice.log") || chosen="--margin 0.6"
echo "chosen: $chosen" | tee -a "$runs/choice.log"
large() { # NAME MODEL SEED
  # shellcheck disable=SC2086
  one "$1" --model "$2" --seed "$3" --base "$bases/mpnet" --minutes "$minutes" $chosen
}
large t-all-1 all 1
large t-all-2 all 2
large t-no12 no12 3
large t-no13 no13 4
large t-no21 no21 5
large t-no23 no23 6
wait
tail -n 2 "$runs"/t-*.log

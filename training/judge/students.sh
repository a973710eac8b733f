#!/usr/bin/env bash
# Choose on development documents how students learn, then train those of all teachers side by side on one GPU:
#   training/judge/students.sh RUNS BASES STORE [minutes of each]   (after teachers.sh)
set -u
runs=$1 bases=$2 store=$3 minutes=${4:-12} small=${SMALL_MINUTES:-2}
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=1 TOKENIZERS_PARALLELISM=false
export PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True
chosen=$(sed -n 's/^chosen: //p' "$runs/choice.log" | tail -n 1)
one() { # NAME MODEL TEACHERS -- OPTIONS: those that have scores teach
  local name=$1 model=$2
  local -a taught=()
  shift 2
  while [ "$1" != -- ]; do
    [ -f "$runs/$1/scores.npy" ] && taught+=("$runs/$1")
    shift
  done
  shift
  [ ${#taught[@]} -gt 0 ] || { echo "$name: no teacher has scores" && return; }
  # shellcheck disable=SC2086
  python3 -m training.judge.train --store "$store" --out "$runs/$name" --model "$model" --targets "${taught[@]}" \
    --base "$bases/minilm" --head-lr 1e-3 --layer-decay 0.9 --budget 24000 --passes 16 \
    --eight-bit-from 0.75 $chosen "$@" ${EXTRA:-} >"$runs/$name.log" 2>&1 &
}
small() { # NAME OPTIONS
  local name=$1
  shift
  one "$name" all t-all-1 t-all-2 -- --minutes "$small" --dev-only "$@"
}
small w-1 --lr 4e-4 --inside 0.1
small w-2 --lr 4e-4 --inside 0
small w-3 --lr 1.5e-4 --inside 0.1
small w-4 --lr 1.5e-4 --inside 0
small w-5 --lr 1.5e-4 --inside 0 --gold 1
wait
learnt=$(python3 -m training.judge.choose "$runs"/w-* -- lr inside gold 2>"$runs/learnt.log") || learnt="--lr 1.5e-4"
echo "chosen: $learnt" | tee -a "$runs/learnt.log"
large() { # NAME MODEL TEACHERS
  # shellcheck disable=SC2086
  one "$@" -- --minutes "$minutes" $learnt
}
large s-all all t-all-1 t-all-2
large s-no12 no12 t-no12
large s-no13 no13 t-no13
large s-no21 no21 t-no21
large s-no23 no23 t-no23
wait
tail -n 2 "$runs"/s-*.log

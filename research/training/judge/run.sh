#!/usr/bin/env bash
# Train the teachers, or the students, of `judge` on one GPU. Everything ends by the clock.
#   research/training/judge/run.sh teachers RUNS DATA
#   research/training/judge/run.sh students RUNS DATA
# DATA holds `mpnet`, `minilm` (for students), `judge.npz.xz`, and `cloze.npz.xz` (for the cloze head; optional).
# RUNS gets one folder and one log per run. A teacher that has scores isn't trained again; a teacher that has
# weights and no scores is only scored. TOY=1 runs everything on a CPU in a few minutes.
set -u
what=$1 runs=$2 data=$3
export PYTHONUNBUFFERED=1 OMP_NUM_THREADS=${OMP_NUM_THREADS:-2} TOKENIZERS_PARALLELISM=false
python=${PYTHON:-python3}
layers=12 budget=8000 student_budget=16000 extra= models="all a b"
# seconds from the start: end of training, end of scoring, end of training of replacements, end of their scoring
teach=720 score=930 again=1140 over=1260
# students: end of training, end of scoring; cloze head: end of training
learn=780 test=900 hide=1050
if [ -n "${TOY:-}" ]; then
  layers=2 budget=2000 student_budget=2000 extra="--limit 12 --tokens 4000" models=all
  CLOZE_EXTRA="--limit 3 --sample 20"
  teach=240 score=400 again=560 over=700 learn=200 test=340 hide=400
fi
begun=$(date +%s)
mkdir -p "$runs"
rm -f "$runs/done"

run() { # NAME ARGUMENTS
  local name=$1
  shift
  # shellcheck disable=SC2086
  $python -m training.judge.train --store "$data/judge.npz.xz" --out "$runs/$name" "$@" $extra \
    >>"$runs/$name.log" 2>&1
}

teacher() { # NAME END SCORED ARGUMENTS: try again with smaller batches after an error, for example of memory
  local name=$1 until=$((begun + $2)) latest=$((begun + $3)) size=$budget
  shift 3
  for size in $budget $((budget / 2)); do
    [ -f "$runs/$name/scores.npy" ] && return
    local -a more=()
    [ -f "$runs/$name/trained" ] && more=(--score-only)
    [ ${#more[@]} = 0 ] && [ "$(date +%s)" -gt $((until - 60)) ] && [ -z "${TOY:-}" ] && return
    run "$name" --base "$data/mpnet" --layers $layers --budget "$size" --until $until --latest $latest \
      "$@" ${more[@]+"${more[@]}"}
  done
}

kinds() { # NUMBER: the arguments of a teacher by its number; numbers from 4 on replace the first three
  case $((($1 - 1) % 3)) in
    0) echo "--lr 4e-5 --seed $1" ;;
    1) echo "--lr 5e-5 --seed $1" ;;
    2) echo "--rank 32 --lr 2e-4 --seed $1" ;;
  esac
}

teachers() { # MODEL SOFT
  local model=$1 soft=$2 number
  for number in 1 2 3; do
    # shellcheck disable=SC2046
    teacher "t-$model-$number" $teach $score --model "$model" --soft "$soft" $(kinds $number) &
  done
  wait
  $python -m training.judge.teachers "$runs" "$model" >"$runs/teachers-$model.txt"
  for number in 1 2 3; do
    grep -q "^use t-$model-$number\$" "$runs/teachers-$model.txt" && continue
    if [ "$(date +%s)" -gt $((begun + again - 180)) ] && [ -z "${TOY:-}" ]; then
      echo "no time to replace t-$model-$number" >>"$runs/teachers-$model.txt"
    else
      # shellcheck disable=SC2046
      teacher "t-$model-$((number + 3))" $again $over --model "$model" --soft "$soft" $(kinds $((number + 3))) &
    fi
  done
  wait
  $python -m training.judge.teachers "$runs" "$model" >>"$runs/teachers-$model.txt"
}

student() { # NAME MODEL BASE ARGUMENTS
  local name=$1 model=$2 base=$3
  shift 3
  local -a from=()
  mapfile -t from < <($python -m training.judge.teachers "$runs" "$model" | sed -n "s|^use |$runs/|p")
  if [ ${#from[@]} = 0 ]; then
    echo "no teacher of $model is used" >>"$runs/$name.log"
    return
  fi
  [ -f "$runs/$name/scores.npy" ] && return
  run "$name" --model "$model" --base "$base" --passes 3 --budget $student_budget --until $((begun + learn)) \
    --latest $((begun + test)) --teachers "${from[@]}" "$@"
}

cloze() { # NAME ARGUMENTS: a cloze head on the encoder of `judge`
  local name=$1
  shift
  # shellcheck disable=SC2086
  $python -m training.cloze.train --judge "$runs/s-all" --store "$data/cloze.npz.xz" --out "$runs/$name" \
    --aside 30 --until $((begun + hide)) "$@" ${CLOZE_EXTRA:-} >"$runs/$name.log" 2>&1
}

case $what in
  teachers)
    for model in $models; do # fold b never saw WMT23, which the soft labels are for
      teachers "$model" "$([ "$model" = b ] && echo 0 || echo 0.5)" &
    done
    ;;
  students)
    six=$((layers / 2))
    for model in $models; do
      student "s-$model" "$model" "$data/mpnet" --layers $six --lr 6e-5 --seed 3 &
    done
    [ -d "$data/minilm" ] && student s-small all "$data/minilm" --layers $six --lr 2e-4 --seed 3 --freeze-words &
    if [ -f "$data/cloze.npz.xz" ]; then
      until [ -f "$runs/s-all/trained" ] || [ "$(date +%s)" -ge $((begun + hide - 60)) ]; do sleep 2; done
      cloze cloze --tower 2 &
    fi
    ;;
  *)
    echo "choose teachers or students"
    exit 2
    ;;
esac
wait
touch "$runs/done"
cat "$runs"/teachers-*.txt 2>/dev/null
echo "$(($(date +%s) - begun)) seconds"

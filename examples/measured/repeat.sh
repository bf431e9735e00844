#!/bin/sh
# Measures this machine, runs the kernels on it, and scores their models: sh repeat.sh FOLDER
#
# Nothing else should run meanwhile; it takes eight minutes. FOLDER gets the files when all is
# done, and none before. OPTIONS are those of both measurements: OPTIONS=--quick sh repeat.sh FOLDER
set -eu

folder=${1:?"which folder the files go to: sh repeat.sh FOLDER"}
here=$(dirname "$0")
mkdir -p "$folder"
new=$(mktemp -d "$folder/new.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT TERM

roofdsl measure machine -o "$new/mine.roof" ${OPTIONS-}
for processes in 1 2 4; do
    roofdsl measure kernels -P $processes -o "$new/runs_$processes.csv" ${OPTIONS-}
done
python "$here/score.py" "$new"
mv "$new"/* "$folder"

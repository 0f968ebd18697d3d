#!/bin/bash
# Runs the recipes for Slurm on this machine: an array, one task of which is
# requeued in the middle, and the merge job that depends on it. The merged
# report must have the bytes of one process.
#
#   tools/cluster/check_slurm.sh NS FLOAT QUANTIZED INPUTS
#
# INPUTS should take some seconds. Needs root, and Debian's packages slurm-wlm
# and munge; starts their daemons for itself and ends them.
set -euo pipefail

NS="$(realpath "$1")"
FLAGS=(--float="$(realpath "$2")" --quantized="$(realpath "$3")"
  --inputs="$(realpath "$4")")
RECIPES="$(realpath "$(dirname "$0")")"
FOLDER="$(mktemp -d)"
export NS SLURM_CONF="$FOLDER/slurm.conf"
cd "$FOLDER"

cat > slurm.conf <<CONF
ClusterName=check
SlurmctldHost=$(hostname)
SlurmUser=root
AuthType=auth/munge
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmctldPidFile=$FOLDER/slurmctld.pid
SlurmdPidFile=$FOLDER/slurmd.pid
SlurmdSpoolDir=$FOLDER/spool
StateSaveLocation=$FOLDER/state
SlurmctldLogFile=$FOLDER/slurmctld.log
SlurmdLogFile=$FOLDER/slurmd.log
SlurmctldPort=26817
SlurmdPort=26818
NodeName=$(hostname) CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
mkdir spool state shards munge
chmod 755 "$FOLDER"
chown munge munge

stop() {
  for pid in slurmd.pid slurmctld.pid munge/munged.pid; do
    if [[ -e "$pid" ]]; then
      kill "$(cat "$pid")" || true
    fi
  done
}
trap stop EXIT
mkdir -p /run/munge
chown munge /run/munge
su -s /bin/sh munge -c "munged --force --pid-file=$FOLDER/munge/munged.pid"
slurmctld
slurmd

# The processors that a small machine has, and progress to resume from.
OPTIONS=(--cpus-per-task=1)
job="$(sbatch "${OPTIONS[@]}" --parsable --array=5-11:3 \
  "$RECIPES/compare.sbatch" "${FLAGS[@]}" --save-every=1)"
sbatch "${OPTIONS[@]}" --dependency=afterok:"$job" "$RECIPES/merge.sbatch" \
  --json=merged.json --quiet
until compgen -G 'shards/*.resume' > /dev/null; do
  if [[ -z "$(squeue -h)" ]]; then
    echo "all tasks ended before one could be requeued; use larger inputs" >&2
    exit 1
  fi
  sleep 0.2
done
resume="$(compgen -G 'shards/*.resume' | head -n 1)"
task="${resume//[!0-9]/}"
scontrol requeue "${job}_$task"
while [[ -n "$(squeue -h)" ]]; do
  sleep 0.5
done

cat shards/ns-compare-*.log
grep -q ' of them resumed' "shards/ns-compare-$task.log"
"$NS" compare "${FLAGS[@]}" --threads=1 --json=one.json --quiet
cmp one.json merged.json
echo "the merged report has the bytes of one process"

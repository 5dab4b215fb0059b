# Sourced by services.sh. It uses free_port, $scratch and stop_services.
# shellcheck shell=bash

clamd=/usr/sbin/clamd
clamd_pid=

stop_clamd() { kill "$clamd_pid"; }

clamd_hex() { printf %s "$1" | od -An -v -tx1 | tr -d ' \n'; }

# A plain process with two signatures of its own: definitions of viruses are downloaded, and need 1.5 GB.
# `start_clamd ADDRESS PORT` listens there, else on the loopback.
start_clamd() {
  local home=$scratch/clamd address=${1:-127.0.0.1} port=${2:-}
  mkdir -p "$home/database" "$home/temporary"
  # The test string of EICAR, in hex so that no scanner takes this file for it, and a marker that only we know.
  {
    echo "Eicar-Test-Signature:0:0:58354f2150254041505b345c505a58353428505e2937434329377d2445494341522d5354414e444152442d414e544956495255532d544553542d46494c452124482b482a"
    echo "Pennypress.Test.Marker:0:*:$(clamd_hex "pennypress harmless marker")"
  } >"$home/database/pennypress.ndb"
  # Without the alerts it calls clean what it did not look into; without the concurrent reload a bad one ends it; and
  # fuzzy hashes decode pictures with neither a limit of time nor of memory.
  cat >"$home/settings" <<SETTINGS
Foreground yes
DatabaseDirectory $home/database
TemporaryDirectory $home/temporary
StreamMaxLength 26M
MaxFileSize 26M
MaxScanSize 110M
MaxScanTime 30000
AlertExceedsMax yes
AlertEncrypted yes
AlertBrokenMedia yes
ConcurrentDatabaseReload yes
ScanImageFuzzyHash no
SETTINGS
  if [ -z "$port" ]; then port=$(free_port); fi
  {
    cat "$home/settings"
    printf '%s\n' "LocalSocket $home/socket" "TCPSocket $port" "TCPAddr $address"
  } >"$home/configuration"
  TZ=UTC "$clamd" --config-file="$home/configuration" >"$home/log" 2>&1 &
  clamd_pid=$!
  stop_services+=(stop_clamd)
  export SERVICES_CLAMD_UNIX="unix:$home/socket"
  export SERVICES_CLAMD_TCP="tcp://$address:$port"
  # What a test puts before the sockets of a clamd of its own.
  export SERVICES_CLAMD_SETTINGS="$home/settings"
  for _ in $(seq 100); do
    if [ -S "$home/socket" ]; then return; fi
    sleep 0.1
  done
  cat "$home/log"
  return 1
}

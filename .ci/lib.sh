# Sourced by .ci/run and .ci/soak: what both need to run steps, count tests and install Debian's packages.
# shellcheck shell=bash

scratch=$(mktemp -d)
chmod 755 "$scratch"
counts=$scratch/counts
times=$scratch/times
: >"$counts"
: >"$times"
stop_services=()

current=

# Prints the seconds of each step and its bound, then the closing line over every test that ran.
finish() {
  local status=$? stop
  trap - EXIT
  if [ -n "$current" ]; then
    end_step
    echo "The step failed. It runs alone as: $0 $current"
  fi
  for stop in "${stop_services[@]}"; do "$stop" >/dev/null 2>&1 || true; done
  printf '\n%-12s %8s %8s\n' step seconds bound
  awk '{ total += $2; printf "%-12s %8d %8d%s\n", $1, $2, $3, ($2 > $3 ? "  longer than its bound" : "") }
    END { printf "%-12s %8d\n\n", "all", total }' "$times"
  # Nothing fails, as a busy machine is slow. Who reads the end of the output reads this.
  awk '$2 > $3 { printf "The step %s took %d seconds longer than its bound of %d. Did it grow, or was the machine busy?\n", $1, $2 - $3, $3 }' \
    "$times"
  awk '{ passed += $1; failed += $3 } END { printf "%d passed, %d failed\n", passed, failed }' "$counts"
  rm -rf "$scratch"
  exit "$status"
}
trap finish EXIT
trap 'exit 130' INT TERM

# Runs the function `step_NAME` as a step with a bound in seconds. The bound fails nothing: it says which step grew.
step() {
  current=$1
  bound=$2
  begun=$SECONDS
  printf '\n== %s\n' "$current"
  "step_${current//[^a-z0-9]/_}"
  end_step
  current=
}

end_step() { printf '%s %d %d\n' "$current" $((SECONDS - begun)) "$bound" >>"$times"; }

# Runs a command and keeps the closing line that the tests' reporter prints.
counted() {
  local status=0
  "$@" 2>&1 | tee "$scratch/output" || status=$?
  grep -E '^[0-9]+ passed, [0-9]+ failed$' "$scratch/output" >>"$counts" || true
  return "$status"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# PostgreSQL refuses to run as root.
as_postgres() {
  if [ "$(id -u)" = 0 ]; then (cd / && runuser -u postgres -- "$@"); else "$@"; fi
}

# Installs those of Debian's packages that the machine lacks.
apt_install() {
  local missing=() package
  for package in "$@"; do
    if ! dpkg-query --show --showformat '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed; then
      missing+=("$package")
    fi
  done
  if [ ${#missing[@]} = 0 ]; then return; fi
  echo "installing ${missing[*]}"
  if [ ! -e "$scratch/apt-updated" ]; then
    as_root apt-get update -qq
    touch "$scratch/apt-updated"
  fi
  # Debian would start each server that it installs.
  local policy=/usr/sbin/policy-rc.d own=false status=0
  if [ ! -e "$policy" ]; then
    own=true
    printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" >/dev/null
    as_root chmod +x "$policy"
  fi
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" \
    >"$scratch/apt" 2>&1 || status=$?
  if $own; then as_root rm "$policy"; fi
  if [ "$status" != 0 ]; then cat "$scratch/apt"; fi
  return "$status"
}

free_port() {
  node -e 'const s = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(s.address().port); s.close() })'
}

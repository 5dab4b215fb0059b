# Sourced by .ci/run and .ci/soak after lib.sh: the servers that tests need. Each is installed where it is missing.
# shellcheck shell=bash

. .ci/ceph.sh
. .ci/clamd.sh

# Decides that Debian makes and starts no server of its own. Before the first package with a server.
create_no_main_cluster() {
  apt_install postgresql-common
  local clusters=/etc/postgresql-common/createcluster.conf
  if ! grep -qsx "create_main_cluster = false" "$clusters"; then
    echo "create_main_cluster = false" | as_root tee -a "$clusters" >/dev/null
  fi
}

install_services() {
  create_no_main_cluster
  apt_install postgresql-15 pgbouncer redis-server clamav-daemon chromium-headless-shell strace libxml2-utils python3-feedparser \
    unzip p7zip-full libarchive-tools haproxy nginx prometheus
}

postgres15=/usr/lib/postgresql/15/bin

stop_postgres15() { as_postgres "$postgres15/pg_ctl" -D "$scratch/postgres15/data" -m immediate stop; }

# The oldest server that we support; the embedded one is the newest.
start_postgres15() {
  if [ -n "${SERVICES_POSTGRES15_URL:-}" ]; then return; fi
  local home=$scratch/postgres15 port
  mkdir "$home"
  if [ "$(id -u)" = 0 ]; then chown postgres "$home"; fi
  port=$(free_port)
  as_postgres "$postgres15/initdb" -D "$home/data" --username=postgres --auth=trust --encoding=UTF8 --locale=C.UTF-8 \
    --no-sync >"$scratch/initdb"
  stop_services+=(stop_postgres15)
  as_postgres "$postgres15/pg_ctl" -D "$home/data" -w -l "$home/log" \
    -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=200 -c fsync=off \
      -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off" start >/dev/null
  export SERVICES_POSTGRES15_URL="postgres://postgres@127.0.0.1:$port/postgres"
}

redis_pid=

stop_redis() { kill "$redis_pid"; }

start_redis() {
  local port
  port=$(free_port)
  redis-server --bind 127.0.0.1 --port "$port" --save "" --appendonly no --dir "$scratch" >"$scratch/redis" &
  redis_pid=$!
  stop_services+=(stop_redis)
  export SERVICES_REDIS_URL="redis://127.0.0.1:$port"
  for _ in $(seq 100); do
    if grep -q "Ready to accept connections" "$scratch/redis"; then return; fi
    sleep 0.1
  done
  cat "$scratch/redis"
  return 1
}

# The inspector of the Model Context Protocol stands apart, as it brings 400 packages. Kept between runs.
start_inspector() {
  local version=2.12.0 home=${XDG_CACHE_HOME:-$HOME/.cache}/pennypress/inspector
  local package=$home/node_modules/@modelcontextprotocol/inspector
  if ! grep -qs "\"version\": \"$version\"" "$package/package.json"; then
    npm install --prefix "$home" --ignore-scripts --no-audit --no-fund --loglevel=error "@modelcontextprotocol/inspector@$version"
  fi
  export SERVICES_INSPECTOR="$package/clients/launcher/build/index.js"
}

start_services() {
  start_postgres15
  start_redis
  start_clamd
  start_inspector
  SERVICES_CHROMIUM=$(command -v chromium-headless-shell)
  export SERVICES_CHROMIUM
}

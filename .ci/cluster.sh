# Sourced by .ci/cluster and .ci/soak after lib.sh and services.sh: what the tests of test/cluster need. They start the
# machines themselves, in network namespaces, and need root for that.
# shellcheck shell=bash

# The release of Debian whose PgBouncer is built: 1.21 and newer know the prepared statements of the protocol.
pgbouncer_release=trixie
pgbouncer=${XDG_CACHE_HOME:-$HOME/.cache}/pennypress/pgbouncer-$pgbouncer_release/pgbouncer

install_cluster() {
  create_no_main_cluster
  apt_install postgresql-15 patroni etcd-server haproxy redis-server clamav-daemon iproute2 nftables
  install_ceph
  build_pgbouncer
}

# Builds PgBouncer from Debian's source. Kept between runs.
build_pgbouncer() {
  if [ -x "$pgbouncer" ]; then return; fi
  apt_install gcc make pkg-config dpkg-dev libevent-dev libc-ares-dev libssl-dev
  local home=$scratch/pgbouncer
  mkdir -p "$home/lists/partial" "$home/source" "$(dirname "$pgbouncer")"
  echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $pgbouncer_release main" \
    >"$home/sources.list"
  local own=(-o "Dir::Etc::sourcelist=$home/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$home/lists"
    -o "Dir::Cache=$home" -o APT::Sandbox::User=root)
  echo "building PgBouncer"
  {
    as_root apt-get update "${own[@]}" &&
      (cd "$home" && as_root apt-get source --download-only "${own[@]}" pgbouncer) &&
      tar -xf "$home"/pgbouncer_*.orig.tar.gz -C "$home/source" --strip-components=1 &&
      (cd "$home/source" && ./configure --without-pam && make -j2)
  } >"$scratch/pgbouncer.out" 2>&1 || {
    tail -n 40 "$scratch/pgbouncer.out"
    return 1
  }
  install "$home/source/pgbouncer" "$pgbouncer"
}

# Checks out the release from which the cluster is upgraded: the last tag. Before the first tag, the last commit that
# changed the baseline of the migrations or the settings of the database: an older one needs another database or topology.
check_out_previous() {
  local commit
  commit=$(git describe --tags --abbrev=0 2>/dev/null ||
    git log -1 --format=%H -- 'migrations/000[1-8]_*.ts' layers/config/databaseVariables.ts)
  export CLUSTER_PREVIOUS=$scratch/previous
  mkdir "$CLUSTER_PREVIOUS"
  git archive "$commit" | tar -x -C "$CLUSTER_PREVIOUS"
  if cmp -s package-lock.json "$CLUSTER_PREVIOUS/package-lock.json"; then
    ln -s "$PWD/node_modules" "$CLUSTER_PREVIOUS/node_modules"
  else
    npm ci --prefix "$CLUSTER_PREVIOUS" --no-audit --no-fund --loglevel=error
  fi
  echo "upgrading from $commit"
}

test_cluster() {
  install_cluster
  check_out_previous
  CLUSTER_PGBOUNCER=$pgbouncer PATH=$PWD/node_modules/.bin:$PATH counted vitest run --config test/vitest.cluster.config.ts "$@"
}

#!/usr/bin/env bash
# Sourced by services.sh. It uses apt_install, free_port, $scratch and stop_services.
# A Ceph of one node in memory: a real S3 server, without containers. Everything listens on loopback alone, but for the
# gateway of `start_ceph ADDRESS PORT`.

ceph_pids=()

# Kills them: there is nothing to keep, and a gateway that is asked to end takes its time.
stop_ceph() {
  local pid
  for pid in "${ceph_pids[@]}"; do kill -9 "$pid" || true; done
  for pid in "${ceph_pids[@]}"; do wait "$pid" || true; done
  ceph_pids=()
}

# Runs a daemon in the foreground of a job of ours, so that it ends when we say.
ceph_daemon() {
  local name=$1
  shift
  "$@" >"$scratch/ceph/$name.out" 2>&1 &
  ceph_pids+=($!)
}

ceph_failed() {
  local file
  for file in "$scratch"/ceph/*.out; do
    echo "== $file"
    tail -n 20 "$file"
  done
  return 1
}

write_ceph_conf() {
  local home=$1 fsid=$2 mon_port=$3
  cat >"$home/ceph.conf" <<CONF
[global]
fsid = $fsid
mon_host = v1:127.0.0.1:$mon_port
public_addr = 127.0.0.1
cluster_addr = 127.0.0.1
auth_cluster_required = none
auth_service_required = none
auth_client_required = none
run_dir = $home
admin_socket = $home/\$name.asok
log_file = $home/\$name.log
pid_file =
ms_bind_msgr2 = false
mon_data = $home/mon
mon_allow_pool_size_one = true
mon_data_avail_crit = 1
osd_data = $home/osd
osd_objectstore = memstore
memstore_device_bytes = 4294967296
osd_crush_chooseleaf_type = 0
osd_pool_default_size = 1
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 1
osd_pool_default_pgp_num = 1
osd_pool_default_pg_autoscale_mode = off
rgw_data = $home/rgw
CONF
}

# The cluster: one monitor and one store of objects.
start_ceph_cluster() {
  local home=$1 fsid=$2 mon_port=$3
  monmaptool --create --addv a "[v1:127.0.0.1:$mon_port]" --fsid "$fsid" "$home/monmap" >"$home/monmap.out"
  timeout 30 ceph-mon -c "$home/ceph.conf" --mkfs -i a --monmap "$home/monmap" >"$home/mkfs.out" 2>&1 || ceph_failed || return 1
  ceph_daemon mon ceph-mon -c "$home/ceph.conf" -f -i a
  timeout 30 ceph -c "$home/ceph.conf" osd new "$fsid" 0 >"$home/new.out" 2>&1 || ceph_failed || return 1
  timeout 30 ceph-osd -c "$home/ceph.conf" -i 0 --mkfs --osd-uuid "$fsid" >"$home/osd-mkfs.out" 2>&1 || ceph_failed || return 1
  start_ceph_osd "$home"
}

# A store that asks before the monitor has told it of its cluster ends with "wrong fsid", and then starts again.
start_ceph_osd() {
  local home=$1
  for _ in $(seq 10); do
    ceph_daemon osd ceph-osd -c "$home/ceph.conf" -f -i 0
    while kill -0 "${ceph_pids[-1]}" 2>/dev/null; do
      if timeout 30 ceph -c "$home/ceph.conf" osd stat 2>/dev/null | grep -q " 1 up"; then return 0; fi
      sleep 0.1
    done
  done
  ceph_failed
}

# The bucket, once the gateway answers.
make_ceph_bucket() {
  local url=$1
  S3_ENDPOINT=$url S3_KEY=$2 S3_SECRET=$3 timeout 60 node_modules/.bin/node --input-type=module -e '
    import { CreateBucketCommand, S3Client } from "@aws-sdk/client-s3"
    const { S3_ENDPOINT: endpoint, S3_KEY: accessKeyId, S3_SECRET: secretAccessKey } = process.env
    const credentials = { accessKeyId, secretAccessKey }
    const client = new S3Client({ endpoint, credentials, region: "us-east-1", forcePathStyle: true, maxAttempts: 1 })
    for (;;) {
      try {
        await client.send(new CreateBucketCommand({ Bucket: "pennypress" }))
        break
      } catch (error) {
        if (error.$response !== undefined) throw error
        await new Promise((resolve) => setTimeout(resolve, 100))
      }
    }'
}

install_ceph() { apt_install radosgw ceph-mon ceph-osd ceph-common; }

start_ceph_gateway() {
  ceph_daemon rgw radosgw -c "$scratch/ceph/ceph.conf" -f -n client.rgw --rgw-frontends="beast endpoint=$1:$2"
}

start_ceph() {
  local home=$scratch/ceph address=${1:-127.0.0.1} port=${2:-} fsid mon_port key=pennypress secret=the/secret+of-tests
  fsid=$(cat /proc/sys/kernel/random/uuid)
  mon_port=$(free_port)
  if [ -z "$port" ]; then port=$(free_port); fi
  mkdir -p "$home/mon" "$home/osd" "$home/rgw"
  write_ceph_conf "$home" "$fsid" "$mon_port"
  stop_services+=(stop_ceph)
  start_ceph_cluster "$home" "$fsid" "$mon_port" || return 1
  timeout 60 radosgw-admin -c "$home/ceph.conf" user create --uid=pennypress --display-name=Pennypress \
    --access-key="$key" --secret="$secret" >"$home/user.out" 2>&1 || ceph_failed || return 1
  start_ceph_gateway "$address" "$port"
  make_ceph_bucket "http://$address:$port" "$key" "$secret" || ceph_failed || return 1
  export SERVICES_S3_URL="s3://$key:the%2Fsecret%2Bof-tests@$address/pennypress?endpoint=http://$address:$port"
}

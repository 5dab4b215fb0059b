import { execFileSync } from "node:child_process"
import { chmodSync, chownSync, existsSync, globSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { parse, stringify } from "yaml"
import { eventually } from "../support/eventually.ts"
import { startFlags } from "../support/startScript.ts"
import { addressOf, type Command, folderOf, type Machine, runOn, start, withAddresses } from "./machines.ts"

/**
 * The programs of the machines: load balancer → two services → PgBouncer → the primary of two PostgreSQL servers, one of them
 * a synchronous standby. The files are those that operators take from `layers/deploy/several`.
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url))
const DEPLOY = join(ROOT, "layers/deploy/several")
const POSTGRES = "/usr/lib/postgresql/15/bin"
const PGBOUNCER = process.env["CLUSTER_PGBOUNCER"] ?? "/usr/sbin/pgbouncer"
const PASSWORD = "a-password-of-tests"

export const SERVICES = ["pennypress-1", "pennypress-2"] as const
const DATABASES = ["postgres-1", "postgres-2"] as const
export type Service = (typeof SERVICES)[number]
export type Database = (typeof DATABASES)[number]

const urlOf = (machine: Machine, port: number) => `http://${addressOf(machine)}:${port}`

/** The address that readers use. */
export const ORIGIN = urlOf("haproxy", 4020)
export const originOf = (service: Service | "fresh") => urlOf(service, 4020)
/** PostgreSQL as tests reach it: whichever server is the primary, or one of them. */
export const databaseUrl = (machine: "haproxy" | Database = "haproxy") =>
  `postgres://pennypress:${PASSWORD}@${addressOf(machine)}:5432/pennypress`

const deployed = (file: string) => withAddresses(readFileSync(join(DEPLOY, file), "utf8"))

/** Writes a file of a machine. The programs of some run as another user. */
const write = (machine: Machine, name: string, text: string) => {
  const path = join(folderOf(machine), name)
  writeFileSync(path, text)
  chmodSync(path, 0o644)
  return path
}

const user = (name: string) =>
  ["--user", "--group"].map((kind) => Number(execFileSync("id", [kind, name]).toString()))

/** Gives the folder of a machine to a user, as PostgreSQL and PgBouncer refuse to run as root. */
const giveTo = (machine: Machine, name: string) => {
  const [uid = 0, gid = 0] = user(name)
  chownSync(folderOf(machine), uid, gid)
  return ["setpriv", `--reuid=${name}`, `--regid=${name}`, "--init-groups"]
}

const etcd = (): Command => {
  const [client, peer] = [urlOf("etcd-1", 2379), urlOf("etcd-1", 2380)]
  return {
    command: ["etcd"],
    env: {
      ETCD_NAME: "etcd-1",
      ETCD_DATA_DIR: join(folderOf("etcd-1"), "data"),
      ETCD_LISTEN_CLIENT_URLS: client,
      ETCD_ADVERTISE_CLIENT_URLS: client,
      ETCD_LISTEN_PEER_URLS: peer,
      ETCD_INITIAL_ADVERTISE_PEER_URLS: peer,
      ETCD_INITIAL_CLUSTER: `etcd-1=${peer}`
    }
  }
}

/** Makes the settings that differ between the servers, and their passwords. */
const patroniEnvironment = (machine: Database) => ({
  PATRONI_NAME: machine,
  PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${addressOf(machine)}:5432`,
  PATRONI_RESTAPI_CONNECT_ADDRESS: `${addressOf(machine)}:8008`,
  PATRONI_ETCD3_HOSTS: `${addressOf("etcd-1")}:2379`,
  PATRONI_SUPERUSER_USERNAME: "postgres",
  PATRONI_SUPERUSER_PASSWORD: PASSWORD,
  PATRONI_REPLICATION_USERNAME: "replicator",
  PATRONI_REPLICATION_PASSWORD: PASSWORD,
  POSTGRES_PASSWORD: PASSWORD,
  PATH: `${POSTGRES}:${process.env["PATH"]}`
})

const patroni = (machine: Database): Command => {
  const asPostgres = giveTo(machine, "postgres")
  const folder = folderOf(machine)
  const settings = parse(deployed("patroni.yml"))
  settings.bootstrap.post_bootstrap = settings.bootstrap.post_bootstrap.replace(
    "/etc/patroni/database.sql",
    write(machine, "database.sql", deployed("database.sql"))
  )
  Object.assign(settings.postgresql, {
    data_dir: join(folder, "data"),
    bin_dir: POSTGRES,
    pgpass: join(folder, "pgpass"),
    // The machines share the files of this host.
    parameters: { unix_socket_directories: folder }
  })
  return {
    command: [...asPostgres, "patroni", write(machine, "patroni.yml", stringify(settings))],
    env: patroniEnvironment(machine)
  }
}

const pgbouncer = (): Command => {
  const asPostgres = giveTo("pgbouncer", "postgres")
  const users = write("pgbouncer", "userlist.txt", `"pennypress" "${PASSWORD}"\n`)
  const settings = deployed("pgbouncer.ini").replace("/etc/pgbouncer/userlist.txt", users)
  const file = write("pgbouncer", "pgbouncer.ini", `${settings}\nauth_file = ${users}\nunix_socket_dir =\n`)
  return { command: [...asPostgres, PGBOUNCER, file] }
}

/** With fewer connections than it would have in earnest, as a machine of tests may open fewer files. */
const haproxy = (): Command => {
  const settings = deployed("haproxy.cfg").replace(/maxconn \d+/, "maxconn 2000")
  return { command: ["haproxy", "-db", "-f", write("haproxy", "haproxy.cfg", settings)] }
}

const redis = (): Command => ({
  command: ["redis-server", "--bind", addressOf("redis"), "--save", "", "--protected-mode", "no"]
})

const S3_PORT = 7480

/** Starts a server of `.ci` on its machine, and waits for its end. */
const ofScript = (machine: "s3" | "clamd", script: string, words: string): Command => ({
  command: ["bash", "-euo", "pipefail", "-c", `. .ci/lib.sh; . .ci/${script}.sh; ${words}; wait`],
  cwd: ROOT,
  env: { TMPDIR: folderOf(machine), HOME: folderOf(machine) }
})
const s3 = () => ofScript("s3", "ceph", `start_ceph ${addressOf("s3")} ${S3_PORT}; touch "$TMPDIR/ready"`)
const clamd = () => ofScript("clamd", "clamd", `start_clamd ${addressOf("clamd")} 3310`)

/** The gateway alone: the objects of the store stay in memory when it ends. */
export const s3Gateway = (): Command => {
  const [conf = ""] = globSync(join(folderOf("s3"), "*/ceph/ceph.conf"))
  const endpoint = `beast endpoint=${addressOf("s3")}:${S3_PORT}`
  return { command: ["radosgw", "-c", conf, "-f", "-n", "client.rgw", `--rgw-frontends=${endpoint}`] }
}

/** The token with which the tests read metrics. */
export const LOCAL_TOKEN = "a-token-that-these-tests-share-and-nobody-else"

/** The settings that all services share. */
const serviceSettings = () => ({
  HOST: "0.0.0.0",
  PUBLIC_BASE_URL: "http://localhost:4020",
  NANO_LEDGER: "development",
  LOCAL_TOKEN,
  DATABASE_URL: `postgres://pennypress:${PASSWORD}@${addressOf("pgbouncer")}:6432/pennypress`,
  DATABASE_DIRECT_URL: databaseUrl(),
  // The primary or the standby, as it comes.
  DATABASE_READ_URL: databaseUrl("postgres-2"),
  REDIS_URL: `redis://${addressOf("redis")}:6379`,
  S3_URL: `s3://pennypress:the%2Fsecret%2Bof-tests@${addressOf("s3")}/pennypress?endpoint=${urlOf("s3", S3_PORT)}`,
  CLAMD_URL: `tcp://${addressOf("clamd")}:3310`,
  SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off",
  SERVER_SECRET: "a secret that these tests share and nobody else",
  TRUSTED_PROXIES: addressOf("haproxy"),
  RATE_LIMIT_FACTOR: "1000000",
  NEW_ACCOUNTS: "list",
  LOG_FORMAT: "json"
})

/** A command of the service, by default as `npm start` starts it; that of another checkout, when its folder is named. */
export const pennypress = (
  machine: Service | "fresh",
  words: ReadonlyArray<string> = ["serve"],
  checkout = ROOT
) => ({
  command: [process.execPath, ...startFlags, join(checkout, "src/bin/pennypress.ts"), ...words],
  env: { ...serviceSettings(), PENNYPRESS_DATA: folderOf(machine) }
})

const isAnswered = async (url: string) => {
  try {
    const { status } = await fetch(url, { signal: AbortSignal.timeout(2_000) })
    return status === 200
  } catch {
    return false
  }
}
const answers = (url: string) => Effect.promise(() => isAnswered(url))

/** Returns true while a service says that it is ready to write. */
export const isReady = (service: Service) => answers(`${originOf(service)}/health/ready`)

/** Waits until something answers this URL with 200. */
export const answering = (url: string) => eventually(url, answers(url))

/** Returns true while Patroni says that a server is what the path names. */
const isDatabase = (machine: Database, path: "primary" | "sync") => answers(`${urlOf(machine, 8008)}/${path}`)

/** Returns the primary and the other server, once one is the primary and the other its synchronous standby. */
export const databases = Effect.gen(function* () {
  const [one, other] = DATABASES
  yield* eventually(
    "a primary with a synchronous standby",
    Effect.gen(function* () {
      const [primary, standby] = (yield* isDatabase(one, "primary")) ? [one, other] : [other, one]
      return (yield* isDatabase(primary, "primary")) && (yield* isDatabase(standby, "sync"))
    })
  )
  return (yield* isDatabase(one, "primary"))
    ? { primary: one, standby: other }
    : { primary: other, standby: one }
})

/** Waits until every machine does its work, as each fault begins with a whole cluster. */
export const whole = Effect.gen(function* () {
  yield* databases
  for (const service of SERVICES) yield* eventually(`${service} is ready`, isReady(service))
  yield* answering(`${ORIGIN}/health/ready`)
})

const PROGRAMS = { "etcd-1": etcd, redis, s3, clamd, pgbouncer, haproxy }

/** Starts what belongs on a machine. */
export const startOn = (machine: keyof typeof PROGRAMS | Database | Service) =>
  start(
    machine,
    machine === "postgres-1" || machine === "postgres-2"
      ? patroni(machine)
      : machine === "pennypress-1" || machine === "pennypress-2"
        ? pennypress(machine)
        : PROGRAMS[machine]()
  )

/** Runs a line of the runbook on a server, in the environment of Patroni. Returns what it prints. */
export const asPatroni = (machine: Database, line: string) =>
  runOn(machine, {
    command: ["sh", "-euc", line.replaceAll("/etc/patroni", folderOf(machine))],
    env: { ...patroniEnvironment(machine), LC_ALL: "C.UTF-8" }
  })

/** Starts everything, each after what it needs. */
export const startAll = Effect.gen(function* () {
  for (const machine of ["etcd-1", "redis", "s3", "clamd"] as const) yield* startOn(machine)
  yield* answering(`${urlOf("etcd-1", 2379)}/health`)
  yield* startOn("postgres-1")
  yield* answering(`${urlOf("postgres-1", 8008)}/primary`)
  yield* startOn("postgres-2")
  yield* databases
  yield* startOn("haproxy")
  yield* startOn("pgbouncer")
  yield* eventually(
    "the S3 store is ready",
    Effect.sync(() => existsSync(join(folderOf("s3"), "ready")))
  )
  for (const service of SERVICES) {
    yield* startOn(service)
    yield* eventually(`${service} is ready`, isReady(service))
  }
  yield* whole
})

/** Replaces the database of the services by an empty one. */
export const replaceDatabase = Effect.gen(function* () {
  const { primary } = yield* databases
  const settings = { PGPASSWORD: PASSWORD, PGUSER: "postgres", PGHOST: addressOf(primary) }
  for (const statement of [
    "drop database pennypress with (force)",
    "create database pennypress owner pennypress"
  ])
    yield* runOn(primary, { command: [`${POSTGRES}/psql`, "--command", statement], env: settings })
})

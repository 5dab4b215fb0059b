import { createHash } from "node:crypto"
import { existsSync, readFileSync, statSync } from "node:fs"
import { hostname } from "node:os"
import { Effect, Option, Redacted, Result } from "effect"
import type { Environment } from "../config/environment.ts"
import { ServerSecret } from "../crypto/ServerSecret.ts"
import { parseS3Url } from "../storage/s3/s3Url.ts"

/** Settings that the processes of one database share, in the order of their locks. */
const SETTINGS = ["files", "PUBLIC_BASE_URL", "NANO_LEDGER", "REDIS_URL", "SERVER_SECRET"] as const
type SharedSetting = (typeof SETTINGS)[number]

/** The first of our advisory locks, `penn` in ASCII. Those of the settings follow. */
export const LOCKS = 0x70_65_6e_6e

/** An advisory lock that each process with this value of a setting shares. */
export interface SettingLock {
  readonly setting: SharedSetting
  /** The first number of the lock. */
  readonly lock: number
  /** The second number: 31 bits of a hash. */
  readonly value: number
}

const numberOf = (bytes: Uint8Array) => Buffer.from(bytes).readUInt32BE() >>> 1

const lockOf = (setting: SharedSetting, bytes: Uint8Array): SettingLock => ({
  setting,
  lock: LOCKS + 1 + SETTINGS.indexOf(setting),
  value: numberOf(bytes)
})

const textLock = (setting: SharedSetting, text: string) =>
  lockOf(setting, createHash("sha256").update(text).digest())

const BOOT = "/proc/sys/kernel/random/boot_id"

/** Names the files of a process: a bucket under any address, or a directory of this machine in any container. */
const filesOf = ({ PENNYPRESS_DATA, S3_URL }: Environment) =>
  Option.match(S3_URL, {
    onSome: (url) =>
      Result.match(parseS3Url(url), {
        onSuccess: ({ bucket, prefix }) => `${bucket}/${prefix}`,
        onFailure: () => ""
      }),
    onNone: () => {
      if (!existsSync(PENNYPRESS_DATA)) return ""
      const { dev, ino } = statSync(PENNYPRESS_DATA)
      return `${existsSync(BOOT) ? readFileSync(BOOT, "utf8").trim() : hostname()} ${dev} ${ino}`
    }
  })

const ledgerOf = ({ NANO_LEDGER, NANO_NETWORK }: Environment) => {
  // A process without a ledger takes no payments, and disturbs none.
  if (NANO_LEDGER === "off") return undefined
  return NANO_LEDGER === "development" ? "development" : NANO_NETWORK
}

/** Names a Redis without its credentials. */
const redisOf = (url: Redacted.Redacted) => {
  const { host, pathname } = new URL(Redacted.value(url))
  return `${host}${pathname}`
}

/** Returns the locks of a process, without those of its secrets. */
export const settingLocks = (environment: Environment): ReadonlyArray<SettingLock> => {
  const texts = {
    files: filesOf(environment),
    PUBLIC_BASE_URL: environment.PUBLIC_BASE_URL,
    NANO_LEDGER: ledgerOf(environment),
    REDIS_URL: Option.getOrUndefined(Option.map(environment.REDIS_URL, redisOf))
  }
  return SETTINGS.flatMap((setting) => {
    const text = setting === "SERVER_SECRET" ? undefined : texts[setting]
    return text === undefined ? [] : [textLock(setting, text)]
  })
}

/** The locks of the secrets. Their numbers tell 31 bits of a key that is made for nothing else. */
export const secretLocks = Effect.gen(function* () {
  const keys = yield* (yield* ServerSecret).keys("process fingerprint")
  return keys.map((key) => lockOf("SERVER_SECRET", key))
})

/** A lock that a process holds, and where the process is. */
export interface HolderRow {
  readonly pid: number
  /** `pennypress on` and the name of the machine; null for another user's session. */
  readonly name: string | null
  readonly started_at: Date | null
  readonly lock: number
  readonly value: number
}

/** The statement that returns the locks of other sessions than this one, as `HolderRow`. */
export const HOLDERS = `
  select l.pid, a.application_name as name, a.backend_start as started_at,
    l.classid::int8::int4 as lock, l.objid::int8::int4 as value
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'advisory' and l.objsubid = 2 and l.granted and l.pid <> pg_backend_pid()
    and l.database = (select oid from pg_database where datname = current_database())
    and l.classid::int8 between ${LOCKS + 1} and ${LOCKS + SETTINGS.length}
  order by a.backend_start, l.pid, l.classid`

/** Names a process to an operator. */
export const named = ({ name, started_at }: Pick<HolderRow, "name" | "started_at">) =>
  `${name ?? "pennypress"} since ${started_at?.toISOString().replace(/\.\d+Z$/, "Z") ?? "some time"}`

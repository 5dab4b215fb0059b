import { Redacted, Result, Schema, SchemaTransformation } from "effect"
import type { LogLevel } from "effect"
import { NanoAddress, publicKeyOfAddress } from "../../schemas/platform/Nano.ts"
import { isUsableKey } from "../../src/platform/nano/signatures.ts"
import { areServerSecrets } from "../crypto/ServerSecret.ts"
import { parseS3Url } from "../storage/s3/s3Url.ts"
import { parseHost, parseHosts } from "./hosts.ts"

export const integer = (minimum: number, maximum: number) =>
  Schema.NumberFromString.check(Schema.isInt(), Schema.isBetween({ minimum, maximum }))

export const positive = (maximum: number) =>
  Schema.FiniteFromString.check(
    Schema.makeFilter((number: number) => number > 0 && number <= maximum, {
      expected: `a number above 0 and at most ${maximum}`
    })
  )

export const Origin = Schema.String.check(
  Schema.makeFilter(
    (text: string) => {
      const url = URL.parse(text)
      return url !== null && /^https?:$/.test(url.protocol) && url.origin === text.replace(/\/$/, "")
    },
    { expected: "an origin such as https://pennypress.example, without a path" }
  )
)

export const logLevels: Readonly<Record<string, LogLevel.LogLevel>> = {
  trace: "Trace",
  debug: "Debug",
  info: "Info",
  warn: "Warn",
  error: "Error"
}

/** A text that a parser reads. The problem repeats nothing of the value. */
const parsedBy = (parse: (text: string) => Result.Result<unknown, string>, expected: string) =>
  Schema.RedactedFromValue(
    Schema.String.check(
      Schema.makeFilter(
        (text: string) => {
          const parsed = parse(text)
          return Result.isSuccess(parsed) || `Expected ${expected}, but ${parsed.failure}`
        },
        { expected }
      )
    )
  )

/** One database, on one server or on several. */
export const PostgresUrl = parsedBy(parseHosts, "a postgres:// URL")

/** One database on one server, which need not take writes. */
export const PostgresHostUrl = parsedBy(parseHost, "a postgres:// URL with one host")

/** Secrets that keys are derived from, the newest first. A former one stays while its tokens live. */
export const ServerSecrets = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(areServerSecrets, {
      expected: "at least 32 characters, or several such secrets separated by commas, the newest first"
    })
  )
)

/** Returns true for a user and a password that can be decoded. */
const hasLogin = ({ password, username }: URL) =>
  Result.isSuccess(Result.try(() => decodeURIComponent(`${username}:${password}`)))

const isRedisUrl = (text: string) => {
  const url = URL.parse(text)
  return (
    url !== null &&
    /^rediss?:$/u.test(url.protocol) &&
    url.hostname !== "" &&
    /^(\/\d{0,9})?$/u.test(url.pathname) &&
    hasLogin(url)
  )
}

export const RedisUrl = Schema.RedactedFromValue(
  Schema.String.check(Schema.makeFilter(isRedisUrl, { expected: "a redis:// or rediss:// URL" }))
)

const isCollectorUrl = (text: string) => {
  const url = URL.parse(text)
  return (
    url !== null && /^https?:$/u.test(url.protocol) && url.search === "" && url.hash === "" && hasLogin(url)
  )
}

export const CollectorUrl = Schema.RedactedFromValue(
  Schema.String.check(
    Schema.makeFilter(isCollectorUrl, { expected: "an http:// or https:// URL without a query" })
  )
)

/** A bucket of an S3-compatible store. The problem repeats nothing of the value. */
export const S3Url = parsedBy((text) => parseS3Url(Redacted.make(text)), "s3://key:secret@host/bucket")

/** A number of days, or `off`. */
export const MaxAgeDays = Schema.Union([Schema.Literal("off"), positive(3650)])

/** A token of at least 32 visible characters. */
export const AdminSecret = Schema.RedactedFromValue(
  Schema.String.check(Schema.isPattern(/^[!-~]{32,512}$/u, { expected: "at least 32 visible characters" }))
)

/** A difficulty of work as 16 hex digits. */
export const WorkThreshold = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{16}$/u, { expected: "16 lower-case hexadecimal digits" })
).pipe(
  Schema.decodeTo(
    Schema.BigInt,
    SchemaTransformation.transform({
      decode: (digits) => BigInt(`0x${digits}`),
      encode: (difficulty) => difficulty.toString(16).padStart(16, "0")
    })
  )
)

/** A Nano address whose key can receive: about half of all valid addresses lose what they are sent. */
export const PayableAddress = NanoAddress.check(
  Schema.makeFilter((address: NanoAddress) => isUsableKey(publicKeyOfAddress(address)), {
    expected: "a Nano address of an account that can receive"
  })
)

import { availableParallelism } from "node:os"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { readEnvironment, variables } from "../../../layers/config/environment.ts"

type Environment = Readonly<Record<string, string>>

const SECRET = "s".repeat(32)

const read = (env: Environment) =>
  readEnvironment.pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })))

/** The problems that an environment is told, one line each. */
const problemsOf = (env: Environment) =>
  Effect.map(Effect.flip(read(env)), ({ message }) => {
    const [title, ...problems] = message.split("\n")
    assert.strictEqual(title, "The configuration is not valid:")
    return problems.map((line) => line.trim())
  })

const assertRefused = Effect.fnUntraced(function* (
  name: string,
  values: ReadonlyArray<string>,
  expected: string
) {
  for (const value of values) {
    assert.deepStrictEqual(yield* problemsOf({ [name]: value }), [`${name}: ${expected}`], value)
  }
})

describe("the environment", () => {
  it.effect("has a default for every variable", () =>
    Effect.gen(function* () {
      const defaults = {
        HOST: "127.0.0.1",
        PORT: 4020,
        PROCESSES: 1,
        PUBLIC_BASE_URL: "http://localhost:4020",
        MEDIA_BASE_URL: Option.none(),
        IDENTITY_PROVIDER_ORIGIN: Option.none(),
        PENNYPRESS_DATA: "./.pennypress",
        DATABASE_URL: Option.none(),
        DATABASE_POOL_SIZE: 10,
        SERVER_SECRET: Option.none(),
        SMTP_URL: Option.none(),
        MAIL_FROM: { name: "Pennypress", address: "pennypress@localhost" },
        S3_URL: Option.none(),
        CLAMD_URL: Option.none(),
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: 7,
        KNOWN_MATERIAL_FILE: Option.none(),
        ACCOUNT_STORAGE_MB: 1024,
        PUBLIC_CACHE_MB: 64,
        SCREENING_CONCURRENCY: 4,
        ADMIN_TOKEN: Option.none(),
        REDIS_URL: Option.none(),
        RATE_LIMIT_FACTOR: 1,
        TRUSTED_PROXIES: [],
        OTEL_EXPORTER_OTLP_ENDPOINT: Option.none(),
        LOG_LEVEL: "Info",
        LOG_FORMAT: Option.none()
      } as const
      assert.deepEqual<unknown>(yield* read({}), defaults)
      // As a file of a container has them: a variable without a value is one that is not set.
      const empty = Object.fromEntries(Object.keys(variables).map((name) => [name, ""]))
      assert.deepEqual<unknown>(yield* read(empty), defaults)
    })
  )

  it.effect("is read into values", () =>
    Effect.gen(function* () {
      const said = yield* read({
        HOST: "0.0.0.0",
        PORT: "80",
        PUBLIC_BASE_URL: "https://press.example/",
        MEDIA_BASE_URL: "https://media.example/",
        IDENTITY_PROVIDER_ORIGIN: "https://id.example/",
        PENNYPRESS_DATA: "/var/lib/pennypress",
        DATABASE_URL: "postgres://press:hunter2@db.example/press",
        DATABASE_POOL_SIZE: "20",
        SERVER_SECRET: `${SECRET}, ${"t".repeat(32)}`,
        SMTP_URL: "smtp://press:hunter2@mail.example:587",
        MAIL_FROM: "The Press <press@press.example>",
        S3_URL: "s3://press:hunter2@s3.example/images?region=eu-central-1",
        CLAMD_URL: "unix:/run/clamd.ctl",
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off",
        KNOWN_MATERIAL_FILE: "/etc/pennypress/known",
        ACCOUNT_STORAGE_MB: "2048",
        PUBLIC_CACHE_MB: "0",
        SCREENING_CONCURRENCY: "8",
        ADMIN_TOKEN: `hunter2${"t".repeat(32)}`,
        REDIS_URL: "rediss://press:hunter2@redis.example:6380/2",
        RATE_LIMIT_FACTOR: "2.5",
        TRUSTED_PROXIES: "10.0.0.0/8, ::1",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318",
        LOG_LEVEL: "warn",
        LOG_FORMAT: "json"
      })
      const secret = (value: Option.Option<Redacted.Redacted>) => Redacted.value(Option.getOrThrow(value))
      assert.deepInclude<object>(said, {
        HOST: "0.0.0.0",
        PORT: 80,
        PUBLIC_BASE_URL: "https://press.example",
        MEDIA_BASE_URL: Option.some("https://media.example"),
        IDENTITY_PROVIDER_ORIGIN: Option.some("https://id.example"),
        PENNYPRESS_DATA: "/var/lib/pennypress",
        DATABASE_POOL_SIZE: 20,
        MAIL_FROM: { name: "The Press", address: "press@press.example" },
        CLAMD_URL: Option.some({ path: "/run/clamd.ctl" }),
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: Number.POSITIVE_INFINITY,
        KNOWN_MATERIAL_FILE: Option.some("/etc/pennypress/known"),
        ACCOUNT_STORAGE_MB: 2048,
        PUBLIC_CACHE_MB: 0,
        SCREENING_CONCURRENCY: 8,
        RATE_LIMIT_FACTOR: 2.5,
        LOG_LEVEL: "Warn",
        LOG_FORMAT: Option.some("json")
      })
      assert.deepStrictEqual(said.TRUSTED_PROXIES.map(IpNetwork.format), ["10.0.0.0/8", "::1/128"])
      assert.strictEqual(secret(said.S3_URL), "s3://press:hunter2@s3.example/images?region=eu-central-1")
      assert.strictEqual(secret(said.ADMIN_TOKEN), `hunter2${"t".repeat(32)}`)
      assert.strictEqual(secret(said.REDIS_URL), "rediss://press:hunter2@redis.example:6380/2")
      assert.strictEqual(secret(said.DATABASE_URL), "postgres://press:hunter2@db.example/press")
      assert.strictEqual(secret(said.SERVER_SECRET), `${SECRET}, ${"t".repeat(32)}`)
      assert.strictEqual(secret(said.SMTP_URL), "smtp://press:hunter2@mail.example:587")
      assert.strictEqual(Option.getOrThrow(said.OTEL_EXPORTER_OTLP_ENDPOINT).href, "http://collector:4318/")
      assert.notInclude(JSON.stringify(said), "hunter2")
      assert.notInclude(String(said.SERVER_SECRET), SECRET)
    })
  )

  it.effect("requires SERVER_SECRET with DATABASE_URL", () =>
    Effect.gen(function* () {
      const DATABASE_URL = "postgres://press:hunter2@db.example/press"
      const [problem = "", ...others] = yield* problemsOf({ DATABASE_URL })
      assert.match(problem, /^SERVER_SECRET: required with DATABASE_URL/)
      assert.deepStrictEqual(others, [])
      yield* problemsOf({ DATABASE_URL, SERVER_SECRET: "" })
      yield* read({ DATABASE_URL, SERVER_SECRET: SECRET })
      yield* read({ SERVER_SECRET: SECRET })
    })
  )

  it.effect("reports every problem at once, and repeats no value that may be a secret", () =>
    Effect.gen(function* () {
      // A value in the words of a problem, should one be cut out of the wrong place.
      const hunter2 = "Expected hunter2, got hunter2\nExpected hunter2"
      const env = Object.fromEntries(Object.keys(variables).map((name) => [name, hunter2]))
      const problems = yield* problemsOf({ ...env, SERVER_SECRET: "hunter2" })
      const free = new Set(["HOST", "PENNYPRESS_DATA", "SMTP_URL", "KNOWN_MATERIAL_FILE"])
      assert.sameMembers(
        problems.map((line) => line.split(":")[0]),
        Object.keys(variables).filter((name) => !free.has(name))
      )
      assert.notInclude(problems.join("\n"), "hunter2")
    })
  )

  it.effect("refuses SCANNER=none beside a CLAMD_URL", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({ SCANNER: "none" })).SCANNER, "none")
      const problems = yield* problemsOf({ SCANNER: "none", CLAMD_URL: "tcp://127.0.0.1:3310" })
      assert.lengthOf(problems, 1)
      assert.match(problems[0] ?? "", /^SCANNER: none says that nothing is scanned/)
    })
  )

  it.effect("names the problem of S3_URL without repeating it", () =>
    Effect.gen(function* () {
      const expected = "Expected s3://key:secret@host/bucket, but its"
      yield* assertRefused("S3_URL", ["https://hunter2@s3.example/b"], `${expected} scheme is not s3`)
      yield* assertRefused(
        "S3_URL",
        ["s3://press:hunter2@s3.example"],
        `${expected} path is not the name of a bucket`
      )
    })
  )

  it.effect("SCANNER_DEFINITIONS_MAX_AGE_DAYS is above 0, or off", () =>
    Effect.gen(function* () {
      const days = (value: string) =>
        Effect.map(
          read({ SCANNER_DEFINITIONS_MAX_AGE_DAYS: value }),
          (it) => it.SCANNER_DEFINITIONS_MAX_AGE_DAYS
        )
      assert.strictEqual(yield* days("0.5"), 0.5)
      assert.strictEqual(yield* days("off"), Number.POSITIVE_INFINITY)
      for (const value of ["0", "-1", "never"])
        assert.lengthOf(yield* problemsOf({ SCANNER_DEFINITIONS_MAX_AGE_DAYS: value }), 1)
    })
  )

  it.effect("ADMIN_TOKEN has at least 32 visible characters", () =>
    Effect.gen(function* () {
      yield* read({ ADMIN_TOKEN: "t".repeat(32) })
      yield* assertRefused(
        "ADMIN_TOKEN",
        ["t".repeat(31), `${"t".repeat(32)} `],
        "Expected at least 32 visible characters"
      )
    })
  )

  it.effect("PROCESSES is 1 to 64, or one for each processor", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({ PROCESSES: "64" })).PROCESSES, 64)
      assert.strictEqual((yield* read({ PROCESSES: "auto" })).PROCESSES, Math.min(64, availableParallelism()))
      const expected = "Expected a number of processes from 1 to 64, or auto"
      yield* assertRefused("PROCESSES", ["0", "65", "1.5", "-1", "all"], expected)
    })
  )

  it.effect("PORT is 0 to 65535, where 0 takes a free one", () =>
    Effect.gen(function* () {
      for (const port of [0, 1, 65_535]) assert.strictEqual((yield* read({ PORT: String(port) })).PORT, port)
      yield* assertRefused("PORT", ["-1", "65536"], "Expected a value between 0 and 65535")
      yield* assertRefused("PORT", ["80.5", "http", "80,81"], "Expected an integer")
    })
  )

  it.effect("DATABASE_POOL_SIZE is 1 to 500", () =>
    Effect.gen(function* () {
      for (const size of [1, 500]) {
        assert.strictEqual((yield* read({ DATABASE_POOL_SIZE: String(size) })).DATABASE_POOL_SIZE, size)
      }
      yield* assertRefused("DATABASE_POOL_SIZE", ["0", "-1", "501"], "Expected a value between 1 and 500")
      yield* assertRefused("DATABASE_POOL_SIZE", ["1.5"], "Expected an integer")
    })
  )

  it.effect("PUBLIC_BASE_URL is an origin, with or without its last slash", () =>
    Effect.gen(function* () {
      for (const origin of ["http://localhost:4020", "https://press.example", "http://[::1]:4020"]) {
        assert.strictEqual((yield* read({ PUBLIC_BASE_URL: origin })).PUBLIC_BASE_URL, origin)
        assert.strictEqual((yield* read({ PUBLIC_BASE_URL: `${origin}/` })).PUBLIC_BASE_URL, origin)
      }
      const others = [
        "press.example",
        "https://",
        "https://press.example/blog",
        "https://press.example//",
        "ftp://press.example",
        "https://press.example?a",
        "https://press.example#a",
        "https://me:secret@press.example",
        "file:///press"
      ]
      const expected = "Expected an origin such as https://pennypress.example, without a path"
      yield* assertRefused("PUBLIC_BASE_URL", others, expected)
    })
  )

  it.effect("SERVER_SECRET is one of 32 characters, or several", () =>
    Effect.gen(function* () {
      yield* read({ SERVER_SECRET: SECRET })
      const refused = [
        SECRET.slice(1),
        ` ${SECRET.slice(1)} `,
        `${SECRET},`,
        `,${SECRET}`,
        `${SECRET},short`,
        ","
      ]
      yield* assertRefused(
        "SERVER_SECRET",
        refused,
        "Expected at least 32 characters, or several such secrets with commas between, the newest first"
      )
    })
  )

  it.effect("URLs are of their own kind", () =>
    Effect.gen(function* () {
      for (const url of ["postgres://h/d", "postgresql://h/d"]) {
        yield* read({ DATABASE_URL: url, SERVER_SECRET: SECRET })
      }
      yield* assertRefused("DATABASE_URL", ["mysql://h/d", "h/d", "postgres:h"], "Expected a postgres:// URL")
      for (const url of ["redis://h", "rediss://h:6380/15", "redis://:p@h", "redis://u:p%40@[::1]:6379/"]) {
        yield* read({ REDIS_URL: url })
      }
      yield* assertRefused(
        "REDIS_URL",
        ["h:6379", "http://h", "redis:h", "redis://", "redis://h/one", "redis://h/1/2", "redis://u:100%@h"],
        "Expected a redis:// or rediss:// URL"
      )
      yield* assertRefused(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        ["ftp://h", "file:///h"],
        "Expected an http:// or https:// URL"
      )
      yield* assertRefused("OTEL_EXPORTER_OTLP_ENDPOINT", ["collector"], "Expected a valid URL string")
    })
  )

  it.effect("RATE_LIMIT_FACTOR is a number above 0", () =>
    Effect.gen(function* () {
      for (const factor of [0.001, 1, 1_000_000]) {
        assert.strictEqual((yield* read({ RATE_LIMIT_FACTOR: String(factor) })).RATE_LIMIT_FACTOR, factor)
      }
      const expected = "Expected a number above 0 and at most 1000000"
      yield* assertRefused("RATE_LIMIT_FACTOR", ["0", "-1", "1000001"], expected)
      yield* assertRefused("RATE_LIMIT_FACTOR", ["Infinity", "NaN", "off"], "Expected a finite number")
    })
  )

  it.effect("TRUSTED_PROXIES are networks and addresses", () =>
    Effect.gen(function* () {
      const { TRUSTED_PROXIES } = yield* read({ TRUSTED_PROXIES: "192.0.2.7,2001:db8::/32 , fd00::1" })
      assert.deepStrictEqual(TRUSTED_PROXIES.map(IpNetwork.format), [
        "192.0.2.7/32",
        "2001:db8::/32",
        "fd00::1/128"
      ])
      yield* assertRefused(
        "TRUSTED_PROXIES",
        ["proxy.example", "10.0.0.0/33", "10.0.0.1/8", "10.0.0.0/8,", "10.0.0.0/8 ::1", "*", "::1%eth0"],
        "Expected networks and addresses with commas between, such as 10.0.0.0/8,::1"
      )
    })
  )

  it.effect("enumerations accept their words alone", () =>
    Effect.gen(function* () {
      const levels = { trace: "Trace", debug: "Debug", info: "Info", warn: "Warn", error: "Error" } as const
      for (const [word, level] of Object.entries(levels)) {
        assert.strictEqual((yield* read({ LOG_LEVEL: word })).LOG_LEVEL, level)
      }
      for (const format of ["pretty", "json"] as const) {
        assert.deepStrictEqual((yield* read({ LOG_FORMAT: format })).LOG_FORMAT, Option.some(format))
      }
      const expected = 'Expected "trace" | "debug" | "info" | "warn" | "error"'
      yield* assertRefused("LOG_LEVEL", ["INFO", "verbose", "Info"], expected)
      yield* assertRefused("LOG_FORMAT", ["JSON", "logfmt"], 'Expected "pretty" | "json"')
      yield* assertRefused(
        "MAIL_FROM",
        ["press", "press@", "a@b@c", "Press <press>"],
        "Expected a mail address"
      )
    })
  )
})

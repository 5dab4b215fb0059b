import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { variables } from "../../../layers/config/environment.ts"
import { problemsOf, read, SECRET } from "./problems.ts"

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
})

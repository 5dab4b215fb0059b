import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { variables } from "../../../layers/config/environment.ts"
import { problemsOf, read, SECRET } from "./problems.ts"

describe("the environment", () => {
  it.effect("Every variable has a default", () =>
    Effect.gen(function* () {
      const defaults = {
        HOST: "127.0.0.1",
        PORT: 4020,
        DRAIN_SECONDS: Option.none(),
        PUBLIC_BASE_URL: "http://localhost:4020",
        MEDIA_BASE_URL: Option.none(),
        IDENTITY_PROVIDER_ORIGIN: Option.none(),
        PENNYPRESS_DATA: "./.pennypress",
        DATABASE_URL: Option.none(),
        DATABASE_DIRECT_URL: Option.none(),
        DATABASE_READ_URL: Option.none(),
        DATABASE_PREPARED: Option.none(),
        DATABASE_POOL_SIZE: 10,
        SERVER_SECRET: Option.none(),
        SMTP_URL: Option.none(),
        MAIL_FROM: { address: "pennypress@localhost" },
        SUBSCRIPTIONS: Option.none(),
        MAIL_RATE: { mails: 600, seconds: 60 },
        MAIL_BOUNCES: Option.none(),
        MAIL_POSTAL_ADDRESS: Option.none(),
        S3_URL: Option.none(),
        CLAMD_URL: Option.none(),
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: 7,
        KNOWN_MATERIAL_FILE: Option.none(),
        ACCOUNT_STORAGE_MB: 1024,
        IMPORT_FILE_MB: 256,
        PUBLIC_CACHE_MB: 64,
        SCREENING_CONCURRENCY: 4,
        ADMIN_TOKEN: Option.none(),
        METRICS_TOKEN: Option.none(),
        LOCAL_TOKEN: Option.none(),
        NANO_LEDGER: "development",
        NANO_RPC_URL: Option.none(),
        NANO_WS_URL: Option.none(),
        NANO_RPC_QUORUM: 1,
        NANO_NETWORK: "nano:mainnet",
        NANO_WORK_THRESHOLD: 0xffff_fff8_0000_0000n,
        NANO_WORK_URL: Option.none(),
        PLATFORM_FEE_BPS: 0,
        PLATFORM_FEE_ADDRESS: Option.none(),
        REDIS_URL: Option.none(),
        RATE_LIMIT_FACTOR: 1,
        TRUSTED_PROXIES: [],
        SITE_NAME: "Pennypress",
        SITE_CLAIM: "Writing by people and AI agents, sold for pennies",
        SITE_ACCENT: Option.none(),
        SITE_LOGO: Option.none(),
        SITE_PAGES: Option.none(),
        SITE_NOTICE: Option.none(),
        OPERATOR_CONTACT: Option.none(),
        REGISTRATION: "open",
        CONTENT_SIGNALS: "search=yes, ai-input=yes, ai-train=no",
        NEW_ACCOUNTS: Option.none(),
        PRIVATE_TARGETS: [],
        WEBSUB_HUB: Option.none(),
        XNO_RATE: Option.none(),
        MCP_ALLOWED_ORIGINS: [],
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

  it.effect("The environment is read into values", () =>
    Effect.gen(function* () {
      const said = yield* read({
        HOST: "0.0.0.0",
        PORT: "80",
        PUBLIC_BASE_URL: "https://press.example/",
        MEDIA_BASE_URL: "https://media.example/",
        IDENTITY_PROVIDER_ORIGIN: "https://id.example/",
        PENNYPRESS_DATA: "/var/lib/pennypress",
        DATABASE_URL: "postgres://press:hunter2@db.example/press",
        DATABASE_DIRECT_URL: "postgres://press:hunter2@a.example:5432,b.example:5432/press",
        DATABASE_READ_URL: "postgres://press:hunter2@b.example/press",
        DATABASE_PREPARED: "unnamed",
        DATABASE_POOL_SIZE: "20",
        SERVER_SECRET: `${SECRET}, ${"t".repeat(32)}`,
        SMTP_URL: "smtp://press:hunter2@mail.example:587",
        MAIL_FROM: "The Press <press@press.example>",
        SUBSCRIPTIONS: "on",
        MAIL_RATE: "2000/day",
        MAIL_BOUNCES: "bounces@mail.example",
        MAIL_POSTAL_ADDRESS: "1 Penny Lane, London",
        S3_URL: "s3://press:hunter2@s3.example/images?region=eu-central-1",
        CLAMD_URL: "unix:/run/clamd.ctl",
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: "off",
        KNOWN_MATERIAL_FILE: "/etc/pennypress/known",
        ACCOUNT_STORAGE_MB: "2048",
        PUBLIC_CACHE_MB: "0",
        SCREENING_CONCURRENCY: "8",
        ADMIN_TOKEN: `hunter2${"t".repeat(32)}`,
        METRICS_TOKEN: `hunter2${"m".repeat(32)}`,
        LOCAL_TOKEN: `hunter2${"l".repeat(32)}`,
        NANO_RPC_URL: "https://press:hunter2@node.example/rpc, http://127.0.0.1:7076",
        NANO_WS_URL: "wss://press:hunter2@node.example",
        NANO_RPC_QUORUM: "2",
        NANO_NETWORK: "nano:beta",
        NANO_WORK_THRESHOLD: "0000000000000001",
        NANO_WORK_URL: "https://work.example/?key=hunter2",
        PLATFORM_FEE_BPS: "250",
        PLATFORM_FEE_ADDRESS: "xrb_1e5aqegc1jb7qe964u4adzmcezyo6o146zb8hm6dft8tkp79za3sxwjym5rx",
        REDIS_URL: "rediss://press:hunter2@redis.example:6380/2",
        RATE_LIMIT_FACTOR: "2.5",
        TRUSTED_PROXIES: "10.0.0.0/8, ::1",
        SITE_NAME: "  Mara's Press ",
        SITE_CLAIM: "Essays about the sea",
        SITE_ACCENT: "#1D4ED8",
        SITE_LOGO: "/etc/pennypress/logo.svg",
        SITE_PAGES: "/etc/pennypress/pages",
        SITE_NOTICE: "We move on Sunday",
        OPERATOR_CONTACT: " desk@press.example ",
        REGISTRATION: "closed",
        CONTENT_SIGNALS: "none",
        NEW_ACCOUNTS: "list",
        PRIVATE_TARGETS: "images.internal:80, [fd00::1]:443",
        WEBSUB_HUB: "https://hub.test/",
        XNO_RATE: "0.85 USD",
        MCP_ALLOWED_ORIGINS: "https://chat.example, *",
        OTEL_EXPORTER_OTLP_ENDPOINT: "http://press:hunter2@collector:4318",
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
        DATABASE_PREPARED: Option.some("unnamed"),
        DATABASE_POOL_SIZE: 20,
        MAIL_FROM: { name: "The Press", address: "press@press.example" },
        SUBSCRIPTIONS: Option.some("on"),
        MAIL_RATE: { mails: 2000, seconds: 86_400 },
        MAIL_BOUNCES: Option.some("bounces@mail.example"),
        MAIL_POSTAL_ADDRESS: Option.some("1 Penny Lane, London"),
        CLAMD_URL: Option.some({ path: "/run/clamd.ctl" }),
        SCANNER: "clamd",
        SCANNER_DEFINITIONS_MAX_AGE_DAYS: Number.POSITIVE_INFINITY,
        KNOWN_MATERIAL_FILE: Option.some("/etc/pennypress/known"),
        ACCOUNT_STORAGE_MB: 2048,
        PUBLIC_CACHE_MB: 0,
        SCREENING_CONCURRENCY: 8,
        NANO_LEDGER: "node",
        NANO_RPC_QUORUM: 2,
        NANO_NETWORK: "nano:beta",
        NANO_WORK_THRESHOLD: 1n,
        PLATFORM_FEE_BPS: 250,
        RATE_LIMIT_FACTOR: 2.5,
        PRIVATE_TARGETS: ["images.internal:80", "[fd00::1]:443"],
        SITE_NAME: "Mara's Press",
        SITE_ACCENT: Option.some({ light: "#1d4ed8", dark: "#8ea7ec" }),
        REGISTRATION: "closed",
        LOG_LEVEL: "Warn",
        LOG_FORMAT: Option.some("json")
      })
      assert.deepStrictEqual(said.TRUSTED_PROXIES.map(IpNetwork.format), ["10.0.0.0/8", "::1/128"])
      assert.strictEqual(
        String(Option.getOrThrow(said.PLATFORM_FEE_ADDRESS)),
        "nano_1e5aqegc1jb7qe964u4adzmcezyo6o146zb8hm6dft8tkp79za3sxwjym5rx"
      )
      assert.strictEqual(secret(said.S3_URL), "s3://press:hunter2@s3.example/images?region=eu-central-1")
      assert.strictEqual(secret(said.ADMIN_TOKEN), `hunter2${"t".repeat(32)}`)
      assert.strictEqual(secret(said.METRICS_TOKEN), `hunter2${"m".repeat(32)}`)
      assert.strictEqual(secret(said.LOCAL_TOKEN), `hunter2${"l".repeat(32)}`)
      assert.strictEqual(secret(said.REDIS_URL), "rediss://press:hunter2@redis.example:6380/2")
      assert.strictEqual(secret(said.DATABASE_URL), "postgres://press:hunter2@db.example/press")
      assert.strictEqual(
        secret(said.DATABASE_DIRECT_URL),
        "postgres://press:hunter2@a.example:5432,b.example:5432/press"
      )
      assert.strictEqual(secret(said.DATABASE_READ_URL), "postgres://press:hunter2@b.example/press")
      assert.strictEqual(secret(said.SERVER_SECRET), `${SECRET}, ${"t".repeat(32)}`)
      assert.strictEqual(secret(said.SMTP_URL), "smtp://press:hunter2@mail.example:587")
      assert.strictEqual(secret(said.OTEL_EXPORTER_OTLP_ENDPOINT), "http://press:hunter2@collector:4318")
      assert.notInclude(JSON.stringify({ ...said, NANO_WORK_THRESHOLD: "1" }), "hunter2")
      assert.notInclude(String(said.SERVER_SECRET), SECRET)
    })
  )

  it.effect("A DATABASE_DIRECT_URL requires a DATABASE_URL", () =>
    Effect.gen(function* () {
      const DATABASE_DIRECT_URL = "postgres://press:hunter2@db.example/press"
      const [problem = "", ...others] = yield* problemsOf({ DATABASE_DIRECT_URL })
      assert.match(problem, /^DATABASE_DIRECT_URL: set DATABASE_URL too/)
      assert.isEmpty(others)
      yield* read({ DATABASE_DIRECT_URL, DATABASE_URL: "postgres://pooler/press", SERVER_SECRET: SECRET })
    })
  )

  it.effect("A DATABASE_READ_URL requires a DATABASE_URL", () =>
    Effect.gen(function* () {
      const DATABASE_READ_URL = "postgres://press:hunter2@b.example/press"
      const [problem = "", ...others] = yield* problemsOf({ DATABASE_READ_URL })
      assert.match(problem, /^DATABASE_READ_URL: set DATABASE_URL too/)
      assert.isEmpty(others)
    })
  )

  it.effect("A DATABASE_URL requires a SERVER_SECRET", () =>
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

  it.effect("Every problem is reported together, without a value that may be a secret", () =>
    Effect.gen(function* () {
      // A value in the words of a problem, should one be cut out of the wrong place.
      const hunter2 = "Expected hunter2, got hunter2\nExpected hunter2"
      const env = Object.fromEntries(Object.keys(variables).map((name) => [name, hunter2]))
      const problems = yield* problemsOf({ ...env, SERVER_SECRET: "hunter2" })
      const free = new Set([
        "HOST",
        "PENNYPRESS_DATA",
        "SMTP_URL",
        "KNOWN_MATERIAL_FILE",
        "SITE_LOGO",
        "SITE_PAGES",
        "MAIL_POSTAL_ADDRESS"
      ])
      assert.sameMembers(
        problems.map((line) => line.split(":")[0]),
        Object.keys(variables).filter((name) => !free.has(name))
      )
      assert.notInclude(problems.join("\n"), "hunter2")
    })
  )

  it.effect("A fee without an address is refused", () =>
    Effect.gen(function* () {
      yield* read({ PLATFORM_FEE_BPS: "0" })
      assert.deepStrictEqual(yield* problemsOf({ PLATFORM_FEE_BPS: "1" }), [
        "PLATFORM_FEE_ADDRESS: required with PLATFORM_FEE_BPS, because it receives the share"
      ])
    })
  )

  it.effect("A quorum of more nodes than configured, or a websocket without a node, is refused", () =>
    Effect.gen(function* () {
      yield* read({ NANO_RPC_URL: "http://a,http://b", NANO_RPC_QUORUM: "2" })
      yield* read({ NANO_RPC_QUORUM: "2" })
      assert.deepStrictEqual(yield* problemsOf({ NANO_RPC_URL: "http://a", NANO_RPC_QUORUM: "2" }), [
        "NANO_RPC_QUORUM: more than the number of nodes in NANO_RPC_URL (1), so no payment would count"
      ])
      assert.deepStrictEqual(yield* problemsOf({ NANO_WS_URL: "ws://a" }), [
        "NANO_WS_URL: needs NANO_RPC_URL, which confirms every payment; set both or neither"
      ])
    })
  )

  it.effect("The ledger fits the place of the service by default", () =>
    Effect.gen(function* () {
      const kindOf = (env: Record<string, string>) => Effect.map(read(env), ({ NANO_LEDGER }) => NANO_LEDGER)
      const here = [
        "http://localhost:4020",
        "https://press.localhost",
        "http://127.1.2.3:8080",
        "http://[::1]:1"
      ]
      for (const PUBLIC_BASE_URL of here) {
        assert.strictEqual(yield* kindOf({ PUBLIC_BASE_URL }), "development", PUBLIC_BASE_URL)
      }
      const elsewhere = [
        "https://press.example",
        "https://localhost.example",
        "http://128.0.0.1",
        "http://[::2]"
      ]
      for (const PUBLIC_BASE_URL of elsewhere) {
        assert.strictEqual(yield* kindOf({ PUBLIC_BASE_URL }), "off", PUBLIC_BASE_URL)
        const problems = yield* problemsOf({ PUBLIC_BASE_URL, NANO_LEDGER: "development" })
        assert.match(
          problems.join(),
          /^NANO_LEDGER: development needs a PUBLIC_BASE_URL on this machine[^,]*,[^,]*,[^,]*$/
        )
      }
      assert.strictEqual(yield* kindOf({ HOST: "192.0.2.1" }), "off")
      assert.strictEqual(yield* kindOf({ NANO_RPC_URL: "http://a" }), "node")
      assert.strictEqual(yield* kindOf({ NANO_RPC_URL: "http://a", NANO_LEDGER: "off" }), "off")
      const problems = yield* problemsOf({ NANO_RPC_URL: "http://a", NANO_LEDGER: "development" })
      assert.match(problems.join(), /^NANO_LEDGER: development uses no nodes/)
      assert.match(
        (yield* problemsOf({ NANO_LEDGER: "node" })).join(),
        /^NANO_LEDGER: node needs NANO_RPC_URL/
      )
      assert.lengthOf(yield* problemsOf({ NANO_NETWORK: "nano:dev" }), 1)
      assert.lengthOf(yield* problemsOf({ NANO_WORK_THRESHOLD: "fffffff8" }), 1)
    })
  )

  it.effect("A service that others can reach starts with the development ledger only when it is chosen", () =>
    Effect.gen(function* () {
      for (const HOST of ["0.0.0.0", "::", "[::]", "192.168.1.7", "press.lan"]) {
        const PUBLIC_BASE_URL = "http://localhost:4020"
        const problems = yield* problemsOf({ HOST, PUBLIC_BASE_URL })
        assert.lengthOf(problems, 1, HOST)
        assert.match(
          problems[0] ?? "",
          /^HOST: other machines can connect .* NANO_LEDGER to off, node or development$/
        )
        for (const NANO_LEDGER of ["off", "development"])
          assert.strictEqual((yield* read({ HOST, PUBLIC_BASE_URL, NANO_LEDGER })).NANO_LEDGER, NANO_LEDGER)
        const NANO_RPC_URL = "http://node.example"
        assert.strictEqual((yield* read({ HOST, PUBLIC_BASE_URL, NANO_RPC_URL })).NANO_LEDGER, "node")
        const elsewhere = { HOST, PUBLIC_BASE_URL: "https://press.example" }
        assert.strictEqual((yield* read(elsewhere)).NANO_LEDGER, "off")
      }
      for (const HOST of ["127.0.0.1", "127.1.2.3", "::1", "localhost"])
        assert.strictEqual((yield* read({ HOST })).NANO_LEDGER, "development", HOST)
    })
  )

  it.effect("SCANNER=none together with a CLAMD_URL is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({ SCANNER: "none" })).SCANNER, "none")
      const problems = yield* problemsOf({ SCANNER: "none", CLAMD_URL: "tcp://127.0.0.1:3310" })
      assert.lengthOf(problems, 1)
      assert.match(problems[0] ?? "", /^SCANNER: none turns scanning off/)
    })
  )
})

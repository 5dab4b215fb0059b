import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { IpNetwork } from "effect/net"
import { assertRefused, problemsOf, read, SECRET } from "./problems.ts"

describe("a variable of the environment", () => {
  it.effect("A wrong S3_URL names its problem without repeating it", () =>
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

  for (const name of ["ADMIN_TOKEN", "METRICS_TOKEN", "LOCAL_TOKEN"]) {
    it.effect(`The token ${name} has at least 32 visible characters`, () =>
      Effect.gen(function* () {
        yield* read({ [name]: "t".repeat(32) })
        yield* assertRefused(
          name,
          ["t".repeat(31), `${"t".repeat(32)} `],
          "Expected at least 32 visible characters"
        )
      })
    )
  }

  it.effect("PLATFORM_FEE_BPS is at most a tenth, and PLATFORM_FEE_ADDRESS can receive", () =>
    Effect.gen(function* () {
      const account = "nano_1e5aqegc1jb7qe964u4adzmcezyo6o146zb8hm6dft8tkp79za3sxwjym5rx"
      const most = yield* read({ PLATFORM_FEE_BPS: "1000", PLATFORM_FEE_ADDRESS: account })
      assert.strictEqual(most.PLATFORM_FEE_BPS, 1000)
      yield* assertRefused("PLATFORM_FEE_BPS", ["-1", "1001"], "Expected a value between 0 and 1000")
      yield* assertRefused("PLATFORM_FEE_BPS", ["0.5", "1%"], "Expected an integer")
      // The burn account: what it is sent is lost.
      const burn = "nano_1111111111111111111111111111111111111111111111111111hifc8npp"
      yield* assertRefused(
        "PLATFORM_FEE_ADDRESS",
        [burn],
        "Expected a Nano address of an account that can receive"
      )
      assert.lengthOf(yield* problemsOf({ PLATFORM_FEE_ADDRESS: account.slice(0, -1) }), 1)
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
        "Expected at least 32 characters, or several such secrets separated by commas, the newest first"
      )
    })
  )

  it.effect("URLs are of their own kind", () =>
    Effect.gen(function* () {
      for (const url of ["postgres://h/d", "postgresql://h/d"]) {
        yield* read({ DATABASE_URL: url, SERVER_SECRET: SECRET })
      }
      yield* assertRefused(
        "DATABASE_URL",
        ["mysql://h/d", "h/d", "postgres:h"],
        "Expected a postgres:// URL, but it is not such a URL"
      )
      yield* assertRefused(
        "DATABASE_URL",
        ["postgres://a:x,b/d", "postgres://a,,b/d"],
        "Expected a postgres:// URL, but a host is not a name or an address, with a port as in a:5432,b:5432"
      )
      yield* assertRefused(
        "DATABASE_READ_URL",
        ["mysql://h/d", "h:5432", "postgres:h"],
        "Expected a postgres:// URL with one host, but it is not such a URL"
      )
      yield* assertRefused(
        "DATABASE_READ_URL",
        ["postgres://a,b/d", "postgres://h/d?host=a,b", "postgres://a/d?target_session_attrs=primary"],
        "Expected a postgres:// URL with one host, but it has several hosts or target_session_attrs: use one host"
      )
      for (const url of ["redis://h", "rediss://h:6380/15", "redis://:p@h", "redis://u:p%40@[::1]:6379/"]) {
        yield* read({ REDIS_URL: url })
      }
      yield* assertRefused(
        "REDIS_URL",
        [
          "h:6379",
          "http://h",
          "redis:h",
          "redis://",
          "redis://h/one",
          "redis://h/1/2",
          "redis://u:100%@h",
          "redis://u:%ff@h"
        ],
        "Expected a redis:// or rediss:// URL"
      )
      yield* assertRefused(
        "OTEL_EXPORTER_OTLP_ENDPOINT",
        ["ftp://h", "file:///h", "collector", "http://h/?key=1", "http://u:100%@h", "http://u:%ff@h"],
        "Expected an http:// or https:// URL without a query"
      )
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
        "Expected networks and addresses separated by commas, such as 10.0.0.0/8,::1"
      )
    })
  )

  it.effect("MCP_ALLOWED_ORIGINS are origins, or all of them with https", () =>
    Effect.gen(function* () {
      const named = { MCP_ALLOWED_ORIGINS: "https://chat.example,http://localhost:3000" }
      assert.deepStrictEqual((yield* read(named)).MCP_ALLOWED_ORIGINS, [
        "https://chat.example",
        "http://localhost:3000"
      ])
      const all = { MCP_ALLOWED_ORIGINS: "*", PUBLIC_BASE_URL: "https://press.example" }
      assert.deepStrictEqual((yield* read(all)).MCP_ALLOWED_ORIGINS, ["*"])
      yield* assertRefused(
        "MCP_ALLOWED_ORIGINS",
        ["*"],
        "* needs an https PUBLIC_BASE_URL; list the origins instead"
      )
      yield* assertRefused(
        "MCP_ALLOWED_ORIGINS",
        ["chat.example", "https://chat.example/", "https://a.example https://b.example", "null"],
        "Expected origins separated by commas, such as https://chat.example, or *"
      )
    })
  )

  it.effect("Enumerations accept only their words", () =>
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

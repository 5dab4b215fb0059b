import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option } from "effect"
import * as fc from "fast-check"
import { clamdUrl, parseClamdUrl } from "../../../layers/scanner/clamdUrl.ts"

const read = (env: Readonly<Record<string, string>>) =>
  clamdUrl.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env)),
    Effect.result
  )

describe("CLAMD_URL", () => {
  it("The URL names a socket in the file system", () => {
    assert.deepStrictEqual(parseClamdUrl("unix:/run/clamav/clamd.ctl"), { path: "/run/clamav/clamd.ctl" })
    assert.deepStrictEqual(parseClamdUrl("unix:/with a space/é"), { path: "/with a space/é" })
    assert.deepStrictEqual(parseClamdUrl(`unix:/${"a".repeat(106)}`), { path: `/${"a".repeat(106)}` })
  })

  it("The URL names host and port", () => {
    assert.deepStrictEqual(parseClamdUrl("tcp://clamd:3310"), { host: "clamd", port: 3310 })
    assert.deepStrictEqual(parseClamdUrl("tcp://127.0.0.1:1"), { host: "127.0.0.1", port: 1 })
    assert.deepStrictEqual(parseClamdUrl("tcp://a.example.org:65535"), {
      host: "a.example.org",
      port: 65_535
    })
    assert.deepStrictEqual(parseClamdUrl("tcp://[::1]:3310"), { host: "::1", port: 3310 })
  })

  it("A URL that names neither is refused", () => {
    const bad = [
      "",
      "/run/clamd",
      "unix:",
      "unix:run/clamd",
      "unix://run/clamd",
      "unix:/a\0b",
      `unix:/${"a".repeat(107)}`,
      `unix:/${"é".repeat(60)}`,
      "http://clamd:3310",
      "tcp:clamd:3310",
      "tcp://clamd",
      "tcp://clamd:",
      "tcp://clamd:0",
      "tcp://clamd:65536",
      "tcp://clamd:+1",
      "tcp://clamd:3310/",
      "tcp://user@clamd:3310",
      "tcp://:3310",
      "tcp://::1:3310",
      "tcp://[127.0.0.1]:3310",
      "tcp://[clamd]:3310",
      "tcp://a..b:3310",
      "tcp://-a:3310",
      "tcp://a b:3310",
      " tcp://clamd:3310",
      "tcp://clamd:3310\n"
    ]
    for (const url of bad) assert.isUndefined(parseClamdUrl(url), JSON.stringify(url))
  })

  it("Any text is at most refused as CLAMD_URL", () => {
    const near = fc.string({ unit: fc.constantFrom(..."unixtcp:/[]@. 019\0") })
    const schemed = fc
      .tuple(fc.constantFrom("unix:", "tcp://"), near)
      .map(([scheme, rest]) => `${scheme}${rest}`)
    fc.assert(
      fc.property(fc.oneof(schemed, fc.string({ unit: "binary" })), (text) => {
        const address = parseClamdUrl(text)
        if (address === undefined) return
        if ("path" in address) return assert.strictEqual(text, `unix:${address.path}`)
        assert.include([`tcp://${address.host}`, `tcp://[${address.host}]`], text.replace(/:\d+$/u, ""))
        assert.isTrue(address.port >= 1 && address.port <= 65_535)
      })
    )
  })

  it.effect("An unset URL is none, and a wrong one names the expected form", () =>
    Effect.gen(function* () {
      const none = yield* read({})
      assert.isTrue(none._tag === "Success" && Option.isNone(none.success))
      const wrong = yield* read({ CLAMD_URL: "tcp://secret" })
      assert.isTrue(wrong._tag === "Failure")
      if (wrong._tag === "Failure") assert.include(String(wrong.failure.message), "Expected unix:/path")
      const good = yield* read({ CLAMD_URL: "unix:/s" })
      assert.isTrue(good._tag === "Success")
      if (good._tag === "Success") assert.deepStrictEqual(good.success, Option.some({ path: "/s" }))
    })
  )
})

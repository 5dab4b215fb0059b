import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { failureOf, toFailure } from "../../../src/mcp/local/failures/apiFailures.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { parseOrigin } from "../../../src/mcp/local/service/Origin.ts"
import { Release } from "../../../src/mcp/local/service/Release.ts"
import { ServiceApi } from "../../../src/mcp/local/service/ServiceApi.ts"
import { Sessions } from "../../../src/mcp/local/service/Sessions.ts"
import { Setups } from "../../../src/mcp/local/setup/Setups.ts"
import { readCredential, saveCredential } from "../../../src/mcp/local/state/credentials.sql.ts"
import { asIdentity, failure } from "./asIdentity.ts"
import { edition, serviceBehindWire, stateDirectory } from "./localEdition.ts"
import { noTrouble, type Sent, troubled, Wire } from "./Wire.ts"

const isRefresh = ({ path }: Sent) => path === "/api/v1/auth/refresh"
const everything = () => true

/** A moment in which the database answers, while the clock of the test stands still. */
const realMoment = TestClock.withLive(Effect.sleep("5 millis"))

const me = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi
  return yield* sessions.asOwner(client.me.read())
})

const isRefused = (status: number, headers: Record<string, string> = {}) =>
  new Response("{}", { status, headers })

const publicRead = Effect.gen(function* () {
  const { client } = yield* ServiceApi
  return yield* toFailure(client.discovery.categories())
})

layer(serviceBehindWire("test_mcp_local_service"))("calls to the service", (it) => {
  it.effect("Calls stay on the pinned origin, are bounded, and are repeated where they may be", () =>
    Effect.gen(function* () {
      const wire = yield* Wire
      yield* noTrouble
      const outcome = (trouble: Response | "lost", times = 1) =>
        Effect.gen(function* () {
          wire.sent.length = 0
          yield* troubled(everything, trouble, times)
          const code = yield* Effect.match(publicRead, {
            onFailure: ({ code }) => code,
            onSuccess: () => "answered"
          })
          return [code, wire.sent.length]
        })
      assert.deepStrictEqual(yield* outcome("lost", 2), ["answered", 3])
      assert.deepStrictEqual(yield* outcome("lost", 3), ["service-unavailable", 3])
      assert.deepStrictEqual(yield* outcome(isRefused(503), 2), ["answered", 3])
      assert.deepStrictEqual(yield* outcome(isRefused(429, { "retry-after": "21" })), ["rate-limited", 1])
      for (const status of [301, 302, 307, 308]) {
        const elsewhere = isRefused(status, { location: "https://other.test/" })
        assert.deepStrictEqual(yield* outcome(elsewhere), ["origin-mismatch", 1])
      }
      const huge = new Response("x".repeat(4 * 1024 * 1024 + 1), {
        headers: { "content-type": "application/json" }
      })
      assert.deepStrictEqual(yield* outcome(huge), ["response-invalid", 1])
      const json = { "content-type": "application/json" }
      assert.deepStrictEqual(yield* outcome(new Response("{", { headers: json })), ["response-invalid", 1])
      assert.deepStrictEqual(yield* outcome(new Response('{"data":1}', { headers: json })), [
        "response-invalid",
        1
      ])
      assert.deepStrictEqual(yield* outcome(isRefused(500)), ["internal", 1])
      for (const { headers } of wire.sent) {
        assert.deepInclude(headers, { "cache-control": "no-cache", "user-agent": "svc-mcp/0.2.1" })
        assert.notProperty(headers, "cookie")
      }
      const { downloads, uploads } = yield* ServiceApi
      wire.sent.length = 0
      for (const url of ["https://other.test/api", "http://press.test/api", "https://press.test:8443/"]) {
        for (const http of [downloads, uploads]) {
          const refused = yield* Effect.flip(Effect.scoped(http.get(url)))
          assert.strictEqual(failureOf(refused).code, "origin-mismatch", url)
        }
      }
      assert.lengthOf(wire.sent, 0)
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(stateDirectory, (directory) => edition(directory)))))
  )

  it("An origin has https, or http on this machine", () => {
    assert.strictEqual(parseOrigin("https://press.test"), "https://press.test")
    assert.strictEqual(parseOrigin("HTTP://localhost:4020/"), "http://localhost:4020")
    assert.strictEqual(parseOrigin("http://[::1]:4020"), "http://[::1]:4020")
    for (const text of [
      "http://press.test",
      "http://localhost.press.test",
      "https://user:secret@press.test",
      "https://press.test/path",
      "https://press.test?x=1",
      "ftp://press.test",
      "press.test",
      ""
    ]) {
      assert.isUndefined(parseOrigin(text), text)
    }
  })

  it.effect("A session is renewed once for all processes, and never lost with an answer", () =>
    asIdentity("human", "session_owner", (tools, directory) =>
      Effect.gen(function* () {
        const wire = yield* Wire
        const other = yield* Layer.build(edition(directory))
        // Access tokens live for 15 minutes.
        yield* TestClock.adjust("870 seconds")
        wire.sent.length = 0
        const both = yield* Effect.all([me, Effect.provideContext(me, other)], { concurrency: 2 }).pipe(
          Effect.raceFirst(
            // The process that waits looks again after a while.
            Effect.forever(Effect.andThen(realMoment, TestClock.adjust("10 millis")))
          )
        )
        assert.strictEqual(both[0].owner.id, both[1].owner.id)
        assert.lengthOf(wire.sent.filter(isRefresh), 1)

        yield* TestClock.adjust("15 minutes")
        yield* troubled(isRefresh, "lost")
        assert.strictEqual((yield* Effect.flip(me)).code, "service-unavailable")
        yield* noTrouble
        // The same token within seconds is an exact repeat.
        assert.strictEqual((yield* me).owner.id, both[0].owner.id)

        yield* TestClock.adjust("15 minutes")
        yield* troubled(isRefresh, "lost")
        assert.strictEqual((yield* Effect.flip(me)).code, "service-unavailable")
        yield* noTrouble
        yield* TestClock.adjust("1 minute")
        assert.strictEqual((yield* Effect.flip(me)).code, "reconnect-required")
        const { identity } = (yield* tools.call("svc_context")).result
        assert.deepInclude(identity, { status: "reconnect-required", authorKind: "human" })
        assert.strictEqual(failure(yield* tools.call("svc_notifications")).code, "reconnect-required")
        const setups = yield* Setups
        assert.strictEqual((yield* setups.reconnect).next, "done")
        assert.strictEqual((yield* tools.call("svc_context")).result.identity.status, "verified")
      })
    )
  )

  it.effect("A refused key is reported, and replaced by reconnecting", () =>
    asIdentity("human", "key_owner", ({ call }) =>
      Effect.gen(function* () {
        const store = yield* StateStore
        const sessions = yield* Sessions
        const { client } = yield* ServiceApi
        const keyId = yield* store.read((tx) => Effect.succeed(readCredential(tx, "publishing-key")?.keyId))
        yield* sessions.asOwner(client.apiKeys.revoke({ params: { keyId: String(keyId) } }))
        assert.strictEqual(failure(yield* call("svc_list_drafts")).code, "credential-invalid")
        const { identity, publication } = (yield* call("svc_context")).result
        assert.strictEqual(identity.status, "credential-invalid")
        assert.isFalse(publication.ready)
        const setups = yield* Setups
        yield* setups.reconnect
        assert.strictEqual((yield* call("svc_list_drafts")).result.total, 0)
        const { keys } = yield* sessions.asOwner(client.apiKeys.list())
        assert.lengthOf(
          keys.filter(({ revokedAt }) => revokedAt === null),
          1
        )
        // An invalid access token is renewed.
        yield* store.write((tx) =>
          Effect.sync(() =>
            saveCredential(tx, "access-token", { value: Redacted.make("none"), keyId: null, expiresAt: null })
          )
        )
        assert.strictEqual((yield* call("svc_notifications")).isError, false)
      })
    )
  )

  it.effect("A newer release is looked up once a day, and a failure is reported as one", () =>
    Effect.gen(function* () {
      const wire = yield* Wire
      const release = yield* Release
      wire.sent.length = 0
      yield* troubled(everything, "lost")
      assert.deepInclude(yield* release.status, { status: "unavailable", updateAvailable: null })
      assert.strictEqual((yield* release.status).status, "unavailable")
      assert.lengthOf(wire.sent, 1)
      yield* TestClock.adjust("24 hours")
      const answer = (version: string, origin = "https://press.test") =>
        new Response(
          JSON.stringify({
            version,
            publishedAt: "2026-11-23T00:00:00.000000Z",
            installationUrl: `${origin}/docs`,
            notesUrl: `${origin}/docs`
          })
        )
      for (const [body, status] of [
        [answer("0.2.2"), "update-available"],
        [answer("0.10.0"), "update-available"],
        [answer("0.2.1"), "current"],
        [answer("0.2.0"), "current"],
        [answer("1.0.0", "https://other.test"), "unavailable"],
        [answer("rm -rf /"), "unavailable"],
        [new Response("x".repeat(20_000)), "unavailable"]
      ] as const) {
        yield* troubled(everything, body)
        assert.strictEqual((yield* release.status).status, status)
        yield* TestClock.adjust("24 hours")
      }
      assert.isTrue(wire.sent.every(({ headers }) => headers["authorization"] === undefined))
    }).pipe(Effect.provide(Layer.unwrap(Effect.map(stateDirectory, (directory) => edition(directory)))))
  )
})

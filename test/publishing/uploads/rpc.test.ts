import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { UploadOperationId } from "../../../schemas/platform/Ids.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { media, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const unknown = UploadOperationId.make("00000000-0000-7000-8000-000000000000")

layer(service(database("test_uploads_rpc"), 1, { adminToken: ADMIN_TOKEN }))(
  "upload procedures of an administrator",
  (it) => {
    it.effect("A held image is hidden from readers until its release", () =>
      Effect.gen(function* () {
        const owner = yield* uploaderOf(1)
        const admin = yield* administrator()
        const sent = yield* owner.avatar()
        const { operationId } = sent.body.safety
        yield* admin["uploads.hold"]({ operationId })
        yield* admin["uploads.hold"]({ operationId })
        const held = yield* owner.status(sent)
        assert.strictEqual(held.status, 409)
        assert.strictEqual(held.body.type.replace(/^.*\//, ""), "screening-blocked")
        assert.strictEqual(held.body.safety.held, true)
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
        yield* admin["uploads.release"]({ operationId })
        assert.strictEqual((yield* owner.status(sent)).body.safety.held, false)
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 200)
      })
    )

    it.effect("A cleared image is screened again, but not one whose bytes are gone", () =>
      Effect.gen(function* () {
        const owner = yield* uploaderOf(2)
        const admin = yield* administrator()
        const sent = yield* owner.avatar()
        const { operationId } = sent.body.safety
        yield* workOff
        assert.strictEqual((yield* owner.status(sent)).body.safety.state, "cleared")
        yield* admin["uploads.rescreen"]({ operationId })
        assert.strictEqual((yield* owner.status(sent)).body.safety.state, "queued")
        yield* workOff
        assert.strictEqual((yield* owner.status(sent)).body.safety.state, "cleared")
        yield* owner.cancel(sent)
        yield* workOff
        const refused = yield* Effect.flip(admin["uploads.rescreen"]({ operationId }))
        assert.strictEqual(refused._tag, "UploadNotScreenable")
      })
    )

    it.effect("Older operations that are unfinished or held are listed, oldest first", () =>
      Effect.gen(function* () {
        const owner = yield* uploaderOf(3)
        const admin = yield* administrator()
        yield* workOff
        const first = yield* owner.avatar()
        yield* TestClock.adjust("10 minutes")
        const second = yield* owner.header()
        const stuck = (olderThanSeconds: number) =>
          Effect.map(admin["uploads.stuck"]({ olderThanSeconds, limit: 10 }), (uploads) =>
            uploads.map(({ operationId }) => operationId)
          )
        const ids = [first, second].map(({ body }) => body.safety.operationId)
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* stuck(0), ids)
        assert.deepStrictEqual(yield* stuck(600), ids.slice(0, 1))
        const [oldest] = yield* admin["uploads.stuck"]({ olderThanSeconds: 0, limit: 1 })
        assert.deepInclude(oldest, { operationId: ids[0], state: "queued", nextTask: "screen" })
        yield* workOff
        assert.deepStrictEqual(yield* stuck(0), [])
        yield* admin["uploads.hold"]({ operationId: ids[1] })
        assert.deepStrictEqual(yield* stuck(0), ids.slice(1))
      })
    )

    it.effect("An unknown operation is reported", () =>
      Effect.gen(function* () {
        const admin = yield* administrator()
        for (const name of ["uploads.hold", "uploads.release", "uploads.rescreen"] as const) {
          const refused = yield* Effect.flip(admin[name]({ operationId: unknown }))
          assert.strictEqual(refused._tag, "UploadNotFound", name)
        }
      })
    )

    it.effect("Another token or a missing one is refused", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const other = yield* administrator("another-token-of-at-least-32-characters")
        const refused = yield* Effect.flip(other["uploads.hold"]({ operationId: unknown }))
        assert.strictEqual(refused._tag, "NotAdministrator")
        const call = {
          _tag: "Request",
          id: "1",
          tag: "uploads.hold",
          payload: { operationId: unknown },
          headers: []
        }
        const anonymous = yield* client.send("POST", "/rpc", { body: `${JSON.stringify(call)}\n` })
        assert.strictEqual(anonymous.status, 401)
        const owner = yield* uploaderOf(4)
        const withKey = yield* client.send("POST", "/rpc", {
          token: owner.key,
          body: `${JSON.stringify(call)}\n`
        })
        assert.strictEqual(withKey.status, 401)
      })
    )

    it.effect("A malformed call gets an answer and does not harm the service", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        for (const body of [
          "{",
          "[]",
          "null\n",
          `${JSON.stringify({ _tag: "Request" })}\n`,
          "x".repeat(10_000)
        ]) {
          const answer = yield* client.send("POST", "/rpc", { token: ADMIN_TOKEN, body })
          assert.isBelow(answer.status, 500, body)
        }
      })
    )
  }
)

layer(service(database("test_uploads_rpc_off")))("a service without an ADMIN_TOKEN", (it) => {
  it.effect("The path /rpc does not exist without an ADMIN_TOKEN", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const answer = yield* client.send("POST", "/rpc", { token: ADMIN_TOKEN, body: "{}" })
      assert.strictEqual(answer.status, 404)
    })
  )
})

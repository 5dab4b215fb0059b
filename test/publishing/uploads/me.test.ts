import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

layer(service(database("test_uploads_me")))("limits of uploads in /api/v1/me (2.6)", (it) => {
  it.effect("The limits show the unfinished operations and the transfers of a day", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const owner = yield* uploaderOf(1)
      const limits = Effect.map(
        client.send("GET", "/api/v1/me", { token: owner.key }),
        ({ body }) => body.limits
      )
      yield* owner.avatar()
      yield* owner.header()
      const begun = yield* limits
      assert.deepStrictEqual(begun.openUploads, { used: 2, max: 10 })
      assert.deepStrictEqual(begun.transfersToday, { used: 2, max: 100 })
      yield* workOff
      assert.strictEqual((yield* limits).openUploads.used, 0)
      assert.strictEqual((yield* limits).transfersToday.used, 2)
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* limits).transfersToday.used, 0)
    })
  )
})

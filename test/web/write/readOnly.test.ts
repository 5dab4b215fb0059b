import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { keysOf } from "../../accounts/api-keys/keys.ts"
import { authorOf as authorByApi } from "../../support/actors/author.ts"
import { signIn as signInByApi } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { hiddenOf, written } from "../desk/author.ts"
import { signIn } from "../signIn.ts"
import { pageOf } from "./author.ts"

layer(service(database("test_web_read_only")))("Pages that an author only reads", (it) => {
  it.effect("No page makes a Publishing key, also after a link of another site; the first form does", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* authorByApi(1)).draft()
      const keys = yield* keysOf((yield* signInByApi(1)).accessToken)
      const before = yield* keys.list
      const reader = yield* browser
      yield* signIn(reader, 1)
      for (const path of [
        "/write",
        `/write/${id}`,
        `/write/${id}/preview`,
        `/write/${id}/publish`,
        `/write/${id}/files`,
        `/give/${id}`,
        "/desk",
        "/desk/posts",
        "/desk/comments",
        "/desk/profile",
        "/desk/account"
      ]) {
        const answer = yield* reader.get(path, { "sec-fetch-site": "cross-site" })
        assert.strictEqual(answer.status, 200, `${path} ${answer.text}`)
      }
      assert.deepStrictEqual(yield* keys.list, before)

      const form = hiddenOf(yield* pageOf(reader, "/write"))
      assert.strictEqual((yield* reader.post("/write", { ...form, ...written })).status, 303)
      const after = yield* keys.list
      assert.lengthOf(after, before.length + 1)
      assert.strictEqual(after.find(({ label }) => label === "Website")?.label, "Website")
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { browser } from "../browser.ts"
import { signIn, valueOf } from "../signIn.ts"
import { authorOf, draftOf, pageOf, press } from "../write/author.ts"

layer(service(database("test_web_publish")))("Publishing in a browser", (it) => {
  it.effect("The summary says where the post will be, what readers see first, and who is notified", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(1)
      const path = yield* draftOf(reader)
      const alone = yield* pageOf(reader, `${path}/publish`)
      assert.include(alone, "You have no followers yet, so no one gets a notification.")
      assert.include(alone, "/@writer_1/nine-degrees-from-upright")
      assert.include(alone, "The title, the description and the part that everyone reads")
      assert.include(alone, `href="${path}/preview"`)

      const follower = yield* browser
      yield* signIn(follower, 2)
      const owner = valueOf(yield* pageOf(reader, "/write"), "author")
      const followed = yield* follower.post(`/follow/${owner}`, { handle: "writer_1", following: "true" })
      assert.strictEqual(followed.status, 303, followed.text)
      assert.include(yield* pageOf(reader, `${path}/publish`), "Your follower gets one notification")
    })
  )

  it.effect("After the publication, the page has the link to copy and to give", () =>
    Effect.gen(function* () {
      const reader = yield* authorOf(3)
      const path = yield* draftOf(reader)
      yield* press(reader, path, "publish")
      const done = yield* pageOf(reader, `${path}/publish?done=publish`)
      assert.match(done, /data-copy="[^"]*\/@writer_3\/nine-degrees-from-upright"/)
      assert.include(done, `href="${path.replace("/write/", "/give/")}"`)
      assert.include(done, "everyone who bought it keeps reading")
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ObjectStorageMemory } from "../../../layers/testing/ObjectStorageMemory.ts"
import { paidPost } from "../../payments/access/paidPost.ts"
import { idOf } from "../../publishing/uploads/screenings.ts"
import { authorOf } from "../../support/actors/author.ts"
import { buyerOf } from "../../support/actors/buyer.ts"
import { followRestrictions } from "../../support/actors/moderator.ts"
import { media, pngFile, uploaderOf, workOff } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { closeAccount, eraseDue } from "./leaving.ts"

layer(service(database("test_erased_remains")))("what stays of an account that is erased", (it) => {
  it.effect("Buyers keep the pictures that a sold post shows, of whichever post they were uploaded for", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const { objects } = yield* ObjectStorageMemory
      const author = yield* uploaderOf(1)
      const upload = Effect.fnUntraced(function* (post: { readonly id: string }, seed: number) {
        const answer = yield* author.inline((yield* author.read(post.id)).body, {
          parts: [pngFile(seed)],
          headers: { "x-upload-target-key": `node-${seed}` }
        })
        yield* workOff
        const url: string = (yield* author.status(answer)).body.publicUrl
        return { id: idOf(answer), url }
      })

      // Three pictures of a draft and one of a public post. Another post shows three of them.
      const album = yield* author.draft({ title: "Album" })
      const [before, since, unused] = [
        yield* upload(album, 1),
        yield* upload(album, 2),
        yield* upload(album, 3)
      ]
      const open = yield* author.published({ title: "Open" })
      const inPublic = yield* upload(open, 4)
      const sold = yield* author.published({
        ...paidPost,
        title: "Sold",
        freeContentMarkdown: `![a](${inPublic.url})`,
        paidContentMarkdown: `![b](${before.url})`
      })
      yield* (yield* buyerOf(11)).buy(sold.id)
      yield* author.patch(sold.id, { paidContentMarkdown: `![c](${since.url})` })
      // No one bought a post that shows the last one.
      yield* author.published({ ...paidPost, title: "Unsold", paidContentMarkdown: `![d](${unused.url})` })

      yield* closeAccount(1, author)
      yield* followRestrictions
      const statuses = Effect.forEach([before, since, inPublic, unused], ({ url }) =>
        Effect.map(media(url), ({ status }) => status)
      )
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 404])
      yield* TestClock.adjust("14 days")
      yield* eraseDue
      assert.deepStrictEqual(yield* statuses, [200, 200, 200, 404])
      const stored = [...(yield* objects).keys()].filter((key) => key.includes(unused.id))
      assert.deepStrictEqual(stored, [])
    })
  )

  it.effect("No slug that an author chooses keeps the text of a post", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 21, 5))
      const sql = yield* SqlClient.SqlClient
      const author = yield* authorOf(2)
      const { id } = yield* author.draft({ freeContentMarkdown: "Stubborn" })
      const named = yield* author.patch(id, { slug: `deleted-${id}` })
      assert.strictEqual(named.status, 200, named.text)
      yield* closeAccount(2, author)
      yield* TestClock.adjust("14 days")
      yield* eraseDue
      assert.deepStrictEqual(yield* sql`select title, slug from posts where id = ${id}`, [])
    })
  )
})

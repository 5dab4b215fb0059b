import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf } from "../../support/actors/author.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { titlesOf } from "./documents.ts"

/** Time after which the answer that is kept has ended. */
const NEXT_MAKING = "11 seconds"

layer(service(database("test_reading_pages_related"), 1, { adminToken: ADMIN_TOKEN }))(
  "related Posts of a page",
  (it) => {
    it.effect("Related Posts stay the same from the first page on, until one is withdrawn", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(1)
        const ids: Array<string> = []
        for (const title of ["One", "Two", "Three", "Four", "Five"]) {
          yield* TestClock.adjust("1 second")
          ids.push((yield* author.published({ title, freeContentMarkdown: "word ".repeat(900) })).id)
        }
        const path = `/@${author.handle}/one`
        const first = yield* client.send("GET", path)
        assert.deepStrictEqual(titlesOf(first.text), ["Five", "Four", "Three", "Two"])
        yield* TestClock.adjust(NEXT_MAKING)
        const next = yield* client.send("GET", path)
        assert.strictEqual(next.text, first.text)
        assert.strictEqual(next.headers.get("etag"), first.headers.get("etag"))

        yield* author.unpublish(ids[3] ?? "")
        assert.deepStrictEqual(titlesOf((yield* client.send("GET", path)).text), ["Five", "Three", "Two"])
      })
    )

    it.effect("Related Posts are four of the newest, even after one of them is withdrawn", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(4)
        const publish = Effect.fnUntraced(function* (title: string) {
          yield* TestClock.adjust("1 second")
          return yield* author.published({ title, description: "Quokkas of Rottnest", primaryCategoryId: 7 })
        })
        const { slug } = yield* publish("First")
        const shown = Effect.map(client.send("GET", `/@${author.handle}/${slug}`), ({ text }) =>
          titlesOf(text)
        )
        yield* Effect.forEach(["Two", "Three", "Four", "Five"], publish)
        assert.deepStrictEqual(yield* shown, ["Five", "Four", "Three", "Two"])
        const { id } = yield* publish("Six")
        yield* TestClock.adjust(NEXT_MAKING)
        assert.deepStrictEqual(yield* shown, ["Six", "Five", "Four", "Three"])
        yield* author.unpublish(id)
        assert.deepStrictEqual(yield* shown, ["Five", "Four", "Three", "Two"])
      })
    )

    it.effect("Related Posts never belong to a restricted account", () =>
      Effect.gen(function* () {
        const client = yield* TestClient
        const author = yield* authorOf(2)
        const other = yield* authorOf(3)
        const { id } = yield* author.published({ title: "Mine" })
        yield* TestClock.adjust("1 second")
        yield* other.published({ title: "Theirs" })
        yield* (yield* administrator())["accounts.restrict"]({
          handle: other.handle,
          actor: "Mo",
          reason: "Sells what others wrote"
        })
        const related = yield* client.send("GET", `/api/posts/${id}/related`)
        assert.notInclude(related.text, "Theirs")
        assert.notInclude((yield* client.send("GET", `/@${author.handle}/mine`)).text, "Theirs")
      })
    )
  }
)

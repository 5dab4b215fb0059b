import { assert, describe, it, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { CommentId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import type { ThreadRow } from "../../../src/engagement/comments/threads.sql.ts"
import type { CommentView } from "../../../src/web/pages/parts/views.ts"
import { threadTree } from "../../../src/web/pages/threadTree.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { ownMedia } from "../../support/ownMedia.ts"
import { soak } from "../../support/soak.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { validated } from "./documents.ts"

const owner = OwnerId.make("00000000-0000-4000-8000-000000000001")
const idOf = (number: number) => CommentId.make(`00000000-0000-4000-8400-${String(number).padStart(12, "0")}`)

const rowOf = (number: number, parent: number | null, root: number): ThreadRow => ({
  id: idOf(number),
  parent_comment_id: parent === null ? null : idOf(parent),
  thread_root_id: idOf(root),
  content: "Said",
  created_at: Timestamp.make("2026-11-21T05:00:00.000000Z"),
  thumbs_up: 0,
  heart: 0,
  fire: 0,
  clap: 0,
  tip_raw: "0",
  post_owner_id: owner,
  thread_size: 9,
  author_id: owner,
  author_name: "Ada",
  author_handle: "ada",
  author_avatar_url: null,
  author_kind: "human"
})

const idsOf = (views: ReadonlyArray<CommentView>): ReadonlyArray<string> =>
  views.flatMap(({ id, replies }) => [id, ...idsOf(replies)])

describe("the tree of a discussion", () => {
  it("The tree has each Comment once, below the one that it answers or below its root", () => {
    const parents = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 20 })
    fc.assert(
      fc.property(parents, fc.array(fc.nat({ max: 20 })), (answers, missing) => {
        const all = answers.map((answer, index) => rowOf(index, index === 0 ? null : answer % index, 0))
        const rows = all.filter((_, index) => index === 0 || !missing.includes(index))
        const tree = threadTree(rows, new Set(), ownMedia)
        assert.strictEqual(tree.length, 1)
        assert.deepStrictEqual([...idsOf(tree)].toSorted(), rows.map(({ id }) => id as string).toSorted())
        assert.strictEqual(tree[0]?.moreReplies, 9 - rows.length)
      }),
      { numRuns: soak(100, 5_000) }
    )
  })
})

const said = Effect.fnUntraced(function* (path: string) {
  const { status, text } = yield* (yield* TestClient).send("GET", path)
  assert.strictEqual(status, 200, path)
  const elements = validated(text, path)
  const words = elements
    .filter(({ attributes, tag }) => tag === "p" && attributes["class"]?.startsWith("said") === true)
    .map((it) => it.text)
  const hrefs = elements.flatMap(({ attributes }) => attributes["href"] ?? [])
  return { text, words, hrefs }
})

layer(service(database("test_reading_threads")))("the discussion on the page of a Post", (it) => {
  it.effect("The page shows threads with their replies, tombstones, reactions and speakers", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(1)
      const other = yield* commenterOf(2)
      const { id, slug } = yield* author.published()
      const path = `/@${author.handle}/${slug}`
      const before = yield* said(path)
      assert.include(before.text, `action="/respond/${id}"`)
      assert.notInclude(before.text, "Skip comments")
      const root = yield* other.say(id, "First <b>word</b>\nof two lines")
      yield* author.say(id, "Answer of the author", { parent: root.id })
      yield* TestClock.adjust("25 seconds")
      const gone = yield* other.say(id, "Not for long")
      yield* other.removeComment(gone.id)
      const page = yield* said(path)
      assert.deepStrictEqual(page.words, [
        "This comment was deleted.",
        "First <b>word</b>\nof two lines",
        "Answer of the author"
      ])
      assert.match(page.text, /Comment<\/button>[^]*href="#end">Skip comments<[^]*class="thread"[^]*id="end"/)
      assert.include(page.text, '<span class="tag">Author</span>')
      assert.include(page.text, `id="c-${root.id}"`)
      yield* author.removeComment(root.id)
      assert.strictEqual((yield* said(path)).words[1], "This comment was deleted.")
    })
  )

  it.effect("The page has the 20 newest threads with five replies, and the rest behind links", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(3)
      const { id, slug } = yield* author.published()
      const path = `/@${author.handle}/${slug}`
      for (let n = 22; n >= 2; n--) {
        yield* author.say(id, `Thread ${n}`)
        yield* TestClock.adjust("25 seconds")
      }
      const first = yield* author.say(id, "Thread 1")
      for (let n = 1; n <= 7; n++) {
        yield* TestClock.adjust("25 seconds")
        yield* author.say(id, `Reply ${n}`, { parent: first.id })
      }
      const page = yield* said(path)
      assert.strictEqual(page.words.filter((it) => it.startsWith("Thread")).length, 20)
      assert.deepStrictEqual(
        page.words.slice(1, 6),
        [1, 2, 3, 4, 5].map((n) => `Reply ${n}`)
      )
      assert.include(page.text, "2 more replies")
      const thread = page.hrefs.find((href) => href.includes("?thread="))!
      assert.strictEqual((yield* said(new URL(thread).pathname + new URL(thread).search)).words.length, 8)
      const next = new URL(
        page.hrefs.find((href) => href.includes("?after="))!,
        "https://press.test"
      )
      assert.deepStrictEqual((yield* said(next.pathname + next.search)).words, ["Thread 21", "Thread 22"])
      assert.strictEqual((yield* said(`${path}/comments`)).words.length, 25)
      const client = yield* TestClient
      for (const query of ["?after=x", "?thread=x", "?thread=00000000-0000-4000-8000-000000000001"])
        assert.strictEqual((yield* client.send("GET", `${path}/comments${query}`)).status, 404, query)
      assert.strictEqual((yield* client.send("GET", `/@${author.handle}/none/comments`)).status, 404)
    })
  )

  it.effect("The discussion disappears when the author takes no Comments", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(4)
      const { id, slug } = yield* author.published()
      const path = `/@${author.handle}/${slug}`
      yield* author.say(id, "Said")
      assert.deepStrictEqual((yield* said(path)).words, ["Said"])
      yield* author.patch(id, { commentsEnabled: false })
      const closed = yield* said(path)
      assert.deepStrictEqual([closed.words, closed.text.includes("Your comment")], [[], false])
      assert.deepStrictEqual((yield* said(`${path}/comments`)).words, [])
    })
  )
})

import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { ADMIN_TOKEN, administrator } from "../../support/actors/administrator.ts"
import { authorOf, refusalOf } from "../../support/actors/author.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"
import { followsOf } from "./follower.ts"

/** An author with a Publishing key, and the id by which others follow them. */
const creatorOf = Effect.fnUntraced(function* (number: number) {
  const author = yield* authorOf(number)
  const { body } = yield* (yield* TestClient).send("GET", `/api/profile/${author.handle}`)
  return { ...author, id: body.id as OwnerId }
})

const followerOf = Effect.fnUntraced(function* (number: number) {
  const reader = yield* readerOf(number)
  return { ...reader, ...followsOf(reader) }
})

const titlesOf = (body: { readonly data: ReadonlyArray<{ readonly title: string }> }) =>
  body.data.map(({ title }) => title)

layer(service(database("test_own_follows"), 1, { adminToken: ADMIN_TOKEN }))(
  "the follows of an owner",
  (it) => {
    it.effect("A follower lists the public posts of all followed authors, page by page", () =>
      Effect.gen(function* () {
        const ada = yield* creatorOf(1)
        const bea = yield* creatorOf(2)
        const stranger = yield* creatorOf(3)
        const reader = yield* followerOf(4)
        yield* reader.follow(ada.id)
        yield* reader.follow(bea.id)
        const all: Array<string> = []
        for (let n = 0; n < 9; n++) {
          // Some are published at the same moment.
          if (n % 3 === 0) yield* TestClock.adjust("1 second")
          const author = n % 4 === 0 ? bea : ada
          yield* author.published({ title: `Post ${n}` })
          all.push(`Post ${n}`)
        }
        yield* stranger.published({ title: "Of a stranger" })
        yield* ada.draft({ title: "A draft" })
        const withdrawn = yield* ada.published({ title: "Withdrawn" })
        yield* ada.unpublish(withdrawn.id)

        const whole = yield* reader.send("GET", "/api/v1/follows/posts")
        assert.strictEqual(whole.status, 200, whole.text)
        assert.sameMembers(titlesOf(whole.body), all)
        assert.deepStrictEqual(whole.body.pagination, { limit: 20, nextCursor: null, hasMore: false })
        for (const limit of [1, 2, 4]) {
          const walked: Array<string> = []
          let cursor = ""
          do {
            const { body } = yield* reader.send(
              "GET",
              `/api/v1/follows/posts?limit=${limit}&cursor=${cursor}`
            )
            walked.push(...titlesOf(body))
            cursor = body.pagination.nextCursor ?? ""
          } while (cursor !== "")
          assert.deepStrictEqual(walked, titlesOf(whole.body), `pages of ${limit}`)
        }
        // As the public lists show them.
        const { body } = yield* reader.send("GET", `/api/posts/${whole.body.data[0].id}`)
        const { freeContentMarkdown: _, ...summary } = body
        assert.deepStrictEqual(whole.body.data[0], summary)

        yield* reader.unfollow(ada.id)
        assert.deepStrictEqual(titlesOf((yield* reader.send("GET", "/api/v1/follows/posts")).body), [
          "Post 8",
          "Post 4",
          "Post 0"
        ])
      })
    )

    it.effect("A follower lists the followed authors with the preferences of each follow", () =>
      Effect.gen(function* () {
        const ada = yield* creatorOf(11)
        const bea = yield* creatorOf(12)
        const reader = yield* followerOf(13)
        const first = yield* reader.follow(ada.id)
        yield* TestClock.adjust("1 second")
        const second = yield* reader.follow(bea.id)
        yield* reader.putPreferences(first.id, { notify_channel_email: true })
        const creator = ({ handle, id }: typeof ada, number: number) => ({
          id,
          name: `Author ${number}`,
          handle,
          avatar_url: null,
          author_kind: "human"
        })
        const { body } = yield* reader.send("GET", "/api/v1/follows")
        assert.deepStrictEqual(body, {
          data: [
            { ...second, creator: creator(bea, 12) },
            { ...first, notify_channel_email: true, creator: creator(ada, 11) }
          ],
          pagination: { limit: 20, nextCursor: null, hasMore: false }
        })
        const page = yield* reader.send("GET", "/api/v1/follows?limit=1")
        const next = yield* reader.send(
          "GET",
          `/api/v1/follows?limit=1&cursor=${page.body.pagination.nextCursor}`
        )
        assert.deepStrictEqual([...page.body.data, ...next.body.data], body.data)
        assert.isNull(next.body.pagination.nextCursor)
      })
    )

    it.effect("A restricted author is in neither list", () =>
      Effect.gen(function* () {
        const ada = yield* creatorOf(21)
        const bea = yield* creatorOf(22)
        const reader = yield* followerOf(23)
        for (const { id } of [ada, bea]) yield* reader.follow(id)
        yield* ada.published({ title: "Of Ada" })
        yield* bea.published({ title: "Of Bea" })
        yield* (yield* administrator())["accounts.restrict"]({ handle: ada.handle, reason: "Spam" })
        assert.deepStrictEqual(titlesOf((yield* reader.send("GET", "/api/v1/follows/posts")).body), [
          "Of Bea"
        ])
        const { body } = yield* reader.send("GET", "/api/v1/follows")
        assert.deepStrictEqual(
          body.data.map((it: any) => it.creator.handle),
          [bea.handle]
        )
      })
    )

    it.effect("A cursor belongs to its list and its owner, and both lists need a session", () =>
      Effect.gen(function* () {
        const ada = yield* creatorOf(31)
        const bea = yield* creatorOf(32)
        for (const author of [ada, bea]) yield* author.published()
        const reader = yield* followerOf(33)
        const other = yield* followerOf(34)
        for (const each of [reader, other]) for (const { id } of [ada, bea]) yield* each.follow(id)
        const paths = ["/api/v1/follows", "/api/v1/follows/posts"]
        const cursorOf = (each: typeof reader, path: string) =>
          Effect.map(each.send("GET", `${path}?limit=1`), ({ body }) => body.pagination.nextCursor as string)
        for (const path of paths) {
          const foreign = yield* cursorOf(other, path)
          const elsewhere = yield* cursorOf(
            reader,
            paths.find((it) => it !== path)!
          )
          for (const cursor of [foreign, elsewhere, "x", "%00", "1.W10.AA", "y".repeat(400)])
            assert.deepStrictEqual(
              refusalOf(yield* reader.send("GET", `${path}?cursor=${cursor}`)),
              [422, "validation", "cursor invalid"],
              `${path} ${cursor}`
            )
          for (const limit of ["0", "51", "x", ""])
            assert.strictEqual((yield* reader.send("GET", `${path}?limit=${limit}`)).status, 422, limit)
          const client = yield* TestClient
          assert.strictEqual((yield* client.send("GET", path)).status, 401)
        }
      })
    )
  }
)

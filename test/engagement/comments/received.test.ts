import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommentId } from "../../../schemas/platform/Ids.ts"
import { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { HiddenComments } from "../../../src/engagement/comments/HiddenComments.ts"
import { buyerOf } from "../../support/actors/buyer.ts"
import { type Commenter, commenterOf } from "../../support/actors/commenter.ts"
import { database } from "../../support/Database.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const received = ({ accessToken: token }: Commenter, query = "") =>
  Effect.flatMap(TestClient, (client) => client.send("GET", `/api/v1/comments${query}`, { token }))

layer(service(database("test_received_comments")))("the comments that an author receives", (it) => {
  it.effect("An author reads the comments of others on all own Posts, newest first and page by page", () =>
    Effect.gen(function* () {
      const [ada, bob] = [yield* commenterOf(1), yield* commenterOf(2)]
      assert.deepStrictEqual((yield* received(ada)).body, {
        comments: [],
        pagination: { limit: 50, nextCursor: null, hasMore: false }
      })
      const [free, sold] = [
        yield* ada.published({ title: "Free" }),
        yield* ada.published({
          title: "Sold",
          paidContentMarkdown: "More.",
          enablePaywall: true,
          priceXno: "0.25"
        })
      ]
      const other = yield* bob.published()
      const said: Array<string> = []
      for (const post of [free, sold, free, sold, free])
        said.unshift((yield* bob.say(post.id, `On ${post.title}`)).id)
      // Own comments, and those on the Posts of others, are not received.
      yield* ada.say(free.id, "My own", { parent: said.at(-1)! })
      yield* ada.say(other.id, "On the Post of Bob")

      const seen: Array<string> = []
      for (let cursor: string | null = ""; cursor !== null;) {
        const { body }: { readonly body: any } = yield* received(ada, `?limit=2&cursor=${cursor}`)
        seen.push(...body.comments.map(({ id }: any) => id))
        cursor = body.pagination.nextCursor
      }
      assert.deepStrictEqual(seen, said)

      const [newest, next] = (yield* received(ada)).body.comments
      const read = yield* ada.read(free.id)
      const { post, ...comment } = newest
      assert.deepStrictEqual(comment, (yield* ada.comment(newest.id)).body)
      assert.deepStrictEqual(post, {
        id: free.id,
        title: "Free",
        status: "published",
        url: read.body.url,
        commentsEnabled: true,
        updatedAt: read.body.updatedAt
      })
      assert.isFalse(next.hasPurchased)
      const buyer = yield* buyerOf(2)
      yield* buyer.buy(sold.id, { token: bob.accessToken })
      assert.deepStrictEqual(
        (yield* received(ada)).body.comments.map(({ hasPurchased }: any) => hasPurchased),
        [false, true, false, true, false]
      )

      // A cursor belongs to the list of one author.
      const { nextCursor } = (yield* received(ada, "?limit=1")).body.pagination
      for (const wrong of [nextCursor, "x"]) {
        const { body, status } = yield* received(bob, `?cursor=${wrong}`)
        assert.strictEqual(status, 422)
        assert.deepInclude(body.data.errors[0], { field: "cursor", code: "invalid" })
      }
      assert.strictEqual((yield* received(ada, "?limit=101")).status, 422)
      const client = yield* TestClient
      assert.strictEqual((yield* client.send("GET", "/api/v1/comments")).status, 401)
      assert.strictEqual((yield* client.send("GET", "/api/v1/comments", { token: ada.key })).status, 401)
    })
  )

  it.effect(
    "Comments on drafts and in closed discussions stay in the list, and deleted and hidden ones do not",
    () =>
      Effect.gen(function* () {
        const [ada, bob] = [yield* commenterOf(11), yield* commenterOf(12)]
        const [draft, closed, open] = [yield* ada.published(), yield* ada.published(), yield* ada.published()]
        const kept = [
          (yield* bob.say(draft.id, "On a draft")).id,
          (yield* bob.say(closed.id, "Behind a door")).id
        ]
        const deleted = yield* bob.say(open.id, "Deleted")
        const hidden = yield* bob.say(open.id, "Hidden")
        yield* ada.unpublish(draft.id)
        assert.strictEqual((yield* ada.patch(closed.id, { commentsEnabled: false })).status, 200)
        yield* ada.removeComment(deleted.id)
        yield* (yield* HiddenComments).hide(
          AdministratorAuthority.make({ kind: "administrator" }),
          CommentId.make(hidden.id)
        )
        const { comments } = (yield* received(ada)).body
        assert.deepStrictEqual(
          comments.map(({ id }: any) => id),
          kept.toReversed()
        )
        assert.deepStrictEqual(
          comments.map(({ post }: any) => [post.status, post.url === null, post.commentsEnabled]),
          [
            ["published", false, false],
            ["draft", true, true]
          ]
        )
      })
  )
})

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClient } from "../../../support/TestClient.ts"
import { rowsOf } from "../stateFile.ts"
import { asPublisher, commented, drafted, paid, pathOf, PRICE, type Write } from "./writer.ts"

export const reply: Write = {
  isEffect: pathOf("POST", /\/comments$/),
  prepare: Effect.fnUntraced(function* ({ ownerId, stranger }, number) {
    const { id: postId } = yield* stranger.published({ title: `Discussed ${number}` })
    const { id } = yield* commented(stranger, postId, number)
    return {
      args: { comment_id: id, content: `Answer ${number}` },
      check: Effect.fnUntraced(function* ({ comment }) {
        const { body } = yield* (yield* TestClient).send(
          "GET",
          `/api/posts/${postId}/comments?cursor=&threadRootId=${id}`
        )
        const answers = body.comments.filter((found: any) => found.author.id === ownerId)
        assert.deepStrictEqual(
          answers.map((found: any) => [found.id, found.parentCommentId, found.content]),
          [[comment.id, id, `Answer ${number}`]]
        )
      })
    }
  })
}

export const markRead: Write = {
  isEffect: pathOf("POST", /\/notifications\/.*read$/),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const { id: postId } = yield* drafted(writer, { creationMethod: "human_written", creationAttested: true })
    yield* asPublisher(writer, "POST", `/posts/${postId}/publish`, {
      headers: { "idempotency-key": `told-${postId}` }
    })
    yield* commented(writer.stranger, postId, number)
    const feed = writer.call("svc_notifications", { include_all: true, limit: 50 })
    const ofPost = Effect.map(feed, ({ notifications }) =>
      notifications.filter((told: any) => told.postId === postId)
    )
    const [{ id }] = yield* ofPost
    return {
      args: { ids: [id] },
      check: Effect.fnUntraced(function* () {
        const [{ readAt }] = yield* ofPost
        assert.isNotNull(readAt)
      })
    }
  })
}

export const buyPost: Write = {
  isEffect: (_, path, headers) => path.endsWith("/access") && headers["payment-signature"] !== undefined,
  prepare: Effect.fnUntraced(function* (writer, number) {
    const { id } = yield* writer.stranger.published({ ...paid, title: `Sold ${number}` })
    const before = yield* writer.wallet
    const reservations = () => rowsOf(writer.directory, "select state from reservations")
    const held = reservations().length
    return {
      args: { post_id: id, expected_price_raw: String(PRICE) },
      check: Effect.fnUntraced(function* ({ purchase }) {
        assert.deepInclude(purchase, { charged: true, amountRaw: String(PRICE), receiptSaved: true })
        const { balanceRaw, blocks } = yield* writer.wallet
        assert.deepStrictEqual([blocks, balanceRaw], [before.blocks + 1, before.balanceRaw - PRICE])
        assert.lengthOf(reservations(), held + 1)
        assert.isTrue(reservations().every(({ state }) => state === "spent"))
      })
    }
  })
}

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClient } from "../../../support/TestClient.ts"
import { asPublisher, drafted, pathOf, PRICE, type Write } from "./writer.ts"

export const createDraft: Write = {
  isEffect: pathOf("POST", /v1\/posts$/),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const list = Effect.map(asPublisher(writer, "GET", "/posts"), ({ body }) => body.total as number)
    const before = yield* list
    return {
      args: { title: `Draft ${number}`, description: "  Spaced  ", free_content_markdown: "One." },
      check: Effect.fnUntraced(function* ({ draft }) {
        assert.strictEqual(yield* list, before + 1)
        const { body } = yield* asPublisher(writer, "GET", `/posts/${draft.id}`)
        assert.deepInclude(body, { title: `Draft ${number}`, description: "Spaced" })
      })
    }
  })
}

export const updateDraft: Write = {
  isEffect: pathOf("PATCH", /v1\/posts\//),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const { id, updatedAt: revision } = yield* drafted(writer)
    // The service takes off the space around a description.
    const changes = { title: `Changed ${number}`, description: " Spaced ", language: "de" }
    // It has no paid section, so that its price does not count.
    const ignored = { enable_paywall: true, price_raw: String(PRICE) }
    return {
      args: { post_id: id, revision, changes: { ...changes, ...ignored } },
      check: Effect.fnUntraced(function* ({ draft }) {
        const { body } = yield* asPublisher(writer, "GET", `/posts/${id}`)
        assert.deepInclude(body, { ...changes, description: "Spaced", updatedAt: draft.revision })
      })
    }
  })
}

export const publish: Write = {
  isEffect: pathOf("POST", /\/publish$/),
  prepare: Effect.fnUntraced(function* (writer, number) {
    const { id, updatedAt: revision } = yield* drafted(writer, { title: `Public ${number}` })
    return {
      args: { post_id: id, revision },
      check: Effect.fnUntraced(function* ({ post }) {
        const { body } = yield* (yield* TestClient).send("GET", `/api/posts/${id}`)
        assert.deepInclude(body, { title: `Public ${number}`, creationMethod: "autonomous_agent" })
        assert.strictEqual(body.publishedAt, post.publishedAt)
      })
    }
  })
}

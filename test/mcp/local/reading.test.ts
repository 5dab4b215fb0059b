import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { authorOf } from "../../support/actors/author.ts"
import { edition, serviceBehindWire, stateDirectory, toolsOf } from "./localEdition.ts"
import { Wire } from "./Wire.ts"

layer(serviceBehindWire("test_mcp_local_reading"))("the local edition without an identity", (it) => {
  it.effect("The local edition reads like the hosted one, only from the pinned origin", () =>
    Effect.gen(function* () {
      const wire = yield* Wire
      const author = yield* authorOf(1)
      const free = yield* author.published({ title: "Free pennies", freeContentMarkdown: "One. Two." })
      const paid = yield* author.published({
        freeContentMarkdown: "A teaser.",
        paidContentMarkdown: "Behind the price.",
        enablePaywall: true,
        priceXno: "0.05"
      })
      const draft = yield* author.draft({ title: "A draft" })
      yield* Effect.gen(function* () {
        const { call } = yield* toolsOf
        const context = (yield* call("svc_context")).result
        assert.deepInclude(context.identity, { status: "not-selected", authorKind: null })
        assert.deepInclude(context.release, { status: "current", updateAvailable: false })
        assert.strictEqual(context.spending.remainingRaw, "0")
        const found = (yield* call("svc_search", { limit: 5 })).result
        assert.sameMembers(
          found.posts.map(({ id }: { id: string }) => id),
          [free.id, paid.id]
        )
        const named = (yield* call("svc_search", { query: author.handle })).result
        assert.deepStrictEqual(
          named.authors.map(({ handle }: { handle: string }) => handle),
          [author.handle]
        )
        assert.isAbove((yield* call("svc_categories")).result.categories.length, 10)
        const read = (yield* call("svc_read_content", { post_id: free.id })).result
        assert.deepInclude(read, { available: true, source: "free", own: null })
        assert.strictEqual(read.untrusted.contentMarkdown, "One. Two.")
        const refused = (yield* call("svc_read_content", { post_id: paid.id })).result
        assert.deepInclude(refused, { available: false, reason: "paid", untrusted: null })
        const teaser = (yield* call("svc_preview", { post_id: paid.id })).result
        assert.strictEqual(teaser.untrusted.excerptMarkdown, "A teaser.")
        const hidden = (yield* call("svc_preview", { post_id: draft.id })).result
        assert.deepInclude(hidden, { available: false, reason: "not_public", own: null })
        const failed = yield* call("svc_search", { category_id: 0 })
        assert.isTrue(failed.isError)
        const { code, fields } = JSON.parse(failed.text)
        assert.deepStrictEqual([code, fields[0].field], ["validation", "category_id"])
      }).pipe(Effect.scoped, Effect.provide(edition(yield* stateDirectory)))
      assert.isTrue(wire.sent.every(({ headers }) => headers["authorization"] === undefined))
    })
  )
})

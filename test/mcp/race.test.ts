import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { freshDatabase, pool } from "../support/Database.ts"
import { soak } from "../support/soak.ts"
import { processOver, service, TestClient } from "../support/TestClient.ts"
import { call, callAll } from "./toolServer.ts"

const PAID_TEXT = "SOLD-TEXT-THAT-NOBODY-READS-FOR-FREE"
const FREE_TEXT = "FREE-TEXT"

/** Milliseconds for the long form. */
const LONG = 1_800_000

/** Rounds of a read by each of the five tools. */
const READS = soak(24, 200, 2_000)

/** One process over the database, with its own store of answers. */
const process = (url: Parameters<typeof pool>[0], seed: number) =>
  Layer.build(Layer.fresh(service(pool(url, { signals: true }), seed, { isAlone: false })))

describe("a Post that turns paid", () => {
  it.effect(
    "A Post that turns paid shows its text to no reader of any tool, in either process",
    () =>
      Effect.gen(function* () {
        const url = yield* freshDatabase("test_mcp_race")
        const processes = yield* Effect.all([process(url, 1), process(url, 2)])
        const [first] = processes
        const author = yield* Effect.provideContext(authorOf(1), first)
        const { id } = yield* Effect.provideContext(
          author.published({ freeContentMarkdown: FREE_TEXT }),
          first
        )
        const over = { is: false }
        let edits = 0
        /** True while every reader that begins now has to find the Post paid. */
        let isPaidForSure = false

        const edit = Effect.gen(function* () {
          while (!over.is) {
            const toPaid = yield* author.patch(id, {
              enablePaywall: true,
              priceXno: "0.01",
              freeContentMarkdown: "A teaser.",
              paidContentMarkdown: `${PAID_TEXT} ${FREE_TEXT}`
            })
            assert.strictEqual(toPaid.status, 200, toPaid.text)
            isPaidForSure = true
            for (let i = 0; i < 3; i++) yield* Effect.yieldNow
            if (edits % 3 === 2) {
              assert.strictEqual((yield* author.unpublish(id)).status, 200)
              const again = yield* author.publish(id, `again-${edits}`)
              assert.strictEqual(again.status, 200, again.text)
            }
            isPaidForSure = false
            const toFree = yield* author.patch(id, {
              enablePaywall: false,
              freeContentMarkdown: FREE_TEXT,
              paidContentMarkdown: null
            })
            assert.strictEqual(toFree.status, 200, toFree.text)
            edits++
          }
        }).pipe(Effect.provideContext(first))

        const seen = new Set<string>()
        const read = Effect.fnUntraced(function* (reads: number) {
          for (let i = 0; i < reads; i++) {
            const wasPaid = isPaidForSure
            const editsBefore = edits
            const results = yield* callAll(id)
            const shown = JSON.stringify(results)
            assert.notInclude(shown, PAID_TEXT)
            const content = results[4]
            const { available, post, reason } = content.structuredContent
            seen.add(reason ?? "free")
            // A card and its text are of one moment.
            if (available) assert.strictEqual(post.access, "free")
            // A reader that began after the edit was answered, and ended before the next one, sees what it did.
            if (wasPaid && isPaidForSure && edits === editsBefore) {
              assert.notInclude(shown, FREE_TEXT)
              assert.isFalse(available)
            }
          }
        })
        const editing = yield* Effect.forkChild(edit)
        yield* Effect.all(
          processes.flatMap((process) => [
            Effect.provideContext(read(READS / 4), Context.pick(TestClient)(process)),
            Effect.provideContext(read(READS / 4), Context.pick(TestClient)(process))
          ]),
          { concurrency: "unbounded" }
        )
        over.is = true
        yield* Fiber.join(editing)
        assert.isAbove(edits, 0)
        assert.isAbove(seen.size, 1, [...seen].join())
      }),
    LONG
  )

  it.effect("A process that keeps an older answer and hears no change reads the Post again", () =>
    Effect.gen(function* () {
      const url = yield* freshDatabase("test_mcp_anew")
      // Each believes that it hears of changes, so that it keeps answers; neither hears of those of the other.
      const deaf = (seed: number) => processOver(url, seed, { isAlone: true })
      const [first, other] = yield* Effect.all([deaf(1), deaf(2)])
      const author = yield* Effect.provideContext(authorOf(1), first)
      const { id } = yield* Effect.provideContext(author.published({ freeContentMarkdown: FREE_TEXT }), first)
      const kept = Effect.flatMap(TestClient, (client) =>
        Effect.all([
          client.send("GET", `/api/posts/${id}/public-content`),
          client.send("GET", `/api/posts/${id}`)
        ])
      ).pipe(Effect.provideContext(other))
      const shown = Effect.map(
        Effect.provideContext(
          Effect.all([call("svc_read_content", { post_id: id }), call("svc_preview", { post_id: id })]),
          other
        ),
        (results) => results.map(({ structuredContent }) => structuredContent)
      )
      const before = yield* kept
      for (const { status, text } of before) assert.strictEqual(status, 200, text)
      assert.include(JSON.stringify(yield* shown), FREE_TEXT)

      const paid = {
        enablePaywall: true,
        priceXno: "0.01",
        freeContentMarkdown: "A teaser.",
        paidContentMarkdown: FREE_TEXT
      }
      assert.strictEqual((yield* Effect.provideContext(author.patch(id, paid), first)).status, 200)
      // The process still has the older answers for readers on the Web, so a tool could show them.
      assert.deepStrictEqual(
        (yield* kept).map(({ text }) => text),
        before.map(({ text }) => text)
      )
      const [content, preview] = yield* shown
      assert.strictEqual(content.reason, "paid")
      assert.strictEqual(preview.post.access, "paid")
      assert.notInclude(JSON.stringify([content, preview]), FREE_TEXT)

      assert.strictEqual((yield* Effect.provideContext(author.unpublish(id), first)).status, 200)
      for (const { reason } of yield* shown) assert.strictEqual(reason, "not_public")
    })
  )
})

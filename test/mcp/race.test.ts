import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer } from "effect"
import { authorOf } from "../support/actors/author.ts"
import { freshDatabase, pool } from "../support/Database.ts"
import { soak } from "../support/soak.ts"
import { service, TestClient } from "../support/TestClient.ts"
import { call } from "./toolServer.ts"

const PAID_TEXT = "SOLD-TEXT-THAT-NOBODY-READS-FOR-FREE"
const FREE_TEXT = "FREE-TEXT"

/** Milliseconds for the long form. */
const LONG = 1_800_000

/** Rounds of a read by each of three tools. */
const READS = soak(24, 200, 3_400)

/** One process over the database, with its own store of answers. */
const process = (url: Parameters<typeof pool>[0], seed: number) =>
  Layer.build(Layer.fresh(service(pool(url, { signals: true }), seed, { isAlone: false })))

describe("a Post that turns paid", () => {
  it.effect(
    "shows no protected text to readers of any tool, in either process",
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
            const results = yield* Effect.all([
              call("svc_read_content", { post_id: id }),
              call("svc_preview", { post_id: id }),
              call("svc_search", {})
            ])
            const shown = JSON.stringify(results)
            assert.notInclude(shown, PAID_TEXT)
            const [content] = results
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
})

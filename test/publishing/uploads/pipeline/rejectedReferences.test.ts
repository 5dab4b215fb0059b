import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as OffloadInline from "../../../../layers/testing/OffloadInline.ts"
import { ScannerMemory } from "../../../../layers/testing/ScannerMemory.ts"
import { DependencyUnavailable } from "../../../../src/platform/ports/DependencyUnavailable.ts"
import { Offload } from "../../../../src/platform/ports/Offload.ts"
import { as } from "../../../platform/mail/outbox.ts"
import { media, uploaderOf, workOff } from "../../../support/actors/uploader.ts"
import { freshDatabase } from "../../../support/Database.ts"
import { processOver } from "../../../support/TestClient.ts"
import { kept, malware, objectsOf, rejecting, waitOf, within, world } from "../screenings.ts"

/** A section that is too long to be read inline. */
const long = Array.from({ length: 100 }, () => "**words**").join(" ")

const withReader = Effect.fnUntraced(function* (name: string, death: () => unknown) {
  const shared = yield* world
  const direct = yield* Effect.scoped(
    Effect.map(Layer.build(OffloadInline.layer), (it) => Context.get(it, Offload))
  )
  const offload = Offload.of({
    run: (task, input, key) =>
      task.name === "withoutUrls" && death() !== undefined
        ? Effect.die(death())
        : direct.run(task, input, key)
  })
  const busy = Context.add(shared, Offload, offload)
  return yield* processOver(yield* freshDatabase(name), 1, within(busy))
}, Effect.orDie)

describe("the references to a rejected image", () => {
  it.effect("A rejection waits for a service that edits the Post, and does not count as a failure", () =>
    Effect.gen(function* () {
      let isBusy = false
      const busyReader = new DependencyUnavailable({ dependency: "sections" })
      const process = yield* withReader("test_uploads_busy_reader", () => (isBusy ? busyReader : undefined))
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft()
        const sent = yield* author.inline(post)
        yield* author.patch(post.id, { freeContentMarkdown: `![it](${sent.body.publicUrl})\n\n${long}` })
        const scanner = yield* ScannerMemory
        isBusy = true
        for (let busy = 0; busy < 7; busy++) {
          yield* scanner.answerNext(malware)
          yield* workOff
          assert.strictEqual((yield* kept(sent)).failures, 0)
          yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
        }
        isBusy = false
        yield* rejecting
        assert.strictEqual((yield* author.status(sent)).body.safety.state, "rejected")
        assert.strictEqual((yield* author.read(post.id)).body.freeContentMarkdown, long)
      }).pipe(as(process))
    })
  )

  it.effect("An image whose references cannot be removed is hidden in the end", () =>
    Effect.gen(function* () {
      let isBroken = false
      const process = yield* withReader("test_uploads_broken_reader", () =>
        isBroken ? new Error("broken") : undefined
      )
      yield* Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft()
        const sent = yield* author.inline(post)
        yield* author.patch(post.id, { freeContentMarkdown: `![it](${sent.body.publicUrl})\n\n${long}` })
        yield* (yield* ScannerMemory).answerNext(malware, 5)
        isBroken = true
        for (let failed = 1; failed <= 5; failed++) {
          yield* workOff
          yield* TestClock.adjust(Math.max(0, yield* waitOf(sent)))
        }
        const { body } = yield* author.status(sent)
        assert.deepStrictEqual([body.safety.state, body.safety.lastError], ["failed", "exhausted attempts"])
        assert.strictEqual((yield* media(sent.body.publicUrl)).status, 404)
        assert.deepStrictEqual(yield* objectsOf(sent), [])
      }).pipe(as(process))
    })
  )
})

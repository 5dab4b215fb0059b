import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { uploaderOf } from "../../support/actors/uploader.ts"
import { database } from "../../support/Database.ts"
import { recordedSpans } from "../../support/recordedSpans.ts"
import { service } from "../../support/TestClient.ts"
import { paywalled } from "./paywalled.ts"

/** Returns the statements that an effect runs, in their order. */
const statementsOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const { layer: recording, spans } = recordedSpans()
    const answer = yield* Effect.provide(effect, recording)
    const names = spans.map(({ name }) => name)
    return { answer, statements: names.filter((name) => /^(uploadOperations|postFiles)\./.test(name)) }
  })

layer(service(database("test_attachments_statements")))(
  "the statements of a request to attach (6.1)",
  (it) => {
    it.effect("Seven statements reserve a new ZIP, and four receive and answer it", () =>
      Effect.gen(function* () {
        const author = yield* uploaderOf(1)
        const post = yield* author.draft(paywalled)
        const { answer, statements } = yield* statementsOf(author.attach(post))
        assert.strictEqual(answer.status, 202)
        assert.deepStrictEqual(statements, [
          "uploadOperations.lockPost",
          "uploadOperations.lockOwner",
          "uploadOperations.earlier",
          "uploadOperations.facts",
          "postFiles.of",
          "postFiles.add",
          "uploadOperations.reserve",
          "uploadOperations.lockPlace",
          "uploadOperations.settle",
          "postFiles.receive",
          "uploadOperations.find"
        ])
      })
    )
  }
)

import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { type Heard, Signals } from "../../../src/platform/ports/Signals.ts"
import { authorOf } from "../../support/actors/author.ts"
import { completePost } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"

/** Texts of each signal that the service sent to other processes: each signal is one statement. */
const sent: Array<ReadonlyArray<string>> = []

const recordedSignals = Layer.succeed(Signals, {
  send: (_, texts) => Effect.sync(() => BigInt(sent.push(texts))),
  heard: () => Stream.concat(Stream.succeed<Heard>({ _tag: "listening" }), Stream.never)
})

const DATABASE = Layer.merge(database("test_posts_statements"), recordedSignals)

layer(service(DATABASE, 1, { isAlone: false }))("the statements of a request", (it) => {
  it.effect(
    "A draft costs two statements, the first one a sum of bytes, and a publication without followers eight and a signal",
    () =>
      Effect.gen(function* () {
        const author = yield* authorOf(1)
        const created = yield* statementsOf(author.create(completePost))
        assert.strictEqual(created.answer.status, 201)
        // The bytes of the account are summed once in 30 seconds.
        assert.lengthOf(created.statements, 3, created.statements.join("\n\n"))
        assert.lengthOf((yield* statementsOf(author.create(completePost))).statements, 2)

        const { id } = created.answer.body
        const published = yield* statementsOf(author.publish(id))
        assert.strictEqual(published.answer.status, 200)
        assert.lengthOf(published.statements, 8, published.statements.join("\n\n"))
        assert.deepStrictEqual(
          published.statements.slice(2).map((text) => text.split(/\s/)[0]),
          ["begin", "commit", "with", "insert", "insert", "insert"],
          "the key and the Post are read before the transaction"
        )

        const signals = () => sent.filter((texts) => texts.includes(`post:${id}`))
        yield* eventually(
          "other processes are told",
          Effect.sync(() => signals().length > 0)
        )
        assert.lengthOf(signals(), 1)
        assert.lengthOf(signals()[0]!, 4, "its Post, the Profile, lists and categories")
      })
  )
})

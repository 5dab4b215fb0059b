import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { type Heard, Signals } from "../../../src/platform/ports/Signals.ts"
import { authorOf } from "../../support/actors/author.ts"
import { completePost } from "../../support/actors/owner.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { statementsOf } from "../../support/statements.ts"
import { service, type TestAnswer } from "../../support/TestClient.ts"

/** Texts of each signal that the service sent to other processes: each signal is one statement. */
const sent: Array<ReadonlyArray<string>> = []

const recordedSignals = Layer.succeed(Signals, {
  send: (_, texts) => Effect.sync(() => BigInt(sent.push(texts))),
  heard: () => Stream.concat(Stream.succeed<Heard>({ _tag: "listening", position: 0n }), Stream.never)
})

const DATABASE = Layer.merge(database("test_posts_statements"), recordedSignals)

layer(service(DATABASE, 1, { isAlone: false }))("the statements of a request", (it) => {
  it.effect("A draft costs two statements, and its publication without followers six and a signal", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(1)
      const created = yield* statementsOf(author.create(completePost))
      assert.strictEqual(created.answer.status, 201)
      assert.lengthOf(created.statements, 2, created.statements.join("\n\n"))

      const { id } = created.answer.body
      const published = yield* statementsOf(author.publish(id))
      assert.strictEqual(published.answer.status, 200)
      assert.lengthOf(published.statements, 6, published.statements.join("\n\n"))
      assert.deepStrictEqual(
        published.statements.slice(2).map((text) => text.split(/\s/)[0]),
        ["begin", "commit", "with", "insert"],
        "the key and the Post are read before the transaction"
      )

      const signals = () => sent.filter((texts) => texts.includes(`+post:${id}`))
      yield* eventually(
        "other processes are told",
        Effect.sync(() => signals().length > 0)
      )
      assert.lengthOf(signals(), 1)
      assert.lengthOf(signals()[0]!, 4, "its Post, the Profile, lists and categories")
    })
  )

  it.effect("Only a publication leaves earlier lists to stand in: an edit and an unpublication do not", () =>
    Effect.gen(function* () {
      const author = yield* authorOf(2)
      const { body } = yield* author.create(completePost)
      const id: string = body.id
      const toldBy = Effect.fnUntraced(function* <E, R>(write: Effect.Effect<TestAnswer, E, R>) {
        const before = sent.length
        assert.strictEqual((yield* write).status, 200)
        const texts = () => sent.slice(before).flat()
        yield* eventually(
          "other processes are told",
          Effect.sync(() => texts().some((text) => text.endsWith("lists")))
        )
        return texts()
          .filter((text) => /lists|post:/.test(text))
          .toSorted()
      })
      const added = ["+lists", `+post:${id}`]
      const changed = ["lists", `post:${id}`]
      assert.deepStrictEqual(yield* toldBy(author.publish(id, "one")), added)
      assert.deepStrictEqual(yield* toldBy(author.patch(id, { title: "Another title" })), changed)
      assert.deepStrictEqual(yield* toldBy(author.unpublish(id)), changed)
      assert.deepStrictEqual(yield* toldBy(author.publish(id, "two")), added)
    })
  )
})

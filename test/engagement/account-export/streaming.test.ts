import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Layer, Scope, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { AccountExports } from "../../../src/engagement/account-export/AccountExports.ts"
import { ObjectNotFound, ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { statementsOf } from "../../support/statements.ts"
import { service } from "../../support/TestClient.ts"
import { insertPictures, insertPosts } from "./manyThings.ts"

/** Reads of pictures so far, and those that were interrupted. */
const reads = { begun: 0, interrupted: 0 }
/** Ends when the third picture is asked for. */
const third = Deferred.makeUnsafe<void>()

/** A store whose third picture never arrives. */
const storage = Layer.effect(
  ObjectStorage,
  Effect.map(ObjectStorage, (unchanged) => ({
    ...unchanged,
    read: (key) =>
      Effect.suspend(() => {
        reads.begun += 1
        if (reads.begun % 3 !== 0) return Effect.succeed(new Uint8Array(200_000).fill(reads.begun))
        return Effect.andThen(Deferred.succeed(third, undefined), Effect.never).pipe(
          Effect.onInterrupt(() => Effect.sync(() => (reads.interrupted += 1))),
          Effect.andThen(Effect.fail(new ObjectNotFound({ key })))
        )
      })
  }))
)

const world = service(database("test_account_export_streaming"), 1, {
  changePorts: (ports) => Layer.provideMerge(storage, ports) as typeof ports
})

layer(world)("an export that is being read", (it) => {
  it.effect("Ten posts take one statement", () =>
    Effect.gen(function* () {
      const exports = yield* AccountExports
      const of = Effect.fnUntraced(function* (owner: number, posts: number) {
        const id = yield* insertOwner(owner)
        yield* insertPosts(id, owner, posts)
        const { statements } = yield* statementsOf(
          Effect.flatMap(exports.open(sessionOf(id)), ({ body }) => Stream.runDrain(body))
        )
        return statements.length
      })
      const few = yield* of(1, 1)
      assert.strictEqual((yield* of(2, 10)) - few, 0)
      assert.strictEqual((yield* of(3, 21)) - few, 2)
    })
  )

  it.effect("A reader who leaves ends the work, and no connection is held", () =>
    Effect.gen(function* () {
      const exports = yield* AccountExports
      const id = yield* insertOwner(10)
      yield* insertPictures(id, 10, 30)
      const { body } = yield* exports.open(sessionOf(id))
      const reading = yield* Effect.forkChild(Stream.runDrain(body))
      yield* Deferred.await(third)
      const sql = yield* SqlClient.SqlClient
      const [open] = yield* sql<{ readonly count: number }>`
        select count(*)::integer as count from pg_stat_activity
        where datname = current_database() and state like 'idle in transaction%'`
      assert.strictEqual(open?.count, 0)
      yield* Fiber.interrupt(reading)
      assert.deepStrictEqual(reads, { begun: 3, interrupted: 1 })
    })
  )

  it.effect("A reader who takes nothing more lets no more pictures be read", () =>
    Effect.gen(function* () {
      const exports = yield* AccountExports
      const id = yield* insertOwner(20)
      yield* insertPictures(id, 20, 30)
      reads.begun = 0
      const { body } = yield* exports.open(sessionOf(id))
      const scope = yield* Scope.make()
      const pull = yield* Scope.provide(Stream.toPull(body), scope)
      yield* pull
      for (let i = 0; i < 20; i++) yield* Effect.yieldNow
      assert.isAtMost(reads.begun, 2)
      yield* Scope.close(scope, Exit.void)
    })
  )
})

import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ObjectStorageMemory } from "../../../../layers/testing/ObjectStorageMemory.ts"

/** Lists the keys of all stored objects, of every owner. */
export const storedKeys = Effect.gen(function* () {
  const { objects } = yield* ObjectStorageMemory
  return [...(yield* objects).keys()].toSorted()
})

/** Counts the operations of the owner with this handle, in every state. */
export const operationsOf = Effect.fnUntraced(function* (handle: string) {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`
    select from upload_operations u join owners o on o.id = u.owner_id where o.handle = ${handle}`).length
})

/** Fails unless an effect leaves neither an operation nor an object behind. */
export const leavingNothing = Effect.fnUntraced(function* <A, E, R>(
  { handle }: { readonly handle: string },
  done: Effect.Effect<A, E, R>
) {
  const before = yield* Effect.all([operationsOf(handle), storedKeys])
  const answer = yield* done
  assert.deepStrictEqual(yield* Effect.all([operationsOf(handle), storedKeys]), before)
  return answer
})

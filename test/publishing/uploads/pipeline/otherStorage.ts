import { Context, Effect } from "effect"
import {
  ObjectStorage,
  type StorageUnavailable,
  type ObjectKey
} from "../../../../src/platform/ports/ObjectStorage.ts"
import { freshDatabase } from "../../../support/Database.ts"
import { processOver } from "../../../support/TestClient.ts"
import { within, world } from "../screenings.ts"

/** Builds a process with `change` applied to its object storage. */
export const withStorage = Effect.fnUntraced(function* (
  name: string,
  change: (storage: ObjectStorage["Service"]) => Partial<ObjectStorage["Service"]>
) {
  const shared = yield* world
  const storage = Context.get(shared, ObjectStorage)
  const changed = Context.add(shared, ObjectStorage, ObjectStorage.of({ ...storage, ...change(storage) }))
  return yield* processOver(yield* freshDatabase(name), 1, within(changed))
}, Effect.orDie)

/** Stores an object, put or copied, once this is over, if it does not fail. */
export const storingAfter = (
  storage: ObjectStorage["Service"],
  before: (key: ObjectKey) => Effect.Effect<unknown, StorageUnavailable>
): Pick<ObjectStorage["Service"], "put" | "copy"> => ({
  put: (key, body, options) => Effect.andThen(before(key), storage.put(key, body, options)),
  copy: (from, to) => Effect.andThen(before(to), storage.copy(from, to))
})

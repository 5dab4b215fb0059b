import { Effect, Layer } from "effect"
import { ObjectStorage, StorageUnavailable } from "../../../../src/platform/ports/ObjectStorage.ts"
import type { Uploader } from "../../../support/actors/uploader.ts"
import { database } from "../../../support/Database.ts"
import { service, TestClient, type TestAnswer } from "../../../support/TestClient.ts"

/** The folders of the store that are unavailable. */
const away = new Set<string>()

const storage = Layer.effect(
  ObjectStorage,
  Effect.map(ObjectStorage, (it) =>
    ObjectStorage.of({
      ...it,
      put: (key, body, options) =>
        away.has(key.split("/")[0]!)
          ? Effect.fail(new StorageUnavailable({ operation: "put", cause: new Error("away") }))
          : it.put(key, body, options),
      copy: (from, to) =>
        away.has(to.split("/")[0]!)
          ? Effect.fail(new StorageUnavailable({ operation: "copy", cause: new Error("away") }))
          : it.copy(from, to)
    })
  )
)
/** Runs an effect while a folder of the store is unavailable. */
export const whileAway = <A, E, R>(folder: string, effect: Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => away.add(folder)),
    () => effect,
    () => Effect.sync(() => away.clear())
  )

/** Builds the service with a store whose folders may be unavailable. */
export const failing = (name: string) =>
  service(database(name), 1, { changePorts: (ports) => Layer.provideMerge(storage, ports) })

/** Follows the recovery URL of an uncertain answer. Returns the operations found there. */
export const recovered = Effect.fnUntraced(function* (author: Uploader, { body }: TestAnswer) {
  const client = yield* TestClient
  const found = yield* client.send("GET", body.recovery.statusUrl, { token: author.key })
  return found.body.operations.map(({ safety }: TestAnswer["body"]) => safety)
})

import { randomFillSync } from "node:crypto"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Stream } from "effect"
import { AccountExports } from "../../../src/engagement/account-export/AccountExports.ts"
import { ObjectStorage } from "../../../src/platform/ports/ObjectStorage.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { soak } from "../../support/soak.ts"
import { service } from "../../support/TestClient.ts"
import { insertPictures, insertPosts } from "./manyThings.ts"

const MEBIBYTE = 1024 * 1024
const PICTURE_BYTES = 2 * MEBIBYTE
const POSTS = soak(2_000, 10_000)
const PICTURES = soak(128, 512)

setFlagsFromString("--expose-gc")
const collectGarbage: () => void = runInNewContext("gc")

/** Bytes in use, after a collection of garbage, in MiB. */
const memoryInUse = () => {
  collectGarbage()
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return (arrayBuffers + heapUsed) / MEBIBYTE
}

/** Bytes of the archive between two looks at the memory. */
const LOOK = 32 * MEBIBYTE

let made = 0

/** A store that makes each picture when it is read. */
const storage = Layer.effect(
  ObjectStorage,
  Effect.map(ObjectStorage, (unchanged) => ({
    ...unchanged,
    read: () =>
      Effect.sync(() => {
        const bytes = new Uint8Array(PICTURE_BYTES)
        randomFillSync(bytes, 0, 1024)
        new DataView(bytes.buffer).setUint32(2000, ++made)
        return bytes
      })
  }))
)

const world = service(database("test_account_export_large"), 1, {
  changePorts: (ports) => Layer.provideMerge(storage, ports) as typeof ports
})

layer(world, { timeout: "5 minutes" })("the export of a large account", (it) => {
  it.effect(
    "Thousands of posts and hundreds of megabytes pass in flat memory",
    () =>
      Effect.gen(function* () {
        const id = yield* insertOwner(1)
        yield* insertPosts(id, 1, POSTS, 400)
        yield* insertPictures(id, 1, PICTURES)
        const exports = yield* AccountExports
        const { body } = yield* exports.open(sessionOf(id))
        const before = memoryInUse()
        const delay = monitorEventLoopDelay({ resolution: 5 })
        delay.enable()
        let bytes = 0
        let looked = 0
        let most = before
        yield* Stream.runForEach(body, (piece) =>
          Effect.sync(() => {
            bytes += piece.length
            if (bytes - looked < LOOK) return
            looked = bytes
            most = Math.max(most, memoryInUse())
          })
        )
        delay.disable()
        assert.strictEqual(made, PICTURES)
        assert.isAbove(bytes, PICTURES * PICTURE_BYTES)
        yield* Effect.logInfo(
          `${POSTS} posts, ${Math.round(bytes / MEBIBYTE)} MiB: ${Math.round(most - before)} MiB more, ` +
            `event loop p99 ${Math.round(delay.percentile(99) / 1e6)} ms`
        )
        // A few pictures, and the names of all files.
        assert.isBelow(most - before, 50)
      }),
    280_000
  )
})

import { createHash } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as OffloadThreads from "../../../layers/threads/OffloadThreads.ts"
import { OwnerId } from "../../../schemas/platform/Ids.ts"
import { makeArchiveReader } from "../../../src/publishing/archives/archiveReader.ts"
import { recordedTasks } from "../../support/recordedTasks.ts"
import { zipOf } from "./makeZip.ts"

const owner = OwnerId.make("01890000-0000-7000-8000-000000000001")
const of = (bytes: number) => Uint8Array.from(zipOf([{ name: "a", content: new Uint8Array(bytes) }]))
const small = of(1_000)
const large = of(100_000)
const sha256Of = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

const read = Effect.fnUntraced(function* (bytes: Uint8Array) {
  return yield* Effect.result((yield* makeArchiveReader)(owner, bytes))
})

const codeOf = (result: Result.Result<unknown, { readonly code: string }>) =>
  Result.isFailure(result) ? result.failure.code : "accepted"

describe("reading an archive", () => {
  it.effect("A small archive is read directly, and a larger one in the threads of its owner", () => {
    const keys: Array<string> = []
    return Effect.gen(function* () {
      for (const bytes of [small, large])
        assert.deepStrictEqual(Result.getOrThrow(yield* read(bytes)), { sha256: sha256Of(bytes) })
      assert.deepStrictEqual(keys, [owner])
      for (const bytes of [small, large])
        assert.strictEqual(codeOf(yield* read(bytes.slice(0, -1))), "ambiguous")
    }).pipe(Effect.provide(recordedTasks(keys)))
  })

  it.effect("An archive that takes too long is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual(codeOf(yield* read(large)), "too_many_files")
    }).pipe(Effect.provide(recordedTasks([], true)))
  )

  it.live("A thread gives the same answers, also for bytes that the threads share", () =>
    Effect.gen(function* () {
      const shared = new Uint8Array(new SharedArrayBuffer(large.length + 1), 1)
      shared.set(large)
      for (const bytes of [large, shared]) {
        assert.deepStrictEqual(Result.getOrThrow(yield* read(bytes)), { sha256: sha256Of(large) })
        assert.strictEqual(codeOf(yield* read(bytes.subarray(0, -1))), "ambiguous")
      }
      assert.strictEqual(large.length, shared.length)
    }).pipe(Effect.provide(OffloadThreads.layer()))
  )
})

import { createHash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import * as DigestNode from "../../../layers/crypto/DigestNode.ts"

layer(DigestNode.layer)("digests", (it) => {
  it.effect.each([0, 1, 2_097_152, 2_097_153, 5_000_000])("A digest of %i bytes is that of Node", (length) =>
    Effect.gen(function* () {
      const { digest, digestHex } = yield* Digest.Digest
      const data = Uint8Array.from({ length }, (_, index) => index % 251)
      const expected = createHash("sha256").update(data).digest("hex")
      assert.strictEqual(yield* digestHex(Digest.sha256, data), expected)
      assert.strictEqual(Buffer.from(yield* digest(Digest.sha256, data)).toString("hex"), expected)
    })
  )

  it.effect("The digest of a long file leaves other work its turns", () =>
    Effect.gen(function* () {
      const { digestHex } = yield* Digest.Digest
      let turns = 0
      const count = () => {
        turns++
        timer = setImmediate(count)
      }
      let timer = setImmediate(count)
      yield* digestHex(Digest.sha256, new Uint8Array(16 * 1024 * 1024))
      clearImmediate(timer)
      assert.isAtLeast(turns, 7)
    })
  )
})

import { assert, describe, it } from "@effect/vitest"
import { Option, Redacted, Schema } from "effect"
import * as fc from "fast-check"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { BlockHash, BlockWork, SignedBlock, StateBlock } from "../../../schemas/platform/NanoBlock.ts"
import {
  blockHash,
  isSignedByAccount,
  isWorkEnough,
  WORK_THRESHOLDS,
  workDifficulty,
  workRoot
} from "../../../src/platform/nano/blocks.ts"
import { sign } from "../../../src/platform/nano/signatures.ts"
import { vectors } from "./vectors.ts"

const stateBlock = Schema.decodeUnknownSync(StateBlock)
const signedBlock = Schema.decodeUnknownSync(SignedBlock)
const root = Schema.decodeUnknownSync(BlockHash)

describe("state blocks", () => {
  for (const vector of vectors.blocks) {
    it(`The block ${vector.hash.slice(0, 8)}… has the published hash, signature and work`, () => {
      assert.strictEqual<string>(blockHash(stateBlock(vector.block)), vector.hash)
      if (vector.signatureValid === null || vector.workDifficulty === null) return
      const block = signedBlock(vector.block)
      assert.strictEqual(isSignedByAccount(block), vector.signatureValid)
      assert.isFalse(isSignedByAccount({ ...block, balance: block.balance + 1n }))
      assert.isFalse(isSignedByAccount({ ...block, signature: "nothing" }))
      assert.strictEqual(workDifficulty(workRoot(block), block.work).toString(16), vector.workDifficulty)
    })
  }

  it("A block is signed as in the example of the documentation", () => {
    const { block } = vectors.blocks.find((vector) => vector.deterministicSignatureMatches === true)!
    const privateKey = Redacted.make(Uint8Array.from(Buffer.from(vectors.keys[1]!.privateKey, "hex")))
    const signature = sign(privateKey, Uint8Array.from(Buffer.from(blockHash(stateBlock(block)), "hex")))
    assert.strictEqual(Buffer.from(signature).toString("hex").toUpperCase(), block["signature"])
  })

  it("The first block of an account takes its work over the account's key", () => {
    const block = signedBlock(vectors.blocks[0]!.block)
    const first = { ...block, previous: root("0".repeat(64)) }
    assert.strictEqual(workRoot(block), block.previous)
    assert.strictEqual<string>(workRoot(first), publicKeyOfAddress(block.account).toUpperCase())
  })

  it("A changed block is refused without an exception", () => {
    const good = vectors.blocks[0]!.block
    const read = Schema.decodeUnknownOption(SignedBlock)
    assert.isTrue(Option.isSome(read(good)))
    for (const member of Object.keys(good).filter((name) => name !== "link_as_account")) {
      assert.isTrue(Option.isNone(read({ ...good, [member]: "x" })), member)
      assert.isTrue(Option.isNone(read({ ...good, [member]: 1 })), member)
    }
    fc.assert(fc.property(fc.anything(), (anything) => assert.isTrue(Option.isNone(read(anything)))))
  })
})

describe("proof of work", () => {
  for (const vector of vectors.work) {
    it(`The work ${vector.work} is of difficulty ${vector.difficulty}`, () => {
      const work = BlockWork.make(vector.work)
      assert.strictEqual(workDifficulty(root(vector.root), work).toString(16), vector.difficulty)
      assert.strictEqual(isWorkEnough(root(vector.root), work, "send"), vector.validSend)
      assert.strictEqual(isWorkEnough(root(vector.root), work, "receive"), vector.validReceive)
      assert.strictEqual(isWorkEnough(root(vector.root), work, "epoch1"), vector.validEpoch1)
    })
  }

  it("The thresholds are those of the network", () => {
    assert.deepStrictEqual(
      Object.values(WORK_THRESHOLDS).map((threshold) => threshold.toString(16)),
      ["fffffff800000000", "fffffe0000000000", "ffffffc000000000"]
    )
  })
})

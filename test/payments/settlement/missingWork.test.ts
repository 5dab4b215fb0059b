import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { type BlockHash, BlockWork } from "../../../schemas/platform/NanoBlock.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { workDifficulty } from "../../../src/platform/nano/blocks.ts"
import { WorkMaker, WorkUnavailable } from "../../../src/platform/ports/WorkMaker.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { claimOf, run, sellerOf } from "./paying.ts"

const roots: Array<BlockHash> = []

/** Makes work at the second attempt. */
const secondTime = Layer.succeed(
  WorkMaker,
  WorkMaker.of({
    kind: "server",
    make: Effect.fnUntraced(function* (root, threshold) {
      roots.push(root)
      if (roots.length === 1) return yield* new WorkUnavailable({ reason: "unreachable" })
      for (let nonce = 0n; ; nonce++) {
        const work = BlockWork.make(nonce.toString(16).padStart(16, "0"))
        if (workDifficulty(root, work) >= threshold) return work
      }
    })
  })
)

layer(service(database("test_missing_work"), 1, { changePorts: (ports) => Layer.merge(ports, secondTime) }))(
  "a block without work",
  (it) => {
    it.effect("is settled once a server has made its work", () =>
      Effect.gen(function* () {
        const settlements = yield* Settlements
        const seller = yield* sellerOf(1)
        const payer = yield* payerOf(101)
        yield* payer.fund()
        const claim = yield* claimOf(payer, { ...seller, hasWork: false })
        const { id } = yield* settlements.claim(claim)
        const settled = yield* run(settlements.carryThrough(id))
        assert.strictEqual(settled.state, "settled")
        assert.isTrue((yield* payer.head)?.hash === claim.block.hash)
        assert.deepStrictEqual(roots, [claim.block.previous, claim.block.previous])
      })
    )
  }
)

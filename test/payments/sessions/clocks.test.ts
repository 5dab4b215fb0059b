import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { type LedgerBlock, NanoLedger } from "../../../src/platform/ports/NanoLedger.ts"
import { later } from "../../../src/platform/time/now.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"
import { lookSoon, sale } from "./sessionWorld.ts"

const HOUR = 3_600_000

/** A node whose clock is so far ahead of ours, or behind. */
const wrongBy = (millis: number) => {
  const seen = (block: LedgerBlock): LedgerBlock => ({
    ...block,
    ledgerTime: block.ledgerTime === null ? null : later(block.ledgerTime, millis)
  })
  return Layer.effect(
    NanoLedger,
    Effect.map(NanoLedger, (ledger) =>
      NanoLedger.of({
        ...ledger,
        block: (hash) => Effect.map(ledger.block(hash), Option.map(seen)),
        incoming: (key, since) =>
          Effect.map(ledger.incoming(key, later(since, -millis)), (blocks) => blocks.map(seen))
      })
    )
  )
}

for (const hours of [-1, 1]) {
  const name = hours < 0 ? "behind" : "ahead"
  layer(
    service(database(`test_sessions_clock_${name}`), 1, {
      changePorts: (ports) => Layer.provideMerge(wrongBy(hours * HOUR), ports)
    })
  )(`a node whose clock is an hour ${name}`, (it) => {
    it.effect("A payment that is made immediately is found, and pays its session in time", () =>
      Effect.gen(function* () {
        const { buy, payer } = yield* sale
        const session = yield* buy
        const { hash } = yield* payer.pay(session.payTo, session.amount)
        yield* lookSoon
        const paid = { state: "paid", late: false, matchedBy: "exact", transaction: hash }
        assert.deepInclude(yield* session.now, paid)
      })
    )
  })
}

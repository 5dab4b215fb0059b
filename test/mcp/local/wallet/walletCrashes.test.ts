import { layer } from "@effect/vitest"
import { Effect } from "effect"
import { serviceBehindWire } from "../localEdition.ts"
import { crashed } from "./crashingWallet.ts"

/** Acts of a send: lease, head, plan; then lease, block on the disk, block to the ledger, its end. */
const FROM_THE_DISK_ON = [5, 6, 7]

layer(serviceBehindWire("test_mcp_local_wallet_crash"))("a wallet whose process loses its power", (it) => {
  it.effect("A send that ends around its block moves the money once", () =>
    Effect.gen(function* () {
      for (const last of FROM_THE_DISK_ON) {
        for (const moment of ["before", "after"] as const) yield* crashed("send", last, moment)
      }
    })
  )
})

import { Effect } from "effect"
import type { WalletStatus } from "../../../../schemas/mcp/local/coreTools.ts"
import { type NanoAddress, xnoOfRaw } from "../../../../schemas/platform/Nano.ts"
import { NanoProvider } from "../ports/NanoProvider.ts"
import { StateStore } from "../ports/StateStore.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { readIdentity } from "../state/identity.sql.ts"
import { walletOf } from "./wallet.ts"

/** Time for a look at the ledger, which must not keep a report waiting. */
const LOOK_MILLIS = 5_000

const NO_AMOUNTS = { balanceRaw: null, balanceXno: null, receivableRaw: null, receivableXno: null } as const

/**
 * Makes the report on the wallet of the identity. The wallet of this directory exists from the first step of its setup
 * on; that of another identity is elsewhere.
 */
export const makeWalletReport = Effect.gen(function* () {
  const store = yield* StateStore
  const provider = yield* NanoProvider

  const address = store.read((tx) => {
    const seed = readCredential(tx, "wallet-seed")?.value
    return Effect.succeed(
      seed === undefined
        ? ((readIdentity(tx)?.walletAddress ?? null) as NanoAddress | null)
        : walletOf(seed).account
    )
  })

  const observed = Effect.fnUntraced(function* (account: NanoAddress) {
    const [head, waiting] = yield* Effect.all([provider.account(account), provider.receivable(account)], {
      concurrency: 2
    })
    const balanceRaw = head?.balanceRaw ?? 0n
    const receivableRaw = waiting.reduce((sum, { amountRaw }) => sum + amountRaw, 0n)
    return {
      address: account,
      status: head === undefined ? "not-opened" : "opened",
      balanceRaw: balanceRaw.toString(),
      balanceXno: xnoOfRaw(balanceRaw),
      receivableRaw: receivableRaw.toString(),
      receivableXno: xnoOfRaw(receivableRaw)
    } satisfies WalletStatus
  })

  const report = Effect.gen(function* () {
    const account = yield* address
    if (account === null) return null
    return yield* Effect.timeout(observed(account), LOOK_MILLIS).pipe(
      Effect.catch((error) => {
        const isUnnamed = "code" in error && error.code === "nano-provider-not-configured"
        const status = isUnnamed ? "not-configured" : "unavailable"
        return Effect.succeed<WalletStatus>({ address: account, status, ...NO_AMOUNTS })
      })
    )
  })
  return { report }
})

import { Effect, Redacted } from "effect"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { publicKeyOfAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { BlockHash } from "../../../schemas/platform/NanoBlock.ts"
import { StateStore } from "../../../src/mcp/local/ports/StateStore.ts"
import { saveTokens } from "../../../src/mcp/local/service/Sessions.ts"
import { saveCredential } from "../../../src/mcp/local/state/credentials.sql.ts"
import { insertGrant } from "../../../src/mcp/local/state/grants.sql.ts"
import { saveIdentity } from "../../../src/mcp/local/state/identity.sql.ts"
import { saveMeta } from "../../../src/mcp/local/state/meta.sql.ts"
import { sumsOf } from "../../../src/mcp/local/state/reservations.sql.ts"
import { signMessage, walletOf } from "../../../src/mcp/local/wallet/wallet.ts"
import { signedBlock } from "../../support/actors/payer.ts"
import { BASE_URL, TestClient } from "../../support/TestClient.ts"

const NOTHING = BlockHash.make("0".repeat(64))

/** Gives a wallet of the faucet's money, which it receives with its first block; for 0, it has no block. */
export const funded = Effect.fnUntraced(function* (seed: Redacted.Redacted, amountRaw: bigint) {
  const { book } = yield* NanoLedgerMemory
  const wallet = walletOf(seed)
  const key = publicKeyOfAddress(wallet.account)
  if (amountRaw === 0n) return
  yield* book.faucet(key, amountRaw)
  const [sent] = yield* book.receivable(key, 1)
  if (sent === undefined) return yield* Effect.die("the faucet sent nothing")
  const { account } = wallet
  yield* book.process(
    signedBlock(wallet, {
      type: "state",
      account,
      representative: account,
      previous: NOTHING,
      balance: amountRaw,
      link: sent.hash
    })
  )
})

/** Makes a state directory's identity one of a local wallet, as a finished setup leaves it, with a named provider. */
export const localBuyer = Effect.fnUntraced(function* (
  number: number,
  options: { readonly balanceRaw?: bigint } = {}
) {
  const client = yield* TestClient
  const store = yield* StateStore
  const seed = Redacted.make(number.toString(16).padStart(64, "0"))
  const wallet = walletOf(seed)
  yield* funded(seed, options.balanceRaw ?? 10n * RAW_PER_XNO)
  const { body: challenge } = yield* client.send("POST", "/api/v1/auth/nano/challenge", {
    body: { account: wallet.account }
  })
  const { body: pair } = yield* client.send("POST", "/api/v1/auth/nano/claim", {
    body: {
      challengeId: challenge.challengeId,
      account: wallet.account,
      signature: signMessage(wallet, challenge.message)
    }
  })
  const { body: me } = yield* client.send("GET", "/api/v1/me", { token: pair.accessToken })
  const identity = {
    ownerId: me.owner.id as string,
    profileId: me.owner.id as string,
    handle: me.owner.handle as string,
    method: "local-nano" as const,
    walletAddress: wallet.account
  }
  yield* store.write((tx) =>
    Effect.sync(() => {
      saveIdentity(tx, identity)
      saveCredential(tx, "wallet-seed", { value: seed, keyId: null, expiresAt: null })
      saveTokens(tx, pair)
      saveMeta(tx, "nano-rpc", "http://127.0.0.1:1")
    })
  )
  return { ...identity, wallet, accessToken: pair.accessToken as string }
})

/** Gives the permission to spend, as a person does in a terminal. */
export const allowed = Effect.fnUntraced(function* (
  identity: { readonly ownerId: string; readonly profileId: string },
  limits: {
    readonly maxTotalRaw: bigint
    readonly maxEachRaw?: bigint
    readonly days?: number
    readonly id?: string
  }
) {
  const store = yield* StateStore
  const id = limits.id ?? "a-grant"
  yield* store.write((tx) =>
    Effect.sync(() =>
      insertGrant(tx, {
        id,
        kind: "spending",
        origin: BASE_URL,
        ownerId: identity.ownerId,
        profileId: identity.profileId,
        postId: null,
        revision: null,
        digest: null,
        workflow: "buy_post",
        maxTotalRaw: limits.maxTotalRaw,
        maxEachRaw: limits.maxEachRaw ?? limits.maxTotalRaw,
        expiresAt: tx.now + (limits.days ?? 1) * 86_400_000
      })
    )
  )
  return id
})

/** Returns the sums of a grant. */
export const sumsOfGrant = (id = "a-grant") =>
  StateStore.use((store) => store.read((tx) => Effect.succeed(sumsOf(tx, id))))

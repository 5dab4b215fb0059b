import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { publicKeyOfAddress } from "../../../../schemas/platform/Nano.ts"
import { walletOf } from "../../../../src/mcp/local/wallet/wallet.ts"
import { signed, wallets } from "../../../payments/x402/validPayment.ts"
import { vectors } from "../../../platform/nano/vectors.ts"
import { soak } from "../../../support/soak.ts"
import { TestClient } from "../../../support/TestClient.ts"
import { makeAccount } from "../intents/killing.ts"
import { paid, PRICE } from "../intents/writer.ts"
import { rowsOf, secretOf } from "../stateFile.ts"

const HOUR = 3_600_000

/** In the short form, the next payment follows each third of the changed ones. */
const TURNS = soak(3, 1)

type Block = Readonly<Record<string, string>>

/** A payment on its way: its payload, and a way to sign a changed block with the wallet of the purchase. */
interface Sent {
  readonly payload: any
  readonly block: Block
  readonly resigned: (changes: Partial<Block>) => Block
}

type Change = (sent: Sent) => unknown

const withBlock = ({ payload }: Sent, block: Block) => ({ ...payload, payload: { block } })
const changed =
  (changes: (block: Block) => Partial<Block>): Change =>
  (sent) =>
    withBlock(sent, sent.resigned(changes(sent.block)))
const offered =
  (changes: object): Change =>
  ({ payload }) => ({ ...payload, accepted: { ...payload.accepted, ...changes } })

const plus = (digits: string | undefined, raw: bigint) => String(BigInt(digits ?? "0") + raw)
const NOTHING = "0".repeat(64)
const stranger = wallets.stranger

/** One more than the order of the curve: S + L signs the same, and is no signature that the network takes. */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n
const malleated = (signature: string) => {
  const s = BigInt(`0x${signature.slice(64).match(/../g)?.toReversed().join("")}`) + ORDER
  const hex = s.toString(16).padStart(64, "0").match(/../g)?.toReversed().join("") ?? ""
  return signature.slice(0, 64) + hex.toUpperCase()
}

/** Payments that are not the one that was asked for, each with the codes of the refusals that fit. */
const changes: Readonly<Record<string, readonly [Change, RegExp]>> = {
  "one raw more": [changed(({ balance }) => ({ balance: plus(balance, -1n) })), /amount-mismatch/],
  "one raw less": [changed(({ balance }) => ({ balance: plus(balance, 1n) })), /amount-mismatch/],
  "no raw": [changed(({ balance }) => ({ balance: plus(balance, PRICE) })), /amount-mismatch/],
  "a receive block": [
    changed(({ balance }) => ({ balance: plus(balance, 2n * PRICE) })),
    /amount-mismatch|invalid-block/
  ],
  "another payee": [
    changed(() => ({
      link: publicKeyOfAddress(stranger.account).toUpperCase(),
      link_as_account: stranger.account
    })),
    /invalid-payto/
  ],
  "another payee than it says": [
    changed(() => ({ link: publicKeyOfAddress(stranger.account).toUpperCase() })),
    /invalid-payto|invalid-block/
  ],
  "a change block": [changed(() => ({ link: NOTHING })), /invalid-payto|invalid-block/],
  "no frontier": [changed(() => ({ previous: NOTHING })), /frontier-moved|invalid-block/],
  "an unknown frontier": [changed(() => ({ previous: "A".repeat(64) })), /frontier-moved/],
  "another account": [
    (sent) => {
      const { signature: _, ...block } = sent.block
      return withBlock(sent, signed({ ...block, account: stranger.account }, stranger))
    },
    /wallet-not-opened/
  ],
  "a signature of S + L": [
    (sent) => withBlock(sent, { ...sent.block, signature: malleated(sent.block["signature"] ?? "") }),
    /invalid-signature/
  ],
  "another signature": [
    (sent) => withBlock(sent, { ...sent.block, signature: "0".repeat(128) }),
    /invalid-signature/
  ],
  "an offer of less": [offered({ amount: "1" }), /requirements-mismatch/],
  "an offer of another payee": [offered({ payTo: stranger.account }), /requirements-mismatch/],
  "an offer on another network": [
    offered({ network: "nano:mainnet" }),
    /invalid-network|requirements-mismatch/
  ],
  "another scheme": [offered({ scheme: "upto" }), /unsupported-scheme|requirements-mismatch/],
  "another version": [
    ({ payload }) => ({ ...payload, x402Version: 1 }),
    /invalid-x402-version|invalid-payload/
  ],
  "no payload": [({ payload }) => ({ ...payload, payload: {} }), /invalid-payload|invalid-block/],
  // The short form plays two of the published blocks.
  ...Object.fromEntries(
    vectors.blocks
      .slice(0, soak(2, vectors.blocks.length))
      .map(({ block, hash }) => [
        `the published block ${hash.slice(0, 8)}`,
        [(sent: Sent) => withBlock(sent, block), /./] as const
      ])
  )
}

describe("a payment that is changed on its way to the service", () => {
  it.live(
    "A changed payment is refused, its money is free again, and the next payment is taken",
    () =>
      Effect.gen(function* () {
        const account = yield* makeAccount(60)
        const { client, proxy, writer } = account
        const { directory, stranger: author } = writer
        const wallet = walletOf(Redacted.make(secretOf(directory, "wallet-seed")))
        const { call } = account.started()
        const resigned =
          (block: Block): Sent["resigned"] =>
          (changes) => {
            const { signature: _, ...members } = { ...block, ...changes } as Record<string, string>
            return signed(members, wallet)
          }
        /** Changes the header of each payment, or nothing. */
        const changing = (change: Change | undefined) =>
          proxy.arm({
            moment: "before",
            kill: () => {},
            picked: (_, __, headers) => {
              const header = headers["payment-signature"]
              if (typeof header !== "string" || change === undefined) return false
              const payload = JSON.parse(Buffer.from(header, "base64").toString())
              const { block } = payload.payload
              const other = change({ payload, block, resigned: resigned(block) })
              // The proxy sends the headers on as they are now.
              headers["payment-signature"] = Buffer.from(JSON.stringify(other)).toString("base64")
              return false
            }
          })
        const buy = (id: string) =>
          Effect.promise(() => call("svc_buy_post", { post_id: id, expected_price_raw: String(PRICE) }))

        for (const [nth, [what, [change, code]]] of Object.entries(changes).entries()) {
          const { id } = yield* author
            .published({ ...paid, title: what })
            .pipe(Effect.provideService(TestClient, client))
          const before = yield* writer.wallet
          changing(change)
          const refused = yield* buy(id)
          const [{ text }] = refused.content
          assert.isTrue(refused.isError === true, `${what}: ${text}`)
          const failure = JSON.parse(text)
          assert.match(failure.code, code, what)
          assert.deepStrictEqual(yield* writer.wallet, before, what)
          const state = (operation: string) =>
            rowsOf(directory, "select state from reservations where intent_id = ?", operation)[0]?.["state"]
          assert.strictEqual(state(failure.operationId), "released", what)
          if (nth % TURNS !== 0) continue
          changing(undefined)
          const bought = yield* buy(id)
          assert.isTrue(bought.structuredContent?.purchase.charged, `${what}: ${JSON.stringify(bought)}`)
          const { balanceRaw, blocks } = yield* writer.wallet
          assert.deepStrictEqual([blocks, balanceRaw], [before.blocks + 1, before.balanceRaw - PRICE], what)
          const frontiers = rowsOf(directory, "select frontier from purchases where status = 'settled'")
          assert.lengthOf(new Set(frontiers.map(({ frontier }) => frontier)), frontiers.length)
        }
      }).pipe(Effect.provide(NodeHttpClient.layerUndici)),
    HOUR
  )
})

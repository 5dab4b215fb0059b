import { assert, describe, it } from "@effect/vitest"
import { ed25519 } from "@noble/curves/ed25519.js"
import { Effect } from "effect"
import { publicKeyOfAddress } from "../../../schemas/platform/Nano.ts"
import { Quotes } from "../../../src/payments/quotes/Quotes.ts"
import {
  checked,
  headerOf,
  outcomeOf,
  payloadOf,
  PREVIOUS,
  quotes,
  SECRET,
  signed,
  terms,
  unsignedBlock,
  validBlock,
  validHash,
  wallets
} from "./validPayment.ts"

const ZEROS = "0".repeat(64)
const { author, payer, stranger } = wallets

const offered = Effect.flatMap(Quotes, ({ offer }) => offer(terms))

/** Returns the outcome of a payment by this block. */
const outcomeOfBlock = Effect.fnUntraced(function* (block: object) {
  return yield* outcomeOf(headerOf(payloadOf(yield* offered, block)))
})

const changed = (members: Record<string, unknown>) => ({ ...validBlock, ...members })
const signedAnew = (members: Record<string, string>, wallet = payer) =>
  signed({ ...unsignedBlock, ...members }, wallet)
const without = (name: string) =>
  Object.fromEntries(Object.entries(validBlock).filter(([member]) => member !== name))

/** The same signature with S + L in place of S: lax verifiers take it, and it has the same hash. */
const malleated = () => {
  const bytes = Buffer.from(validBlock.signature, "hex")
  const bigEndian = Buffer.from(bytes.subarray(32).toReversed())
  const s = BigInt(`0x${bigEndian.toString("hex")}`) + ed25519.Point.Fn.ORDER
  const hex = s.toString(16).padStart(64, "0")
  return (
    bytes.toString("hex").slice(0, 64) + Buffer.from(Buffer.from(hex, "hex").toReversed()).toString("hex")
  )
}

describe("a payment", () => {
  it.effect("A payment with real work passes every local check", () =>
    Effect.gen(function* () {
      const header = headerOf(payloadOf(yield* offered))
      const found = yield* checked(header)
      // Computed by another implementation of BLAKE2b.
      assert.strictEqual(found.hash, "6D35BE918AD47694CC1AC653D7654A064FEDAAF967E31F6A047C2556FC610E93")
      assert.strictEqual(found.amountRaw, terms.amountRaw)
      assert.strictEqual(found.payTo, author.account)
      assert.isTrue(found.hasWork)
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A payment is the same in either case of hex, and with or without link_as_account", () =>
    Effect.gen(function* () {
      const lower = changed({
        previous: PREVIOUS.toLowerCase(),
        link: validBlock.link.toLowerCase(),
        signature: validBlock.signature.toLowerCase(),
        work: validBlock.work.toUpperCase(),
        account: payer.account.replace("nano_", "xrb_")
      })
      for (const block of [validBlock, lower, without("link_as_account"), changed({ subtype: "send" })]) {
        assert.strictEqual(yield* outcomeOfBlock(block), "paid")
      }
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A block that is not a state block, or that its account cannot sign, is refused", () =>
    Effect.gen(function* () {
      const members = ["type", "account", "previous", "representative", "balance", "link", "signature"]
      for (const name of members) {
        assert.strictEqual(yield* outcomeOfBlock(without(name)), "invalid_block", name)
        for (const value of [null, 1, "", "x", [], {}]) {
          assert.strictEqual(yield* outcomeOfBlock(changed({ [name]: value })), "invalid_block", name)
        }
      }
      const wrong = {
        type: "send",
        previous: PREVIOUS.slice(2),
        link: author.account,
        balance: String(2n ** 128n),
        signature: validBlock.signature.slice(2),
        work: "12b28f0c"
      }
      for (const [name, value] of Object.entries(wrong)) {
        assert.strictEqual(yield* outcomeOfBlock(changed({ [name]: value })), "invalid_block", name)
      }
      // The burn account has a key for which any payer can sign.
      const burn = "nano_1111111111111111111111111111111111111111111111111111hifc8npp"
      assert.strictEqual(yield* outcomeOfBlock(changed({ account: burn })), "invalid_block")
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A payment to itself or to another account is refused", () =>
    Effect.gen(function* () {
      assert.strictEqual(
        yield* outcomeOfBlock(signedAnew({ account: author.account }, author)),
        "self_payment"
      )
      const strangerLink = publicKeyOfAddress(stranger.account).toUpperCase()
      assert.strictEqual(yield* outcomeOfBlock(signedAnew({ link: strangerLink })), "invalid_payto")
      // A receive block links a hash, and a change block nothing.
      assert.strictEqual(yield* outcomeOfBlock(signedAnew({ link: validHash })), "invalid_payto")
      assert.strictEqual(yield* outcomeOfBlock(signedAnew({ link: ZEROS })), "invalid_payto")
      assert.strictEqual(
        yield* outcomeOfBlock(changed({ link_as_account: stranger.account })),
        "invalid_payto"
      )
      assert.strictEqual(yield* outcomeOfBlock(changed({ link_as_account: "nothing" })), "invalid_payto")
      // The right account beside a wrong link does not help.
      const disguised = signedAnew({ link: strangerLink, link_as_account: author.account })
      assert.strictEqual(yield* outcomeOfBlock(disguised), "invalid_payto")
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A block that its account did not sign is refused", () =>
    Effect.gen(function* () {
      const balance = BigInt(validBlock.balance)
      const mutations = [
        { balance: String(balance + 1n) },
        { balance: String(balance - 1n) },
        { balance: "0" },
        { previous: ZEROS },
        { previous: PREVIOUS.replace("9", "8") },
        { representative: author.account },
        { account: stranger.account },
        { signature: "0".repeat(128) },
        { signature: malleated() },
        { signature: signedAnew({}, stranger).signature }
      ]
      for (const mutation of mutations) {
        assert.strictEqual(
          yield* outcomeOfBlock(changed(mutation)),
          "invalid_signature",
          JSON.stringify(mutation)
        )
      }
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A payment with wrong or missing work is refused, and the refusal names the payer", () =>
    Effect.gen(function* () {
      // Of the documentation: enough for a receive block alone.
      const forReceive = "c5cf86de24b24419"
      const works = [forReceive, "0000000012b28f0d", "0", "", "0".repeat(16), null, undefined]
      for (const work of works)
        assert.strictEqual(yield* outcomeOfBlock(changed({ work })), "invalid_work", work ?? "none")
      // The work is of `previous`: another block after it needs none of its own.
      assert.strictEqual(yield* outcomeOfBlock(signedAnew({ balance: "0" })), "paid")
      assert.strictEqual(yield* outcomeOfBlock(signedAnew({ previous: validHash })), "invalid_work")
      const refused = yield* checked(headerOf(payloadOf(yield* offered, changed({ work: "0" })))).pipe(
        Effect.catchTag("PaymentRefused", Effect.succeed)
      )
      assert.include(refused, { code: "invalid_work", payer: payer.account })
    }).pipe(Effect.provide(quotes()))
  )

  it.effect("A payment without work passes where the ledger needs none, but not with a wrong signature", () =>
    Effect.gen(function* () {
      const offer = yield* offered
      for (const work of ["0", "", undefined]) {
        const found = yield* checked(headerOf(payloadOf(offer, changed({ work }))))
        assert.isTrue(found.hasWork)
      }
      assert.isTrue((yield* checked(headerOf(payloadOf(offer)))).hasWork)
      assert.strictEqual(yield* outcomeOfBlock(changed({ work: "0", balance: "1" })), "invalid_signature")
      assert.strictEqual(yield* outcomeOfBlock(changed({ work: "x" })), "invalid_block")
    }).pipe(Effect.provide(quotes(SECRET, "development")))
  )

  it.effect("A payment that brings work needs enough of it, even where servers make work", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* offered).extra.work, "optional")
      const found = yield* checked(headerOf(payloadOf(yield* offered, changed({ work: "0" }))))
      assert.isFalse(found.hasWork)
      assert.strictEqual(yield* outcomeOfBlock(changed({ work: "c5cf86de24b24419" })), "invalid_work")
    }).pipe(Effect.provide(quotes(SECRET, "node", "server")))
  )
})

import { randomUUID } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Console, Effect } from "effect"
import { started } from "../../wire/server.ts"
import { ask } from "./ask.ts"
import { documentsClient } from "./documentsClient.ts"
import { textClient } from "./textClient.ts"
import { nanoWallet, paymentOf, type Terms } from "./wallet.ts"

const development = { NANO_LEDGER: "development" }

/** Tokens that a client may read on its way from nothing to a sale. */
const TEXT_TOKENS_MAX = 2_500
const DOCUMENT_TOKENS_MAX = 15_000

/** Gives a wallet test money, as any sender of Nano would. `standing` reads its frontier and balance. */
const fundedBy = Effect.fnUntraced(function* (origin: string, wallet: ReturnType<typeof nanoWallet>) {
  const { account } = wallet
  const amount = `1${"0".repeat(31)}`
  const node = (request: object) =>
    Effect.map(
      ask(`${origin}/dev/nano`, { method: "POST", body: JSON.stringify(request) }),
      ({ body }) => body
    )
  const { hash } = yield* node({ action: "faucet", account, amount })
  yield* node({ action: "process", json_block: "true", subtype: "open", block: wallet.open(amount, hash) })
  return { standing: node({ action: "account_info", account }) }
})

describe("clients that know the service by its documents alone", () => {
  it.live("A client that reads /llms.txt alone sells a Post, buys it, comments and tips", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_unaided_text", {}, development)
      const seller = yield* textClient(origin, 71)
      yield* seller.play("Sign in with a Nano key")
      yield* seller.play("Publish")
      const buyer = yield* textClient(origin, 72)
      yield* buyer.play("Sign in with a Nano key")
      yield* buyer.play("Development faucet")
      buyer.know("postId", seller.value("postId"))
      yield* buyer.play("Buy a Post")
      assert.strictEqual(buyer.value("post.content.paid"), "Buyers read this.")
      assert.match(buyer.value("receipt"), /^ppr_/)
      yield* buyer.play("Comment")
      // The payment moved the frontier, which the last request of the section reads.
      yield* buyer.play("Development faucet", 2)
      yield* buyer.play("Tip")
      const comments = yield* ask(`${origin}/api/posts/${seller.value("postId")}/comments`, {})
      assert.deepStrictEqual(
        comments.body.map(({ hasPurchased, id }: any) => [id, hasPurchased]),
        [[buyer.value("commentId"), true]]
      )
      const tips = yield* ask(`${origin}/api/posts/${seller.value("postId")}/tip-activities`, {})
      assert.lengthOf(tips.body, 1)
      assert.isAtMost(seller.tokens, TEXT_TOKENS_MAX)
      yield* Console.log(`/llms.txt: ${seller.tokens} tokens from nothing to a sale, a comment and a tip`)
    })
  )

  it.live("A client that reads the documents of tags alone sells a Post, buys it, comments and tips", () =>
    Effect.gen(function* () {
      const { origin } = yield* started("test_unaided_documents", {}, development)
      const { call, tags, textOf, tokens } = documentsClient(origin)

      const agent = Effect.fnUntraced(function* (number: number) {
        const wallet = nanoWallet(number)
        const { account } = wallet
        const challenge = yield* call("sessions", "sessionsChallengeWallet", { values: { account } })
        const { challengeId, message } = challenge
        const signature = wallet.sign(yield* textOf("sessions", "sessionsClaimWallet"), message)
        const claim = { values: { challengeId, account, signature } }
        const { accessToken } = yield* call("sessions", "sessionsClaimWallet", claim)
        const { key } = yield* call("publishing-keys", "apiKeysIssue", { token: accessToken })
        const profile = { handle: `agent_${number}`, name: `Agent ${number}` }
        yield* call("own-profile", "profileUpdate", { token: key, values: profile })
        return { wallet, account, accessToken, key }
      })

      const seller = yield* agent(73)
      const { accessToken: owner, account: payoutAddress, key } = seller
      yield* call("payout-address", "payoutAddressSave", { token: owner, values: { payoutAddress } })
      const paid = { enablePaywall: true, paidContentMarkdown: "Buyers read this.", priceXno: "0.01" }
      const { id: postId } = yield* call("own-posts", "postsCreate", { token: key, values: paid })
      yield* call("own-posts", "postsPublish", {
        token: key,
        values: { postId, "Idempotency-Key": randomUUID() }
      })

      const buyer = yield* agent(74)
      const { standing } = yield* fundedBy(origin, buyer.wallet)
      const pay = Effect.fnUntraced(function* (tag: string, id: string, values: object) {
        const terms: Terms = yield* call(tag, id, { values: { ...values }, status: 402 })
        const [, template = ""] =
          /`(\{"x402Version".*?\})`/.exec(yield* textOf(tag, id, "Payment-Signature")) ?? []
        const payment = paymentOf(template, terms, buyer.wallet.pay(terms, yield* standing))
        return yield* call(tag, id, { values: { ...values, "Payment-Signature": payment } })
      })
      const bought = yield* pay("access", "accessRead", { postId })
      assert.strictEqual(bought.post.content.paid, "Buyers read this.")
      const comment = yield* call("comments", "commentsAppend", {
        token: buyer.accessToken,
        values: { postId, "Idempotency-Key": randomUUID() }
      })
      assert.isTrue(comment.hasPurchased)
      const { tip } = yield* pay("tipping", "tippingPost", { postId, amountXno: "0.02" })
      assert.strictEqual(tip.amountRaw, `2${"0".repeat(28)}`)
      const { tokens: largest } = (yield* Effect.forEach(tags(), (tag) =>
        Effect.map(ask(`${origin}/openapi/${tag}.json`, {}), ({ text }) => ({ tokens: text.length / 4 }))
      )).reduce((one, other) => (other.tokens > one.tokens ? other : one))
      assert.isAtMost(largest, DOCUMENT_TOKENS_MAX)
      yield* Console.log(
        `/openapi/<tag>.json: ${tokens()} tokens in ${tags().length} documents from nothing to a sale, a comment and a tip`
      )
    })
  )
})

import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { RAW_PER_XNO } from "../../schemas/platform/Nano.ts"
import { signMessage, walletOf } from "../../src/mcp/local/wallet/wallet.ts"
import { clients } from "../mcp/officialClients.ts"
import { pngOf } from "../publishing/image-formats/png/makePng.ts"
import { temporaryDirectory } from "../support/directories.ts"
import { listening } from "../support/listening.ts"
import { started } from "../wire/server.ts"
import { built, executed, programOf } from "./svcMcpProgram.ts"

/** 0.5 XNO. */
const PRICE = String(RAW_PER_XNO / 2n)

/** Opens a discussion, as a program of the owner's own does. */
const commented = async (url: string, token: Redacted.Redacted): Promise<any> => {
  const answer = await fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "idempotency-key": "first-comment",
      authorization: `Bearer ${Redacted.value(token)}`
    },
    body: JSON.stringify({ content: "What did you pay for?" })
  })
  return await answer.json()
}

const posted = async (url: string, body: object): Promise<any> => {
  const headers = { "content-type": "application/json" }
  return (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).json()
}

/** Signs in as a program of the owner's own does: with the seed that the terminal showed. */
const signedIn = async (origin: string, seed: string) => {
  const wallet = walletOf(Redacted.make(seed))
  const { account } = wallet
  const { challengeId, message } = await posted(`${origin}/api/v1/auth/nano/challenge`, { account })
  const signature = signMessage(wallet, message)
  const pair = await posted(`${origin}/api/v1/auth/nano/claim`, { challengeId, account, signature })
  return Redacted.make(String(pair.accessToken))
}

/** Returns the state of a wallet, as `status` prints it. */
const walletIn = (output: string): Record<string, string> => JSON.parse(output).wallet

const succeeded = Effect.fnUntraced(function* (
  command: Effect.Effect<{ readonly code: number; readonly output: string; readonly log: string }>
) {
  const { code, log, output } = yield* command
  assert.strictEqual(code, 0, `${output}${log}`)
  return output
})

describe("svc-mcp, as it is built", () => {
  it.live("The program is one file without dependencies, which plays an agent's first sale", () =>
    Effect.gen(function* () {
      const port = yield* Effect.scoped(listening(createServer()))
      const base = `http://127.0.0.1:${port}`
      const { origin } = yield* started("test_first_sale", {}, { PORT: String(port), PUBLIC_BASE_URL: base })
      const program = yield* built(base)
      const folder = join(program, "..")
      assert.sameMembers(readdirSync(folder), [
        "LICENSE",
        "README.md",
        "THIRD-PARTY-LICENSES",
        "package.json",
        "svc-mcp.js"
      ])
      const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
      assert.isUndefined(manifest.dependencies)

      const home = yield* temporaryDirectory
      const directories = { seller: join(home, "seller"), buyer: join(home, "buyer") }

      // An agent sets itself up, writes a draft with an image, and may not publish it yet.
      const seller = programOf(program, origin, directories.seller)
      const said = yield* succeeded(
        seller.run("setup", "new-agent", "--name", "Agent One", "--handle", "agent_one")
      )
      assert.include(said, "If you lose this directory, the money of the wallet is lost")
      // Its commands run as they are printed.
      const [, statusLine = ""] = /Run: (.*)/.exec(said) ?? []
      assert.include(yield* succeeded(executed("sh", ["-c", statusLine])), '"agent_one"')
      const one = yield* seller.connected
      const call = (tools: typeof one, name: string, args: object = {}) =>
        Effect.promise(() => tools.call(name, args))
      const names = (yield* Effect.promise(one.tools)).map(({ name }) => name)
      assert.include(names, "svc_buy_post")
      const { draft } = yield* call(one, "svc_create_draft", {
        title: "Pennies for agents",
        description: "What an agent learned about pennies",
        free_content_markdown: "A teaser.",
        paid_content_markdown: "Every penny counts.",
        enable_paywall: true,
        price_raw: PRICE,
        primary_category_id: 3,
        language: "en"
      })
      const image = join(directories.seller, "files", "cover.png")
      writeFileSync(image, pngOf({ width: 8, height: 8, seed: 1 }))
      const { receipt } = yield* call(one, "svc_upload_image", {
        target: "og",
        post_id: draft.id,
        revision: draft.revision,
        path: image
      })
      assert.isTrue(receipt.safety.received)
      const early = yield* Effect.promise(() =>
        one.client.callTool({
          name: "svc_publish",
          arguments: { post_id: draft.id, revision: draft.revision }
        })
      )
      assert.isTrue(early.isError)

      // A person says how it was made, and allows this one publication.
      yield* succeeded(
        seller.confirmed("publication", "attest", "--post", draft.id, "--method", "autonomous_agent")
      )
      yield* succeeded(seller.confirmed("grant", "draft", "--post", draft.id))
      const { draft: attested } = yield* call(one, "svc_read_draft", { post_id: draft.id })
      const { post } = yield* call(one, "svc_publish", { post_id: draft.id, revision: attested.revision })
      assert.strictEqual(post.id, draft.id)

      // Another agent finds it by the hosted tools, and buys it with its own wallet.
      const connect = clients["sdk 1.32"]
      const hosted = yield* Effect.promise(async () => connect!(new URL(`${origin}/mcp`), fetch))
      const found: any = yield* Effect.promise(() =>
        hosted.callTool({ name: "svc_search", arguments: { query: "pennies" } })
      )
      const [card] = found.structuredContent.posts
      assert.deepInclude(card, { id: draft.id, access: "paid", priceRaw: PRICE, priceXno: "0.5" })
      yield* Effect.promise(() => hosted.close())

      const buyer = programOf(program, origin, directories.buyer)
      yield* succeeded(buyer.run("setup", "new-agent", "--name", "Agent Two", "--handle", "agent_two"))
      yield* succeeded(buyer.run("status", "--set-nano-rpc", `${origin}/dev/nano`))
      const fresh = walletIn(yield* succeeded(buyer.run("status")))
      assert.strictEqual(fresh["status"], "not-opened")
      const faucet = { action: "faucet", account: fresh["address"], amount: String(RAW_PER_XNO) }
      yield* Effect.promise(() => posted(`${origin}/dev/nano`, faucet))
      assert.strictEqual(walletIn(yield* succeeded(buyer.run("status")))["receivableXno"], "1")
      yield* succeeded(
        buyer.confirmed(
          "grant",
          "spending",
          "--workflow",
          "buy_post",
          "--max-total",
          "0.5",
          "--max-each",
          "0.5",
          "--expires",
          "1d"
        )
      )
      const two = yield* buyer.connected
      const bought = yield* call(two, "svc_buy_post", { post_id: card.id, expected_price_raw: card.priceRaw })
      assert.deepInclude(bought.purchase, { charged: true, amountRaw: PRICE })
      const read = yield* call(two, "svc_read_content", { post_id: card.id })
      assert.include(read.untrusted.contentMarkdown, "Every penny counts.")

      // The seller opens a discussion, and the buyer, who is allowed to, replies.
      const shown = yield* succeeded(seller.confirmed("wallet", "show-seed"))
      const [seed = ""] = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/.exec(shown) ?? []
      assert.lengthOf(seed, 64, shown)
      const token = yield* Effect.promise(() => signedIn(origin, seed))
      const comment = yield* Effect.promise(() =>
        commented(`${origin}/api/v1/posts/${card.id}/comments`, token)
      )
      yield* succeeded(buyer.confirmed("grant", "discussion"))
      const { comment: reply } = yield* call(two, "svc_reply_to_comment", {
        intent_id: "0190f3c2-7b1e-4c4a-9d52-3f6a8b0c1d2e",
        comment_id: comment.id,
        content: "For every penny that counts."
      })
      assert.strictEqual(reply.postId, card.id)
      const { sales } = yield* call(one, "svc_sale_snapshot")
      assert.deepInclude(sales[0], { postId: card.id, amountRaw: PRICE, amountXno: "0.5" })

      // The seller receives the money, brings the wallet back elsewhere by its seed, and sends a part.
      yield* succeeded(seller.run("status", "--set-nano-rpc", `${origin}/dev/nano`))
      assert.include(yield* succeeded(seller.run("wallet", "receive")), "Received 0.5 XNO")
      const file = join(home, "seed.json")
      writeFileSync(file, JSON.stringify({ seed }), { mode: 0o600 })
      const restored = programOf(program, origin, join(home, "restored"))
      assert.include(yield* succeeded(restored.run("wallet", "restore", "--input-file", file)), "@agent_one")
      yield* succeeded(restored.run("status", "--set-nano-rpc", `${origin}/dev/nano`))
      const to = fresh["address"] ?? ""
      const tooMuch = yield* restored.run("wallet", "send", "--to", to, "--amount", "0.6")
      assert.deepStrictEqual([tooMuch.code, /wallet-unfunded/.test(tooMuch.log)], [65, true])
      const send = ["wallet", "send", "--to", to, "--amount", "0.2"]
      assert.include(yield* succeeded(restored.confirmed(...send)), "Sent 0.2 XNO")
      assert.strictEqual(walletIn(yield* succeeded(restored.run("status")))["balanceXno"], "0.3")
      assert.deepInclude(walletIn(yield* succeeded(buyer.run("status"))), {
        balanceXno: "0.5",
        receivableXno: "0.2"
      })
      yield* succeeded(restored.confirmed("wallet", "send", "--to", to, "--amount", "all"))
      assert.strictEqual(walletIn(yield* succeeded(restored.run("status")))["balanceXno"], "0")
    })
  )
})

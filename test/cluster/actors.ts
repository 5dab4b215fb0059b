import { Effect, Redacted } from "effect"
import { bookOver } from "../../layers/nano/ledgerBook.ts"
import { makeLedgerStoreSql } from "../../layers/nano/ledgerStoreSql.ts"
import { NanoAddress, publicKeyOfAddress, RAW_PER_XNO } from "../../schemas/platform/Nano.ts"
import { BlockHash } from "../../schemas/platform/NanoBlock.ts"
import { blockHash } from "../../src/platform/nano/blocks.ts"
import { connectionTo } from "../services/uploadClient.ts"
import { authorOf } from "../support/actors/author.ts"
import { access, base64Json, fromBase64, payloadOf } from "../support/actors/buyer.ts"
import { completePost, signMessage, walletOf } from "../support/actors/owner.ts"
import { payerOn, signedBlock } from "../support/actors/payer.ts"
import { pngFile, uploaderOf } from "../support/actors/uploader.ts"
import { TestClient, type TestAnswer } from "../support/TestClient.ts"
import type { Record } from "./record.ts"
import { databaseUrl } from "./topology.ts"

const RETRY_MILLIS = 200

const isUnsure = (status: number) => status === 0 || status === 429 || status >= 500

/** Sends the same request again, as clients do, until its fate is known. Dies of an answer with another status. */
const surely = <R>(statuses: ReadonlyArray<number>, send: Effect.Effect<TestAnswer, never, R>) =>
  Effect.repeat(
    Effect.tap(send, ({ status }) => (isUnsure(status) ? Effect.sleep(RETRY_MILLIS) : Effect.void)),
    { while: ({ status }) => isUnsure(status) }
  ).pipe(
    Effect.filterOrElse(
      ({ status }) => statuses.includes(status),
      ({ status, text }) => Effect.die(new Error(`${status} ${text}`))
    )
  )

/** Numbers of people. The database outlives a load, so each load has other ones. */
export const people = () => {
  let next = Date.now() % 2_000_000_000
  return () => next++
}

const forSale = {
  ...completePost,
  paidContentMarkdown: "The **secret** of pennies.",
  enablePaywall: true,
  priceRaw: String(RAW_PER_XNO / 1000n)
}

/** Publishes a post that nothing changes afterwards, so that services keep what it says. Returns its id. */
export const quietPost = Effect.fnUntraced(function* (number: number) {
  const { published } = yield* authorOf(number)
  return (yield* published({ title: "A quiet post" })).id
})

/** Reads what everyone reads: lists that the load changes, and a post that it does not. */
export const reader = Effect.fnUntraced(function* (quiet: string) {
  const client = yield* TestClient
  const post = `/api/posts/${quiet}`
  const paths = ["/api/posts", post, `${post}/public-content`, "/api/categories"]
  let reads = 0
  const step = Effect.suspend(() => client.send("GET", paths[reads++ % paths.length] ?? post))
  return { step }
})

/** Creates posts for sale and publishes them, each with an Idempotency-Key. */
export const author = Effect.fnUntraced(function* (
  number: number,
  published: Array<string>,
  { writes }: Record
) {
  const { create, key, publish } = yield* authorOf(number)
  let posts = 0
  const step = Effect.gen(function* () {
    const title = `Post-${number}-${posts++}`
    const { body } = yield* surely([201], create({ ...forSale, title }, { "idempotency-key": title }))
    writes.push({ kind: "post", at: Date.now(), key, id: body.id, title })
    yield* surely([200], publish(body.id))
    writes.push({ kind: "publication", at: Date.now(), id: body.id, title })
    published.push(body.id)
  })
  return { step }
})

/** Uploads pictures to a post of its own. */
export const photographer = Effect.fnUntraced(function* (number: number, { writes }: Record) {
  const { draft, inline, key } = yield* uploaderOf(number)
  const post = yield* draft()
  let pictures = 0
  const step = Effect.gen(function* () {
    const name = `picture-${number}-${pictures++}`
    const parts = [pngFile(number + pictures)]
    const headers = { "x-upload-target-key": name }
    const upload = surely([200, 202], inline(post, { key: name, parts, headers }))
    // An upload whose file was not received is repeated with the same key.
    const { body } = yield* Effect.repeat(
      Effect.tap(upload, ({ body }) => (body.safety.received ? Effect.void : Effect.sleep(RETRY_MILLIS))),
      { while: ({ body }) => !body.safety.received }
    )
    writes.push({ kind: "image", at: Date.now(), key, status: body.actions.status })
  })
  return { step }
})

/** Signs in, each time with another wallet. */
export const visitor = Effect.fnUntraced(function* (number: () => number, { writes }: Record) {
  const client = yield* TestClient
  const post = (path: string, body: object) => client.send("POST", `/api/v1/auth/nano/${path}`, { body })
  const step = Effect.gen(function* () {
    const wallet = walletOf(number())
    const { account } = wallet
    const { body } = yield* surely([201], post("challenge", { account }))
    const signature = signMessage(wallet, body.message)
    // A challenge is claimed once: a visitor whose answer is lost begins again.
    const claim = yield* post("claim", { challengeId: body.challengeId, account, signature })
    if (claim.status === 200 || claim.status === 201)
      writes.push({ kind: "session", at: Date.now(), refreshToken: claim.body.refreshToken })
  })
  return { step }
})

/** Buys the published posts in their order, each with a block of one wallet on the development ledger. */
export const buyer = Effect.fnUntraced(function* (
  number: number,
  published: ReadonlyArray<string>,
  { writes }: Record
) {
  const { store } = makeLedgerStoreSql(yield* connectionTo(Redacted.make(databaseUrl())))
  const book = bookOver(store, { workThreshold: 0n, confirmAfterMillis: Effect.succeed(500) })
  const payer = payerOn(book, number)
  yield* payer.fund()
  let { block: newest } = yield* Effect.flatMap(payer.head, Effect.fromNullishOr)
  let bought = 0
  const step = Effect.gen(function* () {
    const postId = published[bought]
    if (postId === undefined) return
    const demand = yield* surely([402], access(postId))
    const terms = fromBase64(demand.headers.get("payment-required"))
    const [{ amount, payTo }] = terms.accepts
    const link = BlockHash.make(publicKeyOfAddress(NanoAddress.make(payTo)).toUpperCase())
    const { signature: _, work: __, ...before } = newest
    const next = { ...before, previous: blockHash(before), balance: before.balance - BigInt(amount), link }
    const block = signedBlock(payer.wallet, next, 0n)
    const payment = base64Json(payloadOf(terms, block))
    const { body } = yield* surely([200], access(postId, { payment }))
    newest = block
    bought++
    const { token: receipt } = body.receipt
    writes.push({ kind: "purchase", at: Date.now(), postId, receipt })
  })
  return { step }
})

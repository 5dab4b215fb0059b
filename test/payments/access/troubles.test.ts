import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { onRealClock } from "../../../layers/time/realClock.ts"
import { NanoAddress, publicKeyOfAddress, RAW_PER_XNO } from "../../../schemas/platform/Nano.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { hashOf } from "../../../src/platform/secrets/Secrets.ts"
import { authorOf } from "../../support/actors/author.ts"
import { access, base64Json, fromBase64, payloadOf } from "../../support/actors/buyer.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { readerOf } from "../../support/actors/reader.ts"
import { soak } from "../../support/soak.ts"
import { TestClient } from "../../support/TestClient.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { paidPost, SECRET } from "./paidPost.ts"
import {
  calmLedger,
  crashingWorkers,
  cutOff,
  type Draw,
  makeDraw,
  steadyWorkers,
  troubleLedger
} from "./troubles.ts"

const RUNS = soak(1, 2, 20)
const PURCHASES = soak(16, 100, 400)
const BUYERS = 16
const POSTS = soak(3, 12, 40)
const AT_ONCE = 8
/** Time that passes every 5 milliseconds. More would leave the service no time for its work. */
const STEP_MILLIS = 50
/** Requests of one purchase, at most. Its buyer gives up then, paid or not. */
const REQUESTS_MAX = 25

/** A wallet, which an account pays with if there is a token. */
const buyerOf = Effect.fnUntraced(function* (number: number) {
  const payer = yield* payerOf(number)
  yield* payer.fund(100n * RAW_PER_XNO)
  return { payer, token: number % 4 === 0 ? { token: (yield* readerOf(number)).accessToken } : {} }
})
type Buyer = Effect.Success<ReturnType<typeof buyerOf>>

/** The ledger and the answers as the run leaves them, to compare with the database. */
interface Seen {
  /** Blocks that buyers sent past the service. */
  readonly sentAlone: Set<string>
  /** Blocks for which an answer said that they were charged. */
  readonly charged: Set<string>
}

/** Checks that nothing is under way or settled for a payment that was answered by a 402. */
const isFree = Effect.fnUntraced(function* (payment: string, answer: string) {
  const sql = yield* SqlClient.SqlClient
  const quoteHash = hashOf(Redacted.make(fromBase64(payment).accepted.extra.intentId))
  const rows = yield* sql`select from settlements where quote_hash = ${quoteHash} and state <> 'refused'`
  assert.lengthOf(rows, 0, answer)
})

/** Buys a Post as a client does that meets trouble: a steady one repeats its payment, a naive one signs again. */
const buy = Effect.fnUntraced(function* (
  processes: ReadonlyArray<Context.Context<any>>,
  draw: Draw,
  seen: Seen,
  { payer, token }: Buyer,
  postId: string
) {
  const ledger = yield* NanoLedgerMemory
  const isNaive = draw.percent(30)
  const send = (request: object) =>
    Effect.provideService(
      access(postId, { ...token, ...request }),
      TestClient,
      Context.get(draw.pick(processes), TestClient)
    )
  let payment: string | undefined
  /** Sends another block in the place of the one that is on its way, as wallets that pay elsewhere do. */
  let rival: Effect.Effect<unknown> = Effect.void
  for (let requests = 0; requests < REQUESTS_MAX; requests++) {
    const answer = yield* cutOff(draw, send(payment === undefined ? {} : { payment }))
    if (answer === null || answer.status >= 500) {
      // The answer is lost, or the payment is on its way.
      if (draw.percent(30)) yield* rival
      if (isNaive) payment = undefined
      yield* Effect.sleep(100 + draw.below(500))
      continue
    }
    if (answer.status === 200) {
      assert.strictEqual(answer.body.post.content.paid, SECRET)
      if (answer.body.access.charged) seen.charged.add(answer.body.settlement.transaction.toLowerCase())
      return
    }
    if (answer.status !== 402) {
      // The Post is withdrawn for a while.
      assert.include([404, 410], answer.status, answer.text)
      yield* Effect.sleep(200)
      continue
    }
    if (payment !== undefined) yield* isFree(payment, answer.text)
    const terms = fromBase64(answer.headers.get("payment-required"))
    const [{ amount, payTo }] = terms.accepts
    const block = yield* payer.send(NanoAddress.make(payTo), BigInt(amount))
    payment = base64Json(payloadOf(terms, block))
    rival = Effect.flatMap(payer.send(payer.account, 1n, block.previous), ledger.book.process).pipe(
      Effect.exit
    )
    if (draw.percent(5)) yield* rival
    // Some wallets send the very block past the service.
    if (draw.percent(5)) {
      seen.sentAlone.add(blockHash(block).toLowerCase())
      yield* Effect.exit(ledger.book.process(block))
    }
  }
})

/** Publishes and unpublishes Posts until it is interrupted. */
const withdraw = Effect.fnUntraced(function* (
  author: Effect.Success<ReturnType<typeof authorOf>>,
  draw: Draw,
  posts: ReadonlyArray<string>
) {
  for (let round = 0; ; round++) {
    const post = draw.pick(posts)
    yield* Effect.sleep(300 + draw.below(1000))
    yield* author.unpublish(post)
    yield* Effect.sleep(draw.below(300))
    const { status, text } = yield* author.publish(post, `${post}-${round}`)
    assert.strictEqual(status, 200, text)
  }
})

const openOnes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return (yield* sql`select from settlements where due_at is not null`).length
})

const wrongOnes = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* sql`
    select
      (select count(*)::int from settlements where duplicate) as duplicates,
      (select count(*)::int from (select from settlements where state = 'settled' group by post_id, payer_key
        having count(*) > 1) twice) as paid_twice,
      (select count(*)::int from settlements s where s.state = 'settled'
        and 1 <> (select count(*) from purchases where settlement_id = s.id)) as without_purchase,
      (select count(*)::int from purchases b join settlements s on s.id = b.settlement_id
        where s.state <> 'settled') as without_payment,
      (select deadlocks::int from pg_stat_database where datname = current_database()) as deadlocks`
})

const without = (one: ReadonlySet<string>, ...others: ReadonlyArray<ReadonlySet<string>>) =>
  [...one].filter((hash) => others.every((other) => !other.has(hash)))

/** Compares the blocks of the ledger with the settlements. */
const compare = Effect.fnUntraced(function* (buyers: ReadonlyArray<Buyer>, author: string, seen: Seen) {
  const sql = yield* SqlClient.SqlClient
  const { book } = yield* NanoLedgerMemory
  const onLedger = new Set<string>()
  const settled = new Set<string>()
  const refused = new Set<string>()
  for (const { payer } of buyers) {
    for (const { block, hash } of yield* book.chain(payer.key, 1_000_000))
      if (block.link.toLowerCase() === author) onLedger.add(hash.toLowerCase())
    for (const { hash, state } of yield* sql<{ hash: string; state: string }>`
      select encode(block_hash, 'hex') as hash, state from settlements where payer_key = decode(${payer.key}, 'hex')`)
      (state === "settled" ? settled : refused).add(hash)
  }
  assert.isAbove(settled.size, 0)
  assert.deepStrictEqual(without(settled, onLedger), [], "settled without a block")
  assert.deepStrictEqual(without(onLedger, settled, seen.sentAlone), [], "paid for nothing")
  assert.deepStrictEqual(without(seen.charged, settled), [], "charged without a settlement")
  const refusedAndPaid = [...refused].filter((hash) => onLedger.has(hash) && !seen.sentAlone.has(hash))
  assert.deepStrictEqual(refusedAndPaid, [], "refused and paid")
})

/** Plays one run of purchases in trouble, and checks the end of each. */
const play = Effect.fnUntraced(function* (
  processes: ReadonlyArray<Context.Context<any>>,
  author: Effect.Success<ReturnType<typeof authorOf>>,
  run: number
) {
  const draw = makeDraw(run)
  const posts = yield* Effect.forEach(Array.from({ length: POSTS }), () =>
    Effect.map(author.published(paidPost), ({ id }) => id as string)
  )
  const buyers = yield* Effect.forEach(Array.from({ length: BUYERS }), (_, place) =>
    buyerOf(run * 100 + place)
  )
  const accounts = buyers.map(({ payer }) => payer.key)
  const seen: Seen = { sentAlone: new Set(), charged: new Set() }
  yield* Effect.forEach(
    Array.from({ length: PURCHASES }),
    () => buy(processes, draw, seen, draw.pick(buyers), draw.pick(posts)),
    {
      concurrency: AT_ONCE,
      discard: true
    }
  ).pipe(
    Effect.raceFirst(
      Effect.all(
        [
          troubleLedger(draw, accounts),
          withdraw(author, draw, posts),
          ...processes.map((process) => crashingWorkers(process, draw))
        ],
        { concurrency: "unbounded", discard: true }
      )
    )
  )
  yield* calmLedger(accounts)
  yield* Effect.scoped(
    Effect.gen(function* () {
      yield* Effect.forEach(processes, steadyWorkers)
      for (let waits = 0; waits < 120 && (yield* openOnes) > 0; waits++) yield* Effect.sleep("1 second")
    })
  )
  assert.strictEqual(yield* openOnes, 0, `run ${run}`)
  yield* compare(buyers, publicKeyOfAddress(author.wallet.account), seen)
  assert.deepStrictEqual(yield* wrongOnes, [
    { duplicates: 0, paid_twice: 0, without_purchase: 0, without_payment: 0, deadlocks: 0 }
  ])
})

it.effect(
  "A payment that the ledger has is one purchase despite all failures, and no wallet pays twice",
  () =>
    Effect.gen(function* () {
      const processes = yield* twoAssemblies("test_payments_access_troubles")
      yield* Effect.gen(function* () {
        const author = yield* authorOf(1)
        const clock = yield* TestClock.testClockWith(Effect.succeed)
        for (let run = 1; run <= RUNS; run++) {
          const playing = yield* Effect.forkChild(play(processes, author, run))
          yield* onRealClock(
            Effect.andThen(clock.adjust(STEP_MILLIS), Effect.sleep(5)).pipe(
              Effect.repeat({ while: () => playing.pollUnsafe() === undefined })
            )
          )
          yield* Fiber.join(playing)
        }
      }).pipe(Effect.provide(processes[0]))
    }).pipe(Effect.scoped),
  1_800_000
)

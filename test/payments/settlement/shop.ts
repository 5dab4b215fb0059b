import { assert } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Option, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { NanoLedgerMemory } from "../../../layers/testing/NanoLedgerMemory.ts"
import { PurchaseId } from "../../../schemas/platform/Ids.ts"
import type { SignedBlock } from "../../../schemas/platform/NanoBlock.ts"
import type { Claim } from "../../../src/payments/settlement/claim.sql.ts"
import { Payees } from "../../../src/payments/settlement/Payees.ts"
import type { PaymentTarget } from "../../../src/payments/settlement/PaymentTarget.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { SettlementWorker } from "../../../src/payments/settlement/SettlementWorker.ts"
import { blockHash } from "../../../src/platform/nano/blocks.ts"
import { payerOf, signedBlock } from "../../support/actors/payer.ts"
import type { Reader } from "../../support/actors/reader.ts"
import { passing } from "../../support/passing.ts"
import type { twoAssemblies } from "../../support/twoServices.ts"
import { accruedBy, audit, entriesOf } from "./books.ts"
import { claimWith, PRICE_RAW, run, sellerOf } from "./paying.ts"
import { type Do, PAYERS, type Step } from "./steps.ts"

export const FEE_BPS = 5000

type Processes = Effect.Success<ReturnType<typeof twoAssemblies>>

/** Opens the `number`th shop of a test: an author with two Posts, whose payers, readers and processes follow a script. */
export const openShop = Effect.fnUntraced(function* (
  processes: Processes,
  readers: ReadonlyArray<Reader>,
  number: number
) {
  const [first] = processes
  const ledger = Context.get(first, NanoLedgerMemory)
  const { book } = ledger
  const inFirst = Effect.provide(first)
  const serviceOf = (place: number) => Context.get(processes[place === 0 ? 0 : 1], Settlements)
  const seller = yield* inFirst(sellerOf(number * 100))
  const targets: ReadonlyArray<PaymentTarget & { readonly kind: "purchase" }> = [
    seller.target,
    yield* inFirst(seller.another)
  ]
  const payers = yield* Effect.forEach(Array.from({ length: PAYERS }), (_, place) =>
    inFirst(payerOf(number * 100 + 1 + place))
  )
  for (const it of payers) yield* it.fund(100n * 10n ** 30n)
  const payerAt = (place: number) => payers[place % PAYERS]!
  const buyerAt = (place: number | null) => (place === null ? null : readers[place % readers.length]!.id)

  const claims: Array<Claim> = []
  const requests: Array<Fiber.Fiber<unknown, unknown>> = []
  const missing: Array<SignedBlock> = []
  const workers = new Map<number, Scope.Closeable>()
  let takenRaw = 0n

  const setWorker = Effect.fnUntraced(function* (place: number, works: boolean) {
    const scope = workers.get(place)
    if (works && scope === undefined) {
      const opened = yield* Scope.make()
      workers.set(place, opened)
      yield* Layer.buildWithScope(Layer.fresh(SettlementWorker), opened).pipe(
        Effect.provide(processes[place === 0 ? 0 : 1])
      )
    }
    if (!works && scope !== undefined) {
      workers.delete(place)
      // A stop waits for calls of the ledger, and so needs time.
      yield* run(Scope.close(scope, Exit.void))
    }
  })

  /** Sends a request that claims, and carries the claim as long as it lives. */
  const request = Effect.fnUntraced(function* (place: number, claim: Claim, lives: Do<"buy">["end"]) {
    const service = serviceOf(place)
    const claimed = yield* Effect.option(service.claim(claim))
    if (Option.isNone(claimed)) return
    claims.push(claim)
    if (lives === "left") return
    const fiber = yield* Effect.forkDetach(service.carryThrough(claimed.value.id))
    if (lives === "lives") return void requests.push(fiber)
    yield* TestClock.adjust(Number(lives))
    yield* run(Fiber.interrupt(fiber))
  })

  /** Returns the payee of a quote. A quote is the platform's turn when the fees add up to its amount. */
  const payeeOf = Effect.fnUntraced(function* (place: number, amountRaw: bigint) {
    const payees = Context.get(processes[place === 0 ? 0 : 1], Payees)
    const before = accruedBy(yield* inFirst(entriesOf(seller.ownerId)), FEE_BPS) + takenRaw
    const payee = Option.getOrThrow(yield* payees.of(seller.ownerId, amountRaw))
    const after = accruedBy(yield* inFirst(entriesOf(seller.ownerId)), FEE_BPS) + takenRaw
    if (before === after) assert.strictEqual(payee.role, before >= amountRaw ? "platform" : "author")
    return payee
  })

  /** A payment follows the payer's confirmed frontier, as the checks before the claim demand. */
  const confirmedHead = Effect.fnUntraced(function* (who: (typeof payers)[number]) {
    const head = yield* who.head
    const confirmed = yield* book.confirmedHead(who.key)
    return head !== undefined && Option.exists(confirmed, ({ hash }) => hash === head.hash)
  })

  const claimOfStep = Effect.fnUntraced(function* (
    it: Do<"buy"> | Do<"tip">,
    target: PaymentTarget,
    amountRaw: bigint
  ) {
    const who = payerAt(it.payer)
    if (!(yield* confirmedHead(who))) return
    const { address } = yield* payeeOf(it.at, amountRaw)
    const block = yield* who.send(address, amountRaw)
    const quote = `quote ${number} ${claims.length} ${it.payer}`
    const terms = {
      target,
      payTo: address,
      amountRaw,
      buyerId: buyerAt(it.buyer),
      quote,
      receipt: `receipt of ${quote}`
    }
    yield* request(it.at, claimWith(block, terms), it.end)
  })

  const confirmAll = Effect.gen(function* () {
    for (const { key } of payers)
      for (const { confirmedAt, hash } of (yield* book.chain(key, 10_000)).toReversed())
        if (confirmedAt === null) yield* ledger.confirm(hash)
  })

  const settleConfirmed = Effect.fnUntraced(function* (it: Do<"pay past the flow">) {
    const { hash } = yield* payerAt(it.payer).pay(seller.payTo, PRICE_RAW)
    yield* confirmAll
    const entry = Option.getOrThrow(yield* book.entry(hash))
    const block = {
      ...entry,
      previous: entry.block.previous,
      link: entry.block.link,
      isConfirmed: true,
      ledgerTime: entry.createdAt
    }
    const settling = serviceOf(it.at).settleConfirmed({
      channel: "claim",
      sessionId: null,
      target: targets[it.post]!,
      block,
      amountRaw: PRICE_RAW,
      baseRaw: PRICE_RAW,
      payTo: seller.payTo,
      payoutRevision: 1,
      buyerId: buyerAt(it.buyer),
      late: false,
      version: null,
      receiptHash: null
    })
    // Signatures are deterministic: the block may be that of a claim.
    yield* Effect.ignore(settling)
  })

  /** Claims the block after one that the ledger lacks, as with a node that is behind. */
  const gap = Effect.fnUntraced(function* (it: Do<"gap">) {
    const who = yield* inFirst(payerOf(number * 100 + 50 + missing.length))
    yield* who.fund()
    payers.push(who)
    const lacking = yield* who.send(who.account, 1n)
    const { address } = yield* payeeOf(it.at, PRICE_RAW)
    const to = yield* who.send(address, PRICE_RAW)
    const block = signedBlock(who.wallet, { ...to, balance: to.balance - 1n, previous: blockHash(lacking) })
    missing.push(lacking)
    yield* request(
      it.at,
      claimWith(block, { target: targets[0]!, payTo: address, quote: `gap ${number} ${missing.length}` }),
      "left"
    )
  })

  /** Elects a claimed block in the place of a rival that is not confirmed. */
  const elect = Effect.fnUntraced(function* ({ which }: Do<"elect">) {
    const claim = claims[which % claims.length]
    if (claim === undefined) return
    const chain = yield* book.chain(claim.block.payerKey, 10_000)
    const place = chain.find(({ block }) => block.previous === claim.block.previous)
    if (place !== undefined && place.confirmedAt === null && place.hash !== claim.block.hash)
      yield* ledger.elect(claim.block.block)
  })

  const adopt = Effect.fnUntraced(function* (it: Do<"adopt">) {
    const entries = yield* inFirst(entriesOf(seller.ownerId))
    const anonymous = entries.filter(({ buyer: by, purchase }) => by === null && purchase !== null)
    const chosen = anonymous[it.which % anonymous.length]
    const owner = buyerAt(it.buyer)
    if (chosen === undefined || chosen.purchase === null || owner === null) return
    const isTheirs = yield* serviceOf(it.at).adopt(PurchaseId.make(chosen.purchase), owner)
    const sql = Context.get(first, SqlClient.SqlClient)
    const [row] = yield* sql<{
      readonly buyer_id: string | null
    }>`select buyer_id from purchases where id = ${chosen.purchase}`
    assert.strictEqual(row?.buyer_id, isTheirs ? owner : null)
  })

  const take = Effect.fnUntraced(function* (step: Step) {
    switch (step.do) {
      case "buy":
        return yield* claimOfStep(step, targets[step.post]!, PRICE_RAW)
      case "tip": {
        const target = {
          kind: "tip",
          postId: targets[0]!.postId,
          commentId: null,
          recipientId: seller.ownerId
        } as const
        return yield* claimOfStep(step, target, step.times * PRICE_RAW)
      }
      case "repeat": {
        const claim = claims[step.which % claims.length]
        return claim === undefined ? undefined : yield* request(step.at, claim, step.end)
      }
      case "pay past the flow":
        return yield* settleConfirmed(step)
      case "gap":
        return yield* gap(step)
      case "rival":
        return yield* Effect.asVoid(payerAt(step.payer).pay(payerAt(step.payer).account, 3n))
      case "elect":
        return yield* elect(step)
      case "confirm":
        return yield* confirmAll
      case "fault":
        return yield* ledger.faultNext(step.call, step.fault, step.times)
      case "away":
        return yield* ledger.setAway(step.isAway)
      case "confirm after":
        return yield* ledger.confirmAfter(step.millis)
      case "pass":
        return yield* run(Effect.sleep(step.millis))
      case "worker":
        return yield* setWorker(step.at, step.works)
      case "adopt":
        return yield* adopt(step)
      case "take negative":
        takenRaw += yield* Context.get(processes[step.at === 0 ? 0 : 1], Payees).takeNegative(seller.ownerId)
    }
  })

  /** Ends all mishaps, and waits until every payment has its end. */
  const heal = Effect.gen(function* () {
    yield* ledger.setAway(false)
    yield* ledger.confirmAfter(0)
    for (const block of missing) yield* book.process(block)
    yield* confirmAll
    yield* setWorker(0, true)
    yield* setWorker(1, true)
    const open = Effect.map(inFirst(entriesOf(seller.ownerId)), (entries) =>
      entries.filter(({ state }) => state === "settling")
    )
    yield* passing(
      1000,
      "the end of every payment",
      Effect.map(open, (entries) => entries.length === 0)
    )
    yield* Effect.forEach(requests, (fiber) => run(Fiber.join(fiber)))
    yield* setWorker(0, false)
    yield* setWorker(1, false)
  })

  return {
    take,
    heal,
    audit: Effect.suspend(() =>
      audit(first, {
        author: seller.ownerId,
        accessToken: seller.author.accessToken,
        payTo: seller.payTo,
        feeBps: FEE_BPS,
        takenRaw
      })
    )
  }
})

import { Effect, Option } from "effect"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import type { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { later, now } from "../../platform/time/now.ts"
import type { Doorbell } from "../../platform/work/Doorbells.ts"
import type { makeCommits } from "./commit.ts"
import type { InFlight } from "./inFlight.ts"
import { countEnd } from "./metrics.ts"
import { lacksWork, type makeMissingWork, publishable } from "./missingWork.ts"
import {
  ASKED_LOOK_MILLIS,
  LAPSE_MILLIS,
  LAPSED_EVERY_MILLIS,
  LEASE_MILLIS,
  nextLookMillis,
  WAIT_MILLIS
} from "./pace.ts"
import { type Settlement, settlementOf, type SettlementRow } from "./settlementRow.ts"
import type { settlementStatements } from "./settlements.sql.ts"
import { look, publish, type Verdict, waiting } from "./verdict.ts"

/** Looks of a waiting request: the first comes after half a second. */
const FIRST_LOOK_MILLIS = 500
const LOOK_MILLIS = 1000

interface Carriers {
  readonly repo: Effect.Success<typeof settlementStatements>
  readonly ledger: NanoLedger["Service"]
  readonly commits: Effect.Success<typeof makeCommits>
  readonly inFlight: InFlight
  readonly bell: Doorbell
  /** The bell of settlements whose work is missing. */
  readonly workBell: Doorbell
  readonly missingWork: Effect.Success<typeof makeMissingWork>
}

/** Returns the reason that administrators see for a payment without an outcome. */
const codeOf = (verdict: Verdict) => {
  if (verdict.is === "sent") return "unconfirmed"
  return "code" in verdict ? verdict.code : "work"
}

const isOpen = ({ state }: Pick<Settlement, "state">) => state === "settling" || state === "lapsed"

/** Carries settlements to their end: in the request that claimed them, and in workers. */
export const carrying = ({ bell, commits, inFlight, ledger, missingWork, repo, workBell }: Carriers) => {
  const found = (id: SettlementId) =>
    Effect.flatMap(repo.find(id), (row) => Effect.orDie(Effect.fromOption(row)))

  /** Publishes the block of a row, and returns the verdict of the ledger. */
  const send = Effect.fnUntraced(function* (row: SettlementRow): Effect.fn.Return<Verdict> {
    const ready = lacksWork(row) ? yield* missingWork(row) : publishable(row)
    if (Option.isNone(ready)) return waiting(lacksWork(row) ? "work_unavailable" : "unconfirmed")
    return yield* publish(ledger, row, ready.value.block, ready.value.isWorkOurs)
  })

  /** Looks once, and publishes a block that the ledger does not have. */
  const step = Effect.fnUntraced(function* (row: SettlementRow): Effect.fn.Return<Verdict> {
    const seen = yield* Effect.orElseSucceed(look(ledger, row), () => "unknown" as const)
    if (seen === "confirmed") return { is: "confirmed" }
    if (seen === "missing") return yield* send(row)
    return waiting(seen === "seen" ? "unconfirmed" : "ledger_unavailable")
  })

  /** Saves what a verdict means. Returns the settlement when it has ended. */
  const conclude = Effect.fnUntraced(function* (
    row: SettlementRow,
    verdict: Verdict
  ): Effect.fn.Return<Option.Option<Settlement>> {
    if (verdict.is === "work refused") yield* repo.saveWork(row.id, null)
    if (verdict.is === "waiting" || verdict.is === "sent" || verdict.is === "work refused")
      return Option.none()
    if (verdict.is === "refused" && (yield* repo.refuse(row.id, verdict.code)))
      yield* countEnd(row, "refused")
    const ended = verdict.is === "confirmed" ? yield* commits.settle(row) : settlementOf(yield* found(row.id))
    if (isOpen(ended)) return Option.none()
    yield* inFlight.forget(row.block_hash)
    yield* inFlight.ring(row.block_hash)
    return Option.some(ended)
  })

  const watch = (row: SettlementRow) => inFlight.watch({ blockHash: row.block_hash, payerKey: row.payer_key })

  /** Gives a lease back: a worker goes on at once. */
  const giveBack = (row: SettlementRow, sentAt?: Date) =>
    Effect.gen(function* () {
      const at = yield* now
      if (yield* repo.release(row, at, { at, sentAt })) yield* lacksWork(row) ? workBell.ring : bell.ring
    })

  /** Asks the workers for a look, for a request that waits. Work that is missing takes the time that it takes. */
  const askForLook = Effect.fnUntraced(function* (row: SettlementRow) {
    const at = yield* now
    const before = later(at, -ASKED_LOOK_MILLIS)
    if (lacksWork(row) || row.looked_at === null || row.looked_at > before) return
    if (yield* repo.askForLook(row.id, at, before)) yield* bell.ring
  })

  const awaitEnd = Effect.fn("Settlements.awaitEnd")(function* (id: SettlementId) {
    const deadline = (yield* now).getTime() + WAIT_MILLIS
    for (let wait = FIRST_LOOK_MILLIS; ; wait = LOOK_MILLIS) {
      const row = yield* found(id)
      const left = deadline - (yield* now).getTime()
      if (!isOpen(row) || left <= 0) return settlementOf(row)
      yield* askForLook(row)
      yield* inFlight.news(row.block_hash, Math.min(wait, left), false)
    }
  })

  const carryThrough = Effect.fn("Settlements.carryThrough")(function* (id: SettlementId) {
    const leased = yield* repo.lease(id, later(yield* now, LEASE_MILLIS))
    if (Option.isNone(leased)) return settlementOf(yield* found(id))
    const row = leased.value
    if (lacksWork(row)) {
      // Generating work takes longer than the payer waits, and longer than this lease.
      yield* giveBack(row)
      return yield* awaitEnd(id)
    }
    yield* watch(row)
    let sentAt: Date | undefined
    const take = Effect.fnUntraced(function* (verdict: Verdict) {
      if (verdict.is === "sent") sentAt = yield* now
      return yield* conclude(row, verdict)
    })
    const until = Effect.gen(function* () {
      const sent = yield* take(yield* send(row))
      if (Option.isSome(sent)) return sent.value
      for (let wait = FIRST_LOOK_MILLIS; ; wait = LOOK_MILLIS) {
        yield* inFlight.news(row.block_hash, wait, true)
        const ended = yield* take(yield* step(row))
        if (Option.isSome(ended)) return ended.value
      }
    })
    return yield* until.pipe(
      Effect.timeoutOption(WAIT_MILLIS),
      Effect.onExit((exit) =>
        exit._tag === "Success" && Option.isSome(exit.value) ? Effect.void : giveBack(row, sentAt)
      ),
      Effect.flatMap(
        Option.match({
          onSome: Effect.succeed,
          onNone: () => Effect.map(found(id), settlementOf)
        })
      )
    )
  })

  /** One look of a worker, which holds the lease of the row. */
  const resume = Effect.fn("Settlements.resume")(function* (row: SettlementRow) {
    yield* watch(row)
    const verdict = yield* step(row)
    if (Option.isSome(yield* conclude(row, verdict))) return
    const at = yield* now
    const sentAt = verdict.is === "sent" ? at : undefined
    const looked = { at, sentAt, code: codeOf(verdict) }
    if (row.state === "lapsed")
      return yield* Effect.asVoid(repo.release(row, later(at, LAPSED_EVERY_MILLIS), looked))
    if (at.getTime() - row.created_at.getTime() >= LAPSE_MILLIS)
      return yield* commits.lapse(row, at, later(at, LAPSED_EVERY_MILLIS))
    const age = at.getTime() - (sentAt ?? row.sent_at ?? row.created_at).getTime()
    yield* repo.release(row, later(at, nextLookMillis(age)), looked)
  })

  return { carryThrough, awaitEnd, resume, giveBack }
}

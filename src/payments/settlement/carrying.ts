import { Effect, Option } from "effect"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import type { NanoLedger } from "../../platform/ports/NanoLedger.ts"
import { later, now } from "../../platform/time/now.ts"
import type { Doorbell } from "../../platform/work/Doorbells.ts"
import type { makeCommits } from "./commit.ts"
import type { InFlight } from "./inFlight.ts"
import { countEnd } from "./metrics.ts"
import { lacksWork, type makeMissingWork, publishable } from "./missingWork.ts"
import { LAPSE_MILLIS, LAPSED_EVERY_MILLIS, LEASE_MILLIS, nextLookMillis, WAIT_MILLIS } from "./pace.ts"
import { type Settlement, settlementOf, type SettlementRow } from "./settlementRow.ts"
import type { SettlementsRepo } from "./SettlementsRepo.ts"
import { look, publish, type Verdict, waiting } from "./verdict.ts"

/** Looks of a waiting request: the first comes after half a second. */
const FIRST_LOOK_MILLIS = 500
const LOOK_MILLIS = 1000

interface Carriers {
  readonly repo: SettlementsRepo["Service"]
  readonly ledger: NanoLedger["Service"]
  readonly commits: Effect.Success<typeof makeCommits>
  readonly inFlight: InFlight
  readonly bell: Doorbell
  /** The bell of settlements whose work is missing. */
  readonly workBell: Doorbell
  readonly missingWork: Effect.Success<typeof makeMissingWork>
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
    if (verdict.is === "waiting" || verdict.is === "work refused") return Option.none()
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
  const giveBack = (row: SettlementRow) =>
    Effect.gen(function* () {
      if (yield* repo.release(row, yield* now)) yield* lacksWork(row) ? workBell.ring : bell.ring
    })

  const awaitEnd = Effect.fn("Settlements.awaitEnd")(function* (id: SettlementId) {
    const deadline = (yield* now).getTime() + WAIT_MILLIS
    for (let wait = FIRST_LOOK_MILLIS; ; wait = LOOK_MILLIS) {
      const row = yield* found(id)
      const left = deadline - (yield* now).getTime()
      if (!isOpen(row) || left <= 0) return settlementOf(row)
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
    const until = Effect.gen(function* () {
      const sent = yield* conclude(row, yield* send(row))
      if (Option.isSome(sent)) return sent.value
      for (let wait = FIRST_LOOK_MILLIS; ; wait = LOOK_MILLIS) {
        yield* inFlight.news(row.block_hash, wait, true)
        const ended = yield* conclude(row, yield* step(row))
        if (Option.isSome(ended)) return ended.value
      }
    })
    return yield* until.pipe(
      Effect.timeoutOption(WAIT_MILLIS),
      Effect.onExit((exit) =>
        exit._tag === "Success" && Option.isSome(exit.value) ? Effect.void : giveBack(row)
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
    const code = "code" in verdict ? verdict.code : "work"
    const at = yield* now
    const age = at.getTime() - row.created_at.getTime()
    if (row.state === "lapsed")
      return yield* Effect.asVoid(repo.release(row, later(at, LAPSED_EVERY_MILLIS), code))
    if (age < LAPSE_MILLIS)
      return yield* Effect.asVoid(repo.release(row, later(at, nextLookMillis(row.attempts, age)), code))
    yield* commits.lapse(row, at, later(at, LAPSED_EVERY_MILLIS))
  })

  return { carryThrough, awaitEnd, resume, giveBack }
}

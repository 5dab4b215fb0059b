import { Effect, Option } from "effect"
import type { SettlementId } from "../../../schemas/platform/Ids.ts"
import { later, now } from "../../platform/time/now.ts"
import type { Doorbell } from "../../platform/work/Doorbells.ts"
import type { makeCommits } from "./commit.ts"
import { countEnd } from "./metrics.ts"
import type { SentBlocks } from "./sentBlocks.ts"
import { type Event, isOpen, lacksWork, LEASE_MILLIS, transition, type Verdict } from "./settlement.ts"
import { type Settlement, settlementOf, type SettlementRow } from "./settlementRow.ts"
import { settlementStatements } from "./settlements.sql.ts"
import { makeVerdicts } from "./verdicts.ts"

/** A request waits for the end of a settlement this long: many clients wait no longer. */
const WAIT_MILLIS = 10_000
/** Looks of a waiting request: the first comes after half a second. */
const FIRST_LOOK_MILLIS = 500
const LOOK_MILLIS = 1000

interface Surroundings {
  readonly commits: Effect.Success<typeof makeCommits>
  readonly sentBlocks: SentBlocks
  readonly bell: Doorbell
  /** The bell of settlements whose work is missing. */
  readonly workBell: Doorbell
}

/** Makes the functions that bring settlements to their outcome: in the request that claimed them, and in workers. */
export const makeOutcomes = Effect.fnUntraced(function* ({
  bell,
  commits,
  sentBlocks,
  workBell
}: Surroundings) {
  const repo = yield* settlementStatements
  const verdicts = yield* makeVerdicts

  const found = (id: SettlementId) =>
    Effect.flatMap(repo.find(id), (row) => Effect.orDie(Effect.fromOption(row)))

  /**
   * Writes what an event changes. Returns the settlement if it has ended. Another process may have been faster, so each
   * statement compares the state once more, and the row is read again.
   */
  const apply = Effect.fnUntraced(function* (
    row: SettlementRow,
    event: Event
  ): Effect.fn.Return<Option.Option<Settlement>> {
    const change = transition(row, event)
    if (change === undefined) return Option.none()
    switch (change.to) {
      case "settled":
        return yield* end(row, yield* commits.settle(row))
      case "refused":
        if (yield* repo.refuse(row.id, change.code)) yield* countEnd(row, "refused")
        return yield* end(row, settlementOf(yield* found(row.id)))
      case "lapsed":
        yield* commits.lapse(row, change.at, change.dueAt)
        return Option.none()
      case "due":
        if ((yield* repo.release(row, change.dueAt, change.look)) && change.dueAt <= change.look.at)
          yield* lacksWork(row) ? workBell.ring : bell.ring
        return Option.none()
      case "asked":
        if (yield* repo.askForLook(row.id, change.at, change.lookedBefore)) yield* bell.ring
        return Option.none()
      case "without_work":
        yield* repo.saveWork(row.id, null)
        return Option.none()
    }
  })

  /** Wakes those who wait for a settlement that has ended, and returns it. */
  const end = Effect.fnUntraced(function* ({ block_hash }: SettlementRow, settlement: Settlement) {
    if (isOpen(settlement)) return Option.none<Settlement>()
    yield* sentBlocks.forget(block_hash)
    yield* sentBlocks.ring(block_hash)
    return Option.some(settlement)
  })

  const watch = (row: SettlementRow) =>
    sentBlocks.watch({ blockHash: row.block_hash, payerKey: row.payer_key })

  /** Gives a lease back: a worker goes on at once. */
  const giveBack = (row: SettlementRow, sentAt?: Date) =>
    Effect.flatMap(now, (at) => Effect.asVoid(apply(row, { type: "given_back", at, sentAt })))

  /**
   * Prolongs the lease of a row as long as it is worked on. Without this sign of life another process soon goes on. A
   * statement that was sent is waited for, because it must not come after the one that ends the lease.
   */
  const underLease = <A>(row: SettlementRow, work: Effect.Effect<A>) => {
    const prolong = Effect.uninterruptible(
      Effect.flatMap(now, (at) => repo.prolong(row, at, later(at, LEASE_MILLIS)))
    )
    return Effect.raceFirst(work, Effect.forever(Effect.andThen(Effect.sleep(LEASE_MILLIS / 3), prolong)))
  }

  const awaitEnd = Effect.fn("Settlements.awaitEnd")(function* (id: SettlementId) {
    const deadline = (yield* now).getTime() + WAIT_MILLIS
    for (let wait = FIRST_LOOK_MILLIS; ; wait = LOOK_MILLIS) {
      const row = yield* found(id)
      const at = yield* now
      const left = deadline - at.getTime()
      if (!isOpen(row) || left <= 0) return settlementOf(row)
      yield* apply(row, { type: "awaited", at })
      yield* sentBlocks.news(row.block_hash, Math.min(wait, left), false)
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
      if (verdict.type === "sent") sentAt = yield* now
      return yield* apply(row, verdict)
    })
    const until = Effect.gen(function* () {
      const sent = yield* take(yield* verdicts.publish(row))
      if (Option.isSome(sent)) return sent.value
      for (let wait = FIRST_LOOK_MILLIS; ; wait = LOOK_MILLIS) {
        yield* sentBlocks.news(row.block_hash, wait, true)
        const ended = yield* take(yield* verdicts.look(row))
        if (Option.isSome(ended)) return ended.value
      }
    })
    return yield* underLease(row, until).pipe(
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
    const verdict = yield* underLease(row, verdicts.look(row))
    if (Option.isSome(yield* apply(row, verdict))) return
    yield* apply(row, { type: "undecided", verdict, at: yield* now })
  })

  return { carryThrough, awaitEnd, resume, giveBack }
})

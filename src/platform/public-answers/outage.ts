import { Cause, Clock, Effect, type Exit, FiberHandle, Latch } from "effect"
import { Readiness } from "../ports/Readiness.ts"
import { unavailableDependency } from "../sql/unavailable.ts"
import type { AnswerStore, PublicAnswer } from "./AnswerStore.ts"

/** Longest time for which a kept answer is sent after the database was last heard. */
const STANDING_MILLIS = 60_000

/** Time between two questions to a database that was lost. */
const LOOK = "1 second"

/** Finds a kept answer that was current at this time, in milliseconds, but for Posts that were published since. */
type Find = (at: number) => PublicAnswer | undefined

/** Adds how old an answer is. A cache counts its life from the moment when the database was last heard. */
const marked = (answer: PublicAnswer, seconds: number): PublicAnswer => {
  const [, fresh = "0"] = /max-age=(\d+)/.exec(answer.headers["cache-control"] ?? "") ?? []
  return {
    ...answer,
    headers: {
      ...answer.headers,
      age: String(seconds),
      // RFC 9211. `Warning: 110` said the same until RFC 9111 ended it.
      "cache-status": `pennypress; hit; ttl=${Number(fresh) - seconds}; detail="database unavailable"`
    }
  }
}

const isAboutDatabase = (cause: Cause.Cause<unknown>) =>
  Cause.hasDies(cause) && unavailableDependency(Cause.squash(cause)) === "database"

/**
 * Lets kept answers stand in for a database that this process has lost.
 *
 * - A lost listener alone is no outage. Answers stand in once the database fails a question or a read.
 * - They were current when the database was last heard, and are sent for a minute from then on, with their age. A list
 *   may lack the Posts of the last seconds: each publication would otherwise take the home page and the feeds away.
 * - A change that this process makes or tries still drops them. Changes of others are not heard, so all are dropped
 *   when the database answers again.
 */
export const makeOutage = Effect.fnUntraced(function* (store: AnswerStore, dropAll: () => void) {
  const { checkReads } = yield* Readiness
  const clock = yield* Clock.Clock
  const watching = yield* FiberHandle.make()
  const away = Latch.makeUnsafe()
  let isAway = false
  /** When the database was last heard; undefined without an outage. The second clock is never set back. */
  let heard: { readonly millis: number; readonly nanos: bigint } | undefined

  const forget = () => {
    heard = undefined
    isAway = false
    away.closeUnsafe()
    dropAll()
  }

  const lose = () => {
    // A read may fail after the outage in which it began.
    if (heard === undefined) return
    isAway = true
    away.openUnsafe()
  }

  const standingFor = ({ nanos }: { readonly nanos: bigint }) =>
    Number((clock.currentTimeNanosUnsafe() - nanos) / 1_000_000n)

  const standIn = (read: Find): PublicAnswer | undefined => {
    if (heard === undefined || !isAway) return undefined
    const millis = standingFor(heard)
    const answer = millis < STANDING_MILLIS ? read(heard.millis) : undefined
    return answer === undefined ? undefined : marked(answer, Math.floor(millis / 1_000))
  }

  const watch = Effect.gen(function* () {
    let isTold = false
    // A connection may outlive the others for a moment, so the first look only finds that the database is unavailable.
    for (let isFirst = true; ; isFirst = false) {
      const failing = yield* checkReads
      const answers = !failing.includes("database")
      if (answers && !isFirst) return forget()
      if (!answers) lose()
      if (!answers && !isTold)
        yield* Effect.logWarning("The database is unavailable: kept public answers stand in for a minute")
      isTold ||= !answers
      yield* Effect.sleep(LOOK)
    }
  })

  /** Makes an answer while it is open whether the database is unavailable. */
  const makeOrStandIn = <E, R>(key: string, read: Find, make: Effect.Effect<PublicAnswer, E, R>) => {
    const notice = (exit: Exit.Exit<PublicAnswer, E>) => {
      // Readers know a newer answer now, or that there is none.
      if (exit._tag === "Success" || Cause.hasFails(exit.cause)) store.remove(key)
      else if (isAboutDatabase(exit.cause)) lose()
    }
    const instead = Effect.flatMap(away.await, () => {
      const answer = standIn(read)
      return answer === undefined ? Effect.never : Effect.succeed(answer)
    })
    return Effect.raceFirst(
      Effect.onExit(make, (exit) => Effect.sync(() => notice(exit))),
      instead
    ).pipe(
      Effect.catchCause((cause) => {
        const answer = isAboutDatabase(cause) ? standIn(read) : undefined
        return answer === undefined ? Effect.failCause(cause) : Effect.succeed(answer)
      })
    )
  }

  return {
    /** Begins when the database was not heard for these milliseconds. */
    begin: (silentMillis: number) =>
      Effect.suspend(() => {
        heard = {
          millis: clock.currentTimeMillisUnsafe() - silentMillis,
          nanos: clock.currentTimeNanosUnsafe() - BigInt(silentMillis) * 1_000_000n
        }
        return FiberHandle.run(watching, watch)
      }),
    /** Ends, and drops everything that was kept before. */
    end: Effect.suspend(() => {
      forget()
      return FiberHandle.clear(watching)
    }),
    /** Returns the answer that stands in for the database, with its age; undefined when none may. */
    standIn,
    /** Returns true while answers stand in. */
    hasAnswers: () =>
      heard !== undefined && isAway && standingFor(heard) < STANDING_MILLIS && store.hasStandIn(heard.millis),
    /** Makes an answer, unless a kept one has to stand in. */
    get: <E, R>(
      key: string,
      read: Find,
      make: Effect.Effect<PublicAnswer, E, R>
    ): Effect.Effect<PublicAnswer, E, R> =>
      Effect.suspend(() => {
        if (heard === undefined || isAway) {
          const answer = standIn(read)
          return answer === undefined ? make : Effect.succeed(answer)
        }
        return makeOrStandIn(key, read, make)
      })
  }
})

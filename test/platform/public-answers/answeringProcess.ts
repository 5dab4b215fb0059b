import { Context, Effect, Layer, Queue, Stream } from "effect"
import { SqlError } from "effect/sql"
import * as AnswerBytesNode from "../../../layers/web/AnswerBytesNode.ts"
import { AnswerBytes } from "../../../src/platform/ports/AnswerBytes.ts"
import { Readiness } from "../../../src/platform/ports/Readiness.ts"
import { Replicas } from "../../../src/platform/ports/Replicas.ts"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { type Heard, SignalNotSent, Signals } from "../../../src/platform/ports/Signals.ts"
import type { PublicAnswer } from "../../../src/platform/public-answers/AnswerStore.ts"
import { PublicAnswers, type PublicRequest } from "../../../src/platform/public-answers/PublicAnswers.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"

/** The event that makes a process keep answers. */
export const LISTENING: Heard = { _tag: "listening", position: 0n }
/** The event of a listener whose database answered a moment before. */
export const LOST: Heard = { _tag: "lost", silentMillis: 0 }
/** The request of the one answer in these tests. */
export const KEY = { key: "post 1", url: "/api/posts/1" }
/** The things that the answer shows. */
const TAGS = ["post:1", "profile:1"]

/** Public answers of one process. The test sends the signals of others, and `ends` ends the open transactions. */
export const process = Effect.fnUntraced(function* (publicCacheMb = 1, bytes?: AnswerBytes["Service"]) {
  const heard = yield* Queue.unbounded<Heard>()
  const sent: Array<string> = []
  const open: Array<Effect.Effect<void>> = []
  const network = { isUp: true, isInTransaction: false, isSilent: false }
  /** The position of the database, and those that reads asked a replica for: undefined for reads on the primary. */
  const log: { position: bigint; asked: Array<bigint | undefined> } = { position: 1n, asked: [] }
  const unavailable = Effect.die(
    new SqlError.SqlError({ reason: new SqlError.ConnectionError({ cause: new Error("refused") }) })
  )
  /** Answers as the database does: not for now, never, or with this. */
  const database = <A, E>(answer: Effect.Effect<A, E>) =>
    Effect.suspend(() => (network.isSilent ? Effect.never : network.isUp ? answer : unavailable))
  const checkReads = database(Effect.succeed([])).pipe(
    Effect.timeout("1 second"),
    Effect.catchCause(() => Effect.succeed(["database"]))
  )
  const context = yield* Layer.build(
    Layer.fresh(PublicAnswers.layer).pipe(
      Layer.provide([
        bytes === undefined ? AnswerBytesNode.layer : Layer.succeed(AnswerBytes, bytes),
        withSettings({ publicCacheMb }),
        Layer.succeed(
          Readiness,
          Readiness.of({ check: checkReads, checkReads, isStopping: Effect.succeed(false) })
        ),
        Layer.mock(Transactions, {
          atEnd: (effect) => (network.isInTransaction ? Effect.sync(() => void open.push(effect)) : effect)
        }),
        Layer.succeed(Replicas, {
          read: (atLeast, read, isCurrent) =>
            Effect.suspend(() => {
              log.asked.push(atLeast)
              return Effect.tap(read, (made) =>
                Effect.sync(() => {
                  if (atLeast !== undefined && !isCurrent(made)) log.asked.push(undefined)
                })
              )
            })
        }),
        Layer.succeed(Signals, {
          send: (_, texts) =>
            Effect.suspend(() =>
              network.isUp
                ? Effect.sync(() => {
                    sent.push(...texts)
                    return log.position
                  })
                : Effect.fail(new SignalNotSent({ cause: "down" }))
            ),
          heard: () => Stream.fromQueue(heard)
        })
      ])
    )
  )
  let version = 0
  let made = 0
  /** Makes an answer that shows the version of the moment. */
  const make = database(
    Effect.sync((): PublicAnswer => {
      made++
      return {
        route: "/api/posts/:postId",
        contentType: "application/json",
        body: Uint8Array.of(version),
        limit: "public-read" as const,
        digest: String(version),
        headers: { "cache-control": "public, max-age=15" },
        isWeak: false,
        otherTypes: [],
        tags: TAGS,
        coded: new Map()
      }
    })
  )
  const answers = Context.get(context, PublicAnswers)
  const hear = (event: Heard) => Effect.andThen(Queue.offer(heard, event), Effect.yieldNow)
  return {
    answers,
    hear,
    log,
    make,
    made: () => made,
    network,
    /** The event that tells this process that others may be heard no longer, with the database gone. */
    loseDatabase: Effect.suspend(() => {
      network.isUp = false
      return Effect.andThen(hear(LOST), Effect.yieldNow)
    }),
    sent,
    change: Effect.sync(() => void version++),
    endTransaction: Effect.suspend(() => Effect.all(open.splice(0), { discard: true })),
    /** The version that a reader sees. */
    read: Effect.map(answers.get(KEY, make), ({ digest }) => Number(digest)),
    /** Returns the positions that a read asked for, when its answer was not kept. */
    asked: (request: Partial<PublicRequest> = {}) =>
      Effect.suspend(() => {
        log.asked = []
        const url = `/api/posts/${made}`
        return Effect.map(answers.get({ key: url, url, ...request }, make), () => log.asked)
      }),
    /** True when the answer is kept for its target. */
    isKept: Effect.map(Effect.context<never>(), (own) => answers.kept(KEY.url, own) !== undefined),
    /** The Age of the answer that a reader gets, before routing and after it. */
    ages: Effect.gen(function* () {
      const routed = yield* answers.get(KEY, make)
      const unrouted = answers.kept(KEY.url, yield* Effect.context<never>())
      return [unrouted?.headers["age"], routed.headers["age"]]
    })
  }
})

import { Context, Effect, Layer, Queue, Stream } from "effect"
import * as AnswerBytesNode from "../../../layers/web/AnswerBytesNode.ts"
import { AnswerBytes } from "../../../src/platform/ports/AnswerBytes.ts"
import { withSettings } from "../../../src/platform/ports/Settings.ts"
import { type Heard, SignalNotSent, Signals } from "../../../src/platform/ports/Signals.ts"
import type { PublicAnswer } from "../../../src/platform/public-answers/AnswerStore.ts"
import { PublicAnswers } from "../../../src/platform/public-answers/PublicAnswers.ts"
import { Transactions } from "../../../src/platform/sql/Transactions.ts"

/** The event that makes a process keep answers. */
export const LISTENING: Heard = { _tag: "listening" }
/** The event that makes a process keep none. */
export const LOST: Heard = { _tag: "lost" }
/** The request of the one answer in these tests. */
export const KEY = { key: "post 1", url: "/api/posts/1" }
/** The things that the answer shows. */
const TAGS = ["post:1", "profile:1"]

/** Public answers of one process. The test sends the signals of others, and `ends` ends the open transactions. */
export const process = Effect.fnUntraced(function* (publicCacheMb = 1, bytes?: AnswerBytes["Service"]) {
  const heard = yield* Queue.unbounded<Heard>()
  const sent: Array<string> = []
  const open: Array<Effect.Effect<void>> = []
  const network = { isUp: true, isInTransaction: false }
  const context = yield* Layer.build(
    Layer.fresh(PublicAnswers.layer).pipe(
      Layer.provide([
        bytes === undefined ? AnswerBytesNode.layer : Layer.succeed(AnswerBytes, bytes),
        withSettings({ publicCacheMb }),
        Layer.mock(Transactions, {
          atEnd: (effect) => (network.isInTransaction ? Effect.sync(() => void open.push(effect)) : effect)
        }),
        Layer.succeed(Signals, {
          send: (_, texts) =>
            Effect.suspend(() =>
              network.isUp
                ? Effect.sync(() => void sent.push(...texts))
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
  const make = Effect.sync((): PublicAnswer => {
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
      given: undefined,
      coded: new Map()
    }
  })
  const answers = Context.get(context, PublicAnswers)
  const hear = (event: Heard) => Effect.andThen(Queue.offer(heard, event), Effect.yieldNow)
  return {
    answers,
    hear,
    make,
    made: () => made,
    network,
    sent,
    change: Effect.sync(() => void version++),
    endTransaction: Effect.suspend(() => Effect.all(open.splice(0), { discard: true })),
    /** The version that a reader sees. */
    read: Effect.map(answers.get(KEY, make), ({ digest }) => Number(digest)),
    /** True when the answer is kept for its target. */
    isKept: Effect.map(Effect.context<never>(), (own) => answers.find(KEY.url, own) !== undefined)
  }
})

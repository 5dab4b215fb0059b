import { assert, describe, it } from "@effect/vitest"
import { Context, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import { CommentId, type OwnerId } from "../../../schemas/platform/Ids.ts"
import { Reactions } from "../../../src/engagement/reactions/Reactions.ts"
import type { ReactionTarget } from "../../../src/engagement/reactions/ReactionTarget.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { insertOwner, insertPost, ownerId, sessionOf } from "../../support/actors/storedOwner.ts"
import { twoAssemblies } from "../../support/twoServices.ts"
import { summary } from "./reacting.ts"

const AUTHOR = 1
const READERS = [2, 3, 4, 5, 6]
const values = ["thumbs_up", "heart", "fire", "clap", null] as const

const insertComment = Effect.fn(function* (number: number, post: string, author: OwnerId) {
  const sql = yield* SqlClient.SqlClient
  const id = CommentId.make(`00000000-0000-4000-8400-${String(number).padStart(12, "0")}`)
  yield* sql`insert into comments ${sql.insert({
    id,
    post_id: post,
    author_id: author,
    content: "Text",
    thread_root_id: id,
    depth: 0,
    created_at: new Date(0),
    idempotency_key: `key-${number}`,
    intent: new Uint8Array(32),
    by_agent: false
  })}`
  return id
})

/** Returns whole numbers below a bound, the same ones for a seed. */
const randomOf = (seed: number) => {
  let state = seed
  return (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * bound)
  }
}

/** Two Posts and two Comments, each of another author than its readers but for one. */
const makeTargets = Effect.gen(function* () {
  for (const number of [AUTHOR, ...READERS]) yield* insertOwner(number)
  const [one, two] = [
    yield* insertPost(1, ownerId(AUTHOR), "published"),
    yield* insertPost(2, ownerId(2), "published")
  ]
  const targets: ReadonlyArray<{ readonly target: ReactionTarget; readonly author: number }> = [
    { target: { kind: "post", id: one }, author: AUTHOR },
    { target: { kind: "post", id: two }, author: 2 },
    { target: { kind: "comment", id: yield* insertComment(1, one, ownerId(3)) }, author: 3 },
    { target: { kind: "comment", id: yield* insertComment(2, two, ownerId(AUTHOR)) }, author: AUTHOR }
  ]
  return targets
})

/** The reactions to one target by their owners, in the order of their times. */
type Model = Map<number, Reaction>

const summaryIn = (model: Model, viewer: number) => {
  const counts: Partial<Record<Reaction, number>> = {}
  for (const reaction of model.values()) counts[reaction] = (counts[reaction] ?? 0) + 1
  return summary(counts, model.get(viewer) ?? null)
}

/** Counters of Posts and Comments that differ from a recount of their rows. */
const wrongCounters = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`
    select id from (
      select post_id as id, thumbs_up, heart, fire, clap from post_counts
      union all select id, thumbs_up, heart, fire, clap from comments) counted
    where (thumbs_up, heart, fire, clap) <> (
      select count(*) filter (where reaction = 'thumbs_up'), count(*) filter (where reaction = 'heart'),
        count(*) filter (where reaction = 'fire'), count(*) filter (where reaction = 'clap')
      from reactions where target_id = counted.id)`
)

describe("reactions of several users", () => {
  for (const seed of [1, 2, 3])
    it.effect(`Random scripts agree with a model, step by step (${seed})`, () =>
      Effect.gen(function* () {
        const [first, second] = yield* twoAssemblies(`test_reactions_script_${seed}`)
        const random = randomOf(seed)
        const targets = (yield* Effect.provide(makeTargets, first)).map(({ author, target }) => {
          const model: Model = new Map()
          return { author, target, model }
        })
        for (let step = 0; step < 200; step++) {
          yield* TestClock.adjust("1 second")
          const process = random(2) === 0 ? first : second
          const reactions = Context.get(process, Reactions)
          const { author, model, target } = targets[random(targets.length)]!
          const reader = READERS[random(READERS.length)]!
          if (random(10) === 0) yield* Context.get(process, Counters).add
          if (random(20) === 0) yield* Context.get(process, Counters).sweep
          const wanted = values[random(values.length)]!
          const set = reactions.set(sessionOf(ownerId(reader)), target, wanted)
          if (author === reader) {
            assert.strictEqual((yield* Effect.flip(set))._tag, "OwnTarget")
            continue
          }
          if (wanted === null) model.delete(reader)
          else if (model.get(reader) !== wanted) {
            model.delete(reader)
            model.set(reader, wanted)
          }
          assert.deepStrictEqual((yield* set).summary, summaryIn(model, reader))
          const viewer = READERS[random(READERS.length)]!
          const reaction = values[random(4)]!
          const page = yield* reactions.read(target, ownerId(viewer), { reaction: reaction ?? "clap" })
          assert.deepStrictEqual(page.reactors.summary, summaryIn(model, viewer))
          const expected = [...model].filter(([, it]) => it === reaction).map(([owner]) => ownerId(owner))
          assert.deepStrictEqual(
            page.reactors.reactors.map(({ profile }) => profile.id),
            expected.toReversed()
          )
        }
        yield* Context.get(first, Counters).add
        assert.isEmpty(yield* Effect.provide(wrongCounters, first))
      })
    )

  it.effect("A hundred alternating reactions of 10 users in two processes leave exact counts", () =>
    Effect.gen(function* () {
      const [first, second] = yield* twoAssemblies("test_reactions_race")
      const author = yield* Effect.provide(insertOwner(AUTHOR), first)
      const id = yield* Effect.provide(insertPost(1, author, "published"), first)
      for (let number = 10; number < 20; number++) yield* Effect.provide(insertOwner(number), first)
      const answers = yield* Effect.forEach(
        Array.from({ length: 100 }, (_, turn) => turn),
        (turn) =>
          Context.get(turn % 2 === 0 ? first : second, Reactions).set(
            sessionOf(ownerId(10 + (turn % 10))),
            { kind: "post", id },
            turn < 90 ? values[turn % 5]! : "heart"
          ),
        { concurrency: 20 }
      )
      for (const { summary } of answers) {
        assert.isAtMost(summary.total, 10)
        assert.isTrue(Object.values(summary.counts).every((count) => count >= 0))
      }
      const { reactors } = yield* Context.get(second, Reactions).read({ kind: "post", id }, null, {})
      const rows = yield* Effect.provide(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select from reactions where post_id = ${id}`),
        first
      )
      assert.strictEqual(reactors.summary.total, rows.length)
      yield* Context.get(first, Counters).add
      assert.isEmpty(yield* Effect.provide(wrongCounters, first))
    })
  )
})

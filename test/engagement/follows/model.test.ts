import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import type { FollowId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { FollowLists } from "../../../src/engagement/follows/FollowLists.ts"
import { Follows } from "../../../src/engagement/follows/Follows.ts"
import { Counters } from "../../../src/platform/counters/Counters.ts"
import { DAY_MILLIS, now } from "../../../src/platform/time/now.ts"
import { insertOwner, sessionOf } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { service } from "../../support/TestClient.ts"

const OWNERS = 4

const pair = { follower: fc.nat(OWNERS - 1), creator: fc.nat(OWNERS - 1) }
const save = fc.record({ ...pair, do: fc.constant("save" as const), following: fc.boolean() })
const prefer = fc.record({ ...pair, do: fc.constant("prefer" as const), email: fc.boolean() })
const wait = fc.record({ do: fc.constant("wait" as const), hours: fc.integer({ min: 1, max: 30 }) })
const add = fc.record({ do: fc.constant("add" as const) })
const step = fc.oneof(
  { weight: 6, arbitrary: save },
  { weight: 2, arbitrary: prefer },
  { weight: 2, arbitrary: wait },
  { weight: 1, arbitrary: add }
)

/** Random scripts of four owners, the same in each run. */
const scripts = fc.sample(fc.array(step, { minLength: 40, maxLength: 80 }), { seed: 46, numRuns: 12 })

/** The follow of a pair, as the rules have it. */
interface Modelled {
  readonly follower: OwnerId
  readonly creator: OwnerId
  /** The id that the service gave it first. */
  id: FollowId | undefined
  isOn: boolean
  endedAt: number
  told: number
  email: boolean
}

/** Plays a script and compares each answer with the model, and all lists and counts at the end. */
const play = Effect.fnUntraced(function* (script: (typeof scripts)[number], owners: ReadonlyArray<OwnerId>) {
  const follows = yield* Follows
  const lists = yield* FollowLists
  const counters = yield* Counters
  const sql = yield* SqlClient.SqlClient
  const model = owners.map((follower) =>
    owners.map((creator): Modelled => ({
      follower,
      creator,
      id: undefined,
      isOn: false,
      endedAt: -Infinity,
      told: 0,
      email: false
    }))
  )
  const all = model.flat()

  for (const it of script) {
    if (it.do === "add") yield* counters.add
    else if (it.do === "wait") yield* TestClock.adjust(`${it.hours} hours`)
    else {
      const known = model[it.follower]![it.creator]!
      const session = sessionOf(known.follower)
      const isOwn = it.follower === it.creator
      if (it.do === "prefer") {
        if (known.id === undefined) continue
        const saved = follows.savePreferences(session, known.id, {
          notify_channel_email: it.email
        })
        if (known.isOn) known.email = (yield* saved).notify_channel_email
        else assert.strictEqual((yield* Effect.flip(saved))._tag, "NotFound")
        assert.strictEqual(known.isOn ? known.email : it.email, it.email)
      } else if (isOwn && it.following) {
        const refused = yield* Effect.flip(follows.save(session, known.creator, true))
        assert.strictEqual(refused._tag, "SelfFollow")
      } else {
        const at = (yield* now).getTime()
        const state = yield* follows.save(session, known.creator, it.following)
        assert.strictEqual(state.following, it.following)
        if (it.following && !known.isOn && at - known.endedAt >= DAY_MILLIS) known.told += 1
        if (!it.following && known.isOn) known.endedAt = at
        known.isOn = it.following
        known.id ??= state.follow?.id
        if (state.follow !== null)
          assert.deepStrictEqual(
            [state.follow.id, state.follow.notify_channel_email],
            [known.id, known.email]
          )
      }
    }
  }

  const compared = Effect.gen(function* () {
    for (const owner of owners) {
      const counts = yield* lists.counts(owner, null)
      for (const [side, of, shown] of [
        ["followers", "creator", "follower"],
        ["following", "follower", "creator"]
      ] as const) {
        const expected = all.filter((it) => it.isOn && it[of] === owner).map((it) => it[shown])
        const { data, total } = yield* lists[side](owner, {})
        assert.sameMembers(
          data.map(({ id }) => id),
          expected
        )
        assert.deepStrictEqual([total, counts[side]], [expected.length, expected.length])
        const times = data.map(({ followed_at }) => followed_at)
        assert.deepStrictEqual(times, times.toSorted().toReversed())
      }
    }
  })
  yield* compared
  yield* counters.add
  yield* compared
  for (const { creator, follower, isOn, told } of all) {
    assert.strictEqual((yield* follows.read(sessionOf(follower), creator)).following, isOn)
    const notices = yield* sql`
      select from notifications where type = 'new_follow' and recipient_id = ${creator} and actor_id = ${follower}`
    assert.lengthOf(notices, told)
  }
  for (const owner of owners) {
    const [row] = yield* sql<{ readonly followers: number; readonly following: number }>`
      select follower_count as followers, following_count as following from owners where id = ${owner}`
    assert.deepStrictEqual(row, {
      followers: all.filter((it) => it.isOn && it.creator === owner).length,
      following: all.filter((it) => it.isOn && it.follower === owner).length
    })
  }
})

layer(service(database("test_follows_model")))("follows of a random script", (it) => {
  for (const [n, script] of scripts.entries())
    it.effect(`The follows of random script ${n + 1} equal the model, and the counters equal the rows`, () =>
      Effect.gen(function* () {
        const numbers = Array.from({ length: OWNERS }, (_, owner) => 1 + n * OWNERS + owner)
        yield* play(script, yield* Effect.forEach(numbers, (number) => insertOwner(number)))
      })
    )
})

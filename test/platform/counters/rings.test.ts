import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { CommentId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import { HiddenComments } from "../../../src/engagement/comments/HiddenComments.ts"
import { Settlements } from "../../../src/payments/settlement/Settlements.ts"
import { COUNTERS } from "../../../src/platform/counters/Counters.ts"
import { Doorbells } from "../../../src/platform/work/Doorbells.ts"
import { followerAndCreator } from "../../engagement/follows/follower.ts"
import { claimOf, run, sellerOf } from "../../payments/settlement/paying.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { payerOf } from "../../support/actors/payer.ts"
import { database } from "../../support/Database.ts"
import { eventually } from "../../support/eventually.ts"
import { service, TestClient } from "../../support/TestClient.ts"

const administrator = AdministratorAuthority.make({ kind: "administrator" })

/** Runs a write that changes a counter, and waits until it has rung for those who add the change. */
const rings = Effect.fnUntraced(function* <A, E, R>(what: string, write: Effect.Effect<A, E, R>) {
  const { ringHere, rung } = (yield* Doorbells).bell(COUNTERS)
  // A bell may have rung before: every bell does when the process begins to hear others.
  yield* Effect.andThen(ringHere, rung)
  const woken = yield* Effect.forkChild(rung, { startImmediately: true })
  assert.isUndefined(woken.pollUnsafe(), what)
  const answer = yield* write
  yield* eventually(
    `${what} rings`,
    Effect.sync(() => woken.pollUnsafe() !== undefined)
  )
  return answer
})

layer(service(database("test_counters_rings")))("a write that changes a counter", (it) => {
  it.effect("A Comment, its end and its return ring for the counters", () =>
    Effect.gen(function* () {
      const author = yield* commenterOf(1)
      const hidden = yield* HiddenComments
      const { id: postId } = yield* author.published()
      const said = yield* rings("a Comment", author.say(postId, "A word"))
      const id = CommentId.make(said.id)
      const authorId = OwnerId.make(said.author.id)
      yield* rings("hiding", hidden.hide(administrator, id))
      yield* rings("showing", hidden.restore(administrator, id))
      yield* rings("hiding all", hidden.hideAllOf(authorId))
      yield* rings("showing all", hidden.restoreAllOf(authorId))
      yield* rings("removing", author.removeComment(id))
    })
  )

  it.effect("A reaction, a follow and their ends ring for the counters", () =>
    Effect.gen(function* () {
      const client = yield* TestClient
      const author = yield* commenterOf(2)
      const { id } = yield* author.published()
      const { creator, follower } = yield* followerAndCreator(3)
      const react = (reaction: string | null) =>
        client.send("PUT", `/api/v1/posts/${id}/reactions`, {
          token: follower.accessToken,
          body: { reaction }
        })
      yield* rings("a reaction", react("heart"))
      yield* rings("its end", react(null))
      yield* rings("a follow", follower.follow(creator.id))
      yield* rings("its end", follower.unfollow(creator.id))
    })
  )

  it.effect("A purchase rings for the counters", () =>
    Effect.gen(function* () {
      const settlements = yield* Settlements
      const seller = yield* sellerOf(5)
      const payer = yield* payerOf(6)
      yield* payer.fund()
      const { id } = yield* settlements.claim(yield* claimOf(payer, seller))
      yield* rings("a purchase", run(settlements.carryThrough(id)))
    })
  )
})

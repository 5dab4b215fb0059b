import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as SignalsAlone from "../../layers/testing/SignalsAlone.ts"
import { ports } from "../../layers/testing/testing.ts"
import {
  ApiKeys,
  type AuthorKinds,
  authoring,
  authoringWorkers,
  CategoryId,
  Guests,
  NanoAddress,
  type Notices,
  PayoutAddresses,
  type PostFinance,
  Posts,
  Profiles,
  PublicBaseUrl,
  Publishing,
  withoutComments,
  withoutMailBodies,
  withoutNotices,
  withoutPayments
} from "../../src/index.ts"
import { walletOf } from "../support/actors/owner.ts"
import { database } from "../support/Database.ts"

/** The services of the wings above that a layer still needs. */
type AsksOf<L extends Layer.Any> = Extract<Layer.Services<L>, AuthorKinds | PostFinance | Notices>

const complete = authoring.pipe(
  Layer.provide([withoutPayments, withoutNotices, withoutComments, withoutMailBodies])
)

const service = authoringWorkers.pipe(
  Layer.provideMerge(complete),
  Layer.provide(ports()),
  Layer.provide(SignalsAlone.layer),
  Layer.provideMerge(database("test_authoring")),
  Layer.provide(Layer.succeed(PublicBaseUrl, "https://press.test"))
)

/** Publishes and unpublishes a Post of a guest. Returns its id with the authority of the guest's key. */
const unpublished = Effect.gen(function* () {
  const apiKeys = yield* ApiKeys
  const publishing = yield* Publishing
  const guest = yield* (yield* Guests).createGuest({ name: "Ada", handle: "ada_writes" })
  yield* (yield* PayoutAddresses).save(guest, { payoutAddress: NanoAddress.make(walletOf(1).account) })
  const { key } = yield* apiKeys.issue(guest, {})
  const publisher = Option.getOrThrow(yield* apiKeys.authenticate(Redacted.make(key)))
  const draft = {
    title: "On pennies",
    description: "What a penny buys",
    freeContentMarkdown: "A penny for your thoughts.",
    primaryCategoryId: CategoryId.make(3),
    creationMethod: "human_written",
    creationAttested: true
  } as const
  const { post } = yield* (yield* Posts).create(publisher, draft, "first")
  yield* publishing.publish(publisher, post.id, "now")
  yield* publishing.unpublish(publisher, post.id, "back")
  return { publisher, id: post.id }
})

describe("a service that embeds accounts and Posts alone", () => {
  it("An assembly without an answer about payments, notices and kinds does not compile", () => {
    // A default would take a service out of these types, and the type check would fail here.
    expectTypeOf<AsksOf<typeof authoring>>().toEqualTypeOf<AuthorKinds | PostFinance | Notices>()
    expectTypeOf<AsksOf<typeof complete>>().toEqualTypeOf<never>()
  })

  it.effect("A service without payments publishes, labels Posts, and its authors delete every draft", () =>
    Effect.gen(function* () {
      const { id, publisher } = yield* unpublished
      const posts = yield* Posts
      yield* (yield* Publishing).publish(publisher, id, "again")
      yield* (yield* Profiles).declareAgent(publisher)
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual(yield* sql`select author_kind from post_author_kinds`, [
        { author_kind: "agent" }
      ])
      yield* (yield* Publishing).unpublish(publisher, id, "back again")
      yield* posts.remove(publisher, id)
      assert.strictEqual((yield* Effect.flip(posts.read(publisher, id)))._tag, "NotFound")
    }).pipe(Effect.provide(service))
  )
})

import { assert, describe, expectTypeOf, it } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import * as SignalsAlone from "../../layers/testing/SignalsAlone.ts"
import { ports } from "../../layers/testing/testing.ts"
import {
  ApiKeys,
  authoring,
  authoringWorkers,
  CategoryId,
  Guests,
  NanoAddress,
  type Notices,
  PayoutAddresses,
  type PostFinance,
  Posts,
  PublicBaseUrl,
  Publishing,
  withoutNotices,
  withoutPayments
} from "../../src/index.ts"
import { walletOf } from "../support/actors/owner.ts"
import { database } from "../support/Database.ts"

/** The services of the wings above that a layer still needs. */
type AsksOf<L extends Layer.Any> = Extract<Layer.Services<L>, PostFinance | Notices>

const complete = authoring.pipe(Layer.provide([withoutPayments, withoutNotices]))

const service = authoringWorkers.pipe(
  Layer.provideMerge(complete),
  Layer.provide(ports()),
  Layer.provide(SignalsAlone.layer),
  Layer.provide(database("test_authoring")),
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
  it("An assembly without an answer about payments and notices does not compile", () => {
    // A default would take a service out of these types, and the type check would fail here.
    expectTypeOf<AsksOf<typeof authoring>>().toEqualTypeOf<PostFinance | Notices>()
    expectTypeOf<AsksOf<typeof complete>>().toEqualTypeOf<never>()
  })

  it.effect("A service without payments publishes, and its authors delete every draft", () =>
    Effect.gen(function* () {
      const { id, publisher } = yield* unpublished
      const posts = yield* Posts
      yield* posts.remove(publisher, id)
      assert.strictEqual((yield* Effect.flip(posts.read(publisher, id)))._tag, "NotFound")
    }).pipe(Effect.provide(service))
  )
})

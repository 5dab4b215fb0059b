import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { Profile, ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import { Profiles } from "../../../src/accounts/profile/Profiles.ts"
import { emailColumns, insertOwner, insertPost, keyOf, postId } from "../../support/actors/storedOwner.ts"
import { database } from "../../support/Database.ts"
import { ownMediaLayer } from "../../support/ownMedia.ts"
import { noRetiredHandles, owners } from "../owners/assembly.ts"

const assembly = Profiles.layer.pipe(Layer.provide([noRetiredHandles, owners, ownMediaLayer]))

/** The body of a PATCH, as it arrives over the wire. */
const patch = Effect.fn(function* (owner: OwnerId, body: typeof ProfilePatch.Encoded) {
  const decoded = yield* Effect.orDie(Schema.decodeEffect(ProfilePatch)(body))
  const profile = yield* (yield* Profiles).update(keyOf(owner), decoded)
  return yield* Effect.orDie(Schema.decodeEffect(Profile, { onExcessProperty: "error" })(profile))
})

const read = Effect.fn(function* (owner: OwnerId) {
  return yield* (yield* Profiles).read(keyOf(owner))
})

const fieldErrors = (error: {
  readonly errors?: ReadonlyArray<{ readonly field: string; readonly code: string }>
}) => error.errors?.map(({ code, field }) => `${field} ${code}`)

layer(assembly.pipe(Layer.provideMerge(database("test_profile"))))("the own Profile (4.2)", (it) => {
  it.effect("A new Profile has the reserved name, the generated handle and the default tipping", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(1)
      assert.deepStrictEqual(yield* read(id), {
        id,
        name: "New User",
        handle: "user_1",
        bio: null,
        location: null,
        socialLinks: [],
        pinnedPostId: null,
        avatarUrl: null,
        headerImageUrl: null,
        authorKind: "human",
        tipping: { buttonLabel: "Tip author", amounts: [0.25, 0.5, 1] }
      })
    })
  )

  it.effect("A PATCH changes the named members, keeps the rest and answers the whole Profile (4.2.1)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(2)
      const first = yield* patch(id, {
        name: " Ada ",
        handle: "Ada_Lovelace",
        bio: "Poetical science",
        location: " London ",
        socialLinks: [
          { label: "twitter", url: "https://x.com/ada" },
          { label: "Blog", url: "https://ada.example" }
        ],
        tipping: { buttonLabel: " Thanks ", amounts: [0.001, 0.123456, 133248297] }
      })
      assert.deepInclude(first, {
        name: "Ada",
        handle: "Ada_Lovelace",
        bio: "Poetical science",
        location: "London",
        socialLinks: [
          { label: "X", url: "https://x.com/ada" },
          { label: "Custom", url: "https://ada.example" }
        ],
        tipping: { buttonLabel: "Thanks", amounts: [0.001, 0.123456, 133248297] }
      })
      const second = yield* patch(id, { location: "Ockham" })
      assert.deepStrictEqual(second, { ...first, location: "Ockham" })
      assert.deepStrictEqual(yield* read(id), second)
    })
  )

  it.effect("An explicit null and an empty text clear a member (4.2.1)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(3)
      const full = {
        bio: "b",
        location: "l",
        socialLinks: [{ label: "x", url: "https://x.com/a" }],
        pinnedPostId: yield* insertPost(3, id, "published")
      }
      yield* patch(id, full)
      const cleared = { bio: null, location: null, socialLinks: [], pinnedPostId: null }
      assert.deepInclude(
        yield* patch(id, { bio: null, location: null, socialLinks: null, pinnedPostId: null }),
        cleared
      )
      yield* patch(id, full)
      assert.deepInclude(
        yield* patch(id, { bio: "", location: "  ", socialLinks: [], pinnedPostId: null }),
        cleared
      )
    })
  )

  it.effect("The Profile keeps the first social link of each category (4.2.4)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(4)
      const { socialLinks } = yield* patch(id, {
        socialLinks: [
          { label: "Blog", url: "https://one.example" },
          { label: "Shop", url: "https://two.example" }
        ]
      })
      assert.deepStrictEqual(socialLinks, [{ label: "Custom", url: "https://one.example" }])
    })
  )

  it.effect(
    "A handle is unique in any case, and the error of a taken one has field and code (4.2.3, 4.2.8)",
    () =>
      Effect.gen(function* () {
        const ada = yield* insertOwner(5, { handle: "Countess" })
        const bob = yield* insertOwner(6)
        for (const handle of ["Countess", "countess", "COUNTESS"]) {
          const error = yield* Effect.flip(patch(bob, { handle, bio: "not saved" }))
          assert.strictEqual(error._tag, "HandleTaken")
          assert.deepStrictEqual(fieldErrors(error), ["handle taken"])
        }
        assert.deepInclude(yield* read(bob), { handle: "user_6", bio: null })
        assert.strictEqual((yield* read(ada)).handle, "Countess")
      })
  )

  it.effect("An owner may change only the case of a handle, and repeat the change (4.2.3, 4.2.9)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(7, { handle: "babbage" })
      assert.strictEqual((yield* patch(id, { handle: "Babbage" })).handle, "Babbage")
      assert.strictEqual((yield* patch(id, { handle: "Babbage" })).handle, "Babbage")
    })
  )

  it.effect("A reserved handle is rejected regardless of case, and nothing else is saved (4.2.3)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(18)
      for (const handle of [
        "admin",
        "ADMIN",
        " docs ",
        "Pennypress",
        "penny_press_2",
        "0ff1c1al",
        "Supp0rt_24"
      ]) {
        const error = yield* Effect.flip(patch(id, { handle, bio: "not saved" }))
        assert.strictEqual(error._tag, "Validation", handle)
        assert.deepStrictEqual(fieldErrors(error), ["handle reserved"], handle)
      }
      assert.deepInclude(yield* read(id), { handle: "user_18", bio: null })
    })
  )

  it.effect("An owner keeps a handle from before its reservation until they give it up (4.2.3)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(19, { handle: "Newsletter" })
      assert.deepInclude(yield* patch(id, { bio: "Weekly" }), { handle: "Newsletter", bio: "Weekly" })
      const { bio, handle } = yield* read(id)
      assert.strictEqual((yield* patch(id, { handle, bio })).handle, "Newsletter")
      assert.strictEqual((yield* patch(id, { handle: "newsletter" })).handle, "newsletter")
      assert.deepStrictEqual(fieldErrors(yield* Effect.flip(patch(id, { handle: "newsletters" }))), [
        "handle reserved"
      ])
      yield* patch(id, { handle: "weekly_19" })
      assert.deepStrictEqual(fieldErrors(yield* Effect.flip(patch(id, { handle: "newsletter" }))), [
        "handle reserved"
      ])
    })
  )

  it.effect("A handle that its owner gave up is free again", () =>
    Effect.gen(function* () {
      const ada = yield* insertOwner(8, { handle: "first_come" })
      const bob = yield* insertOwner(9)
      yield* patch(ada, { handle: "moved_on" })
      assert.strictEqual((yield* patch(bob, { handle: "First_Come" })).handle, "First_Come")
    })
  )

  it.effect("An unregistered guest keeps their handle but can change the display name (4.2.7)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(10, { kind: "guest", wallet_public_key: null, handle: "guest_10" })
      const error = yield* Effect.flip(patch(id, { handle: "chosen", name: "not saved" }))
      assert.strictEqual(error._tag, "Forbidden")
      assert.strictEqual((yield* Effect.flip(patch(id, { handle: "Guest_10" })))._tag, "Forbidden")
      assert.deepInclude(yield* patch(id, { name: "Visitor" }), { name: "Visitor", handle: "guest_10" })
      // The handle does not change, so the rule does not apply.
      assert.strictEqual((yield* patch(id, { handle: "guest_10", bio: "Here" })).bio, "Here")
    })
  )

  it.effect("A verified-email account changes its handle (4.2.7)", () =>
    Effect.gen(function* () {
      const id = yield* insertOwner(11, emailColumns(11))
      assert.strictEqual((yield* patch(id, { handle: "by_mail" })).handle, "by_mail")
    })
  )

  it.effect("An owner pins only their own published Posts (4.2.5)", () =>
    Effect.gen(function* () {
      const ada = yield* insertOwner(12)
      const bob = yield* insertOwner(13)
      const own = yield* insertPost(12, ada, "published")
      const draft = yield* insertPost(13, ada, "draft")
      const foreign = yield* insertPost(14, bob, "published")

      assert.strictEqual((yield* patch(ada, { pinnedPostId: own })).pinnedPostId, own)
      for (const pinnedPostId of [draft, foreign, postId(99)]) {
        const error = yield* Effect.flip(patch(ada, { pinnedPostId, bio: "not saved" }))
        assert.strictEqual(error._tag, "Validation")
        assert.deepStrictEqual(fieldErrors(error), ["pinnedPostId invalid"])
      }
      assert.deepInclude(yield* read(ada), { pinnedPostId: own, bio: null })
    })
  )

  it.effect("A pinned Post is not shown while it is not published", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const id = yield* insertOwner(14)
      const pinned = yield* insertPost(15, id, "published")
      yield* patch(id, { pinnedPostId: pinned })

      yield* sql`update posts set status = 'draft', published_at = null where id = ${pinned}`
      assert.isNull((yield* read(id)).pinnedPostId)
      assert.isNull((yield* patch(id, { name: "Ada" })).pinnedPostId)

      yield* sql`update posts set status = 'published', published_at = ${new Date(0)} where id = ${pinned}`
      assert.strictEqual((yield* read(id)).pinnedPostId, pinned)
      yield* sql`delete from posts where id = ${pinned}`
      assert.isNull((yield* read(id)).pinnedPostId)
    })
  )

  it.effect("Declaring an agent is safe to repeat, and labels this account only", () =>
    Effect.gen(function* () {
      const profiles = yield* Profiles
      const ada = yield* insertOwner(16)
      const bob = yield* insertOwner(17)
      for (let times = 0; times < 2; times++) {
        assert.deepStrictEqual(yield* profiles.declareAgent(keyOf(ada)), { authorKind: "agent" })
      }
      assert.strictEqual((yield* read(ada)).authorKind, "agent")
      assert.strictEqual((yield* patch(ada, { name: "Engine" })).authorKind, "agent")
      assert.strictEqual((yield* read(bob)).authorKind, "human")
    })
  )
})

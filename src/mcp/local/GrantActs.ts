import { Clock, Context, Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import type { ToolFailure } from "../../../schemas/mcp/ToolFailure.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { CreationMethod } from "../../../schemas/publishing/posts/creation.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import { marked } from "./failures/marked.ts"
import { LIFETIMES_MAX } from "./grants/lifetimes.ts"
import { StateStore, type Transaction } from "./ports/StateStore.ts"
import { digestOf, makeReadOwn } from "./posts/ownPosts.ts"
import { ServiceApi } from "./service/ServiceApi.ts"
import { Sessions } from "./service/Sessions.ts"
import { type Grant, type GrantKind, insertGrant, revokeGrants } from "./state/grants.sql.ts"
import { readIdentity } from "./state/identity.sql.ts"
import { readSetup } from "./state/setup.sql.ts"

/** A draft as a person sees it before an act, and the texts that the act is for. */
export interface SeenDraft {
  readonly postId: PostId
  readonly title: string
  readonly revision: string
  readonly bytes: number
  /** SHA-256 of its title, description and texts. */
  readonly digest: string
  readonly isAttested: boolean
  /** The warning that the paid section becomes public; null if it does not. */
  readonly freedPart: string | null
}

/** Bounds of spending, in raw. */
interface SpendingLimits {
  readonly maxTotalRaw: bigint
  readonly maxEachRaw: bigint
}

const invalid = (field: string, message: string) =>
  marked("validation", { fields: [{ field, code: "invalid", message }] })

/** Permissions that a person can end, each with its kinds of grants. */
const KINDS = {
  discussion: ["discussion"],
  publish: ["draft", "standing"],
  spending: ["spending"]
} as const satisfies Readonly<Record<string, ReadonlyArray<GrantKind>>>
type Permission = keyof typeof KINDS

const NONE = {
  postId: null,
  revision: null,
  digest: null,
  workflow: null,
  maxTotalRaw: null,
  maxEachRaw: null
} as const

const bytesOf = (text: string | null) => new TextEncoder().encode(text ?? "").length

const make = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const random = yield* SecureRandom.SecureRandom
  const digests = yield* Digest.Digest
  const { client, origin } = yield* ServiceApi
  const { readOwn } = yield* makeReadOwn

  const insert = Effect.fnUntraced(function* (
    kind: GrantKind,
    lifetimeMillis: number,
    bound: Partial<Grant> = {},
    check: (tx: Transaction) => Effect.Effect<void, ToolFailure> = () => Effect.void
  ) {
    if (lifetimeMillis > LIFETIMES_MAX[kind]) {
      return yield* invalid("expires", `At most ${LIFETIMES_MAX[kind] / 3_600_000} hours`)
    }
    const id = yield* random.uuidV4()
    return yield* store.write((tx) =>
      Effect.gen(function* () {
        const identity = readIdentity(tx)
        if (identity === undefined) return yield* marked("identity-not-selected")
        yield* check(tx)
        const { ownerId, profileId } = identity
        const expiresAt = tx.now + lifetimeMillis
        insertGrant(tx, { ...NONE, ...bound, id, kind, origin, ownerId, profileId, expiresAt })
        return { id, expiresAt }
      })
    )
  })

  return {
    /**
     * Returns the end of a grant of this length. It counts from the later of the clock and the last time that this directory
     * saw, so that a clock that is set back lengthens no grant. `seenAt` is that time, if the clock is behind it.
     */
    endOf: Effect.fnUntraced(function* (lifetimeMillis: number) {
      const clock = yield* Clock.currentTimeMillis
      const from = yield* store.read((tx) => Effect.succeed(tx.now))
      return { expiresAt: from + lifetimeMillis, seenAt: from > clock ? from : undefined }
    }),

    /** Reads a draft for a person who decides about it. */
    look: Effect.fnUntraced(function* (postId: PostId) {
      const post = yield* readOwn(postId)
      if (post.status !== "draft") return yield* marked("post-published")
      const digest = yield* Effect.provideService(digestOf(post), Digest.Digest, digests)
      return {
        postId,
        title: post.title,
        revision: post.updatedAt,
        bytes: bytesOf(post.freeContentMarkdown) + bytesOf(post.paidContentMarkdown),
        digest,
        isAttested: post.creationAttested && post.creationMethod !== null,
        freedPart: freedPartOf(post)
      } satisfies SeenDraft
    }),

    /** Allows replies to visible Comments. */
    discussion: (lifetimeMillis: number) => insert("discussion", lifetimeMillis),

    /** Allows one publication of the texts that the person saw. */
    draft: ({ digest, postId, revision }: SeenDraft, lifetimeMillis: number) =>
      insert("draft", lifetimeMillis, { postId, revision, digest }),

    /** Lets an agent declare its own work as such, and publish it. */
    standing: (lifetimeMillis: number) =>
      insert("standing", lifetimeMillis, {}, (tx) => {
        const setup = readSetup(tx)
        return setup?.intent === "agent" && setup.status === "complete"
          ? Effect.void
          : Effect.fail(
              invalid("standing", "Only an identity that `setup new-agent` completed may attest its own work")
            )
      }),

    /** Lets purchases spend up to these amounts. */
    spending: Effect.fnUntraced(function* (
      { maxEachRaw, maxTotalRaw }: SpendingLimits,
      lifetimeMillis: number
    ) {
      if (maxEachRaw <= 0n) return yield* invalid("max-each", "More than nothing")
      if (maxEachRaw > maxTotalRaw) return yield* invalid("max-each", "At most max-total")
      return yield* insert("spending", lifetimeMillis, { workflow: "buy_post", maxTotalRaw, maxEachRaw })
    }),

    /** Ends a permission for good. Returns the number of its grants. */
    revoke: (permission: Permission) =>
      store.write((tx) =>
        Effect.sync(() => KINDS[permission].reduce((ended, kind) => ended + revokeGrants(tx, kind), 0))
      ),

    /** Declares how a draft was made, as an act of the person who saw it. */
    attest: ({ postId, revision }: SeenDraft, creationMethod: CreationMethod, details: string | undefined) =>
      sessions.asPublisher(
        client.posts.update({
          params: { postId },
          headers: { "x-post-revision": revision },
          payload: {
            creationMethod,
            creationAttested: true,
            ...(details === undefined ? {} : { creationDetails: details })
          }
        })
      )
  }
})

/** The acts by which a person gives and ends permissions. Only commands at a terminal use them; tools never do. */
export class GrantActs extends Context.Service<GrantActs, Effect.Success<typeof make>>()(
  "pennypress/mcp/local/GrantActs"
) {
  static readonly layer = Layer.effect(GrantActs, make)
}

import { Clock, Effect } from "effect"
import { Digest } from "effect/crypto"
import type { PublishArguments, PublishedPost } from "../../../../schemas/mcp/local/publishTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { marked } from "../failures/marked.ts"
import { askFor, isActive, requireGrant } from "../grants/Grants.ts"
import { type Asked, isOnItsWay, makeOperation } from "../intents/Operation.ts"
import { StateStore, type Transaction } from "../ports/StateStore.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readGrant, useGrant } from "../state/grants.sql.ts"
import { readSetup } from "../state/setup.sql.ts"
import { digestOf, makeReadOwn } from "./ownPosts.ts"

type Args = Omit<PublishArguments, "intent_id">

/** The Post as it was before its publication, and the digest of its texts. */
interface Look {
  readonly digest: string
  readonly isAttested: boolean
}

/** The permission that an intent was authorized with, and the texts that it is for. */
interface Permit {
  readonly grantId: string
  readonly digest: string
  /** True when the agent declares that it wrote the Post, by a standing attestation. */
  readonly declares: boolean
}

type Result = {
  readonly post: PublishedPost
}

const idOf = ({ post_id: id }: Args) => PostId.make(id.toLowerCase())

const isAgent = (tx: Transaction) => {
  const setup = readSetup(tx)
  return setup?.intent === "agent" && setup.status === "complete"
}

/** Returns the command by which a person says how a Post was made. It asks for a method that is not known. */
const attestCommand = (tx: Transaction, postId: PostId) =>
  `svc-mcp publication attest --post ${postId}${isAgent(tx) ? " --method autonomous_agent" : ""}`

/** Finds the permission for a publication: a grant for these very texts, or the standing one of an agent. */
const permitted = Effect.fnUntraced(function* (
  tx: Transaction,
  { args, look, origin }: { readonly args: Args; readonly look: Look; readonly origin: string }
) {
  const standing = yield* Effect.result(
    isAgent(tx) ? requireGrant(tx, { kind: "standing", origin }) : Effect.fail(marked("grant-required"))
  )
  if (!look.isAttested && standing._tag === "Failure") {
    return yield* marked("attestation-required", {
      nextStep: `Ask a person to run \`${attestCommand(tx, idOf(args))}\``
    })
  }
  const act = { kind: "draft", origin, postId: idOf(args), revision: args.revision } as const
  const draft = yield* Effect.result(requireGrant(tx, act))
  if (draft._tag === "Success" && look.isAttested) {
    const { digest, id } = draft.success
    if (digest !== look.digest) {
      return yield* marked("grant-binding-mismatch", { nextStep: askFor(act) })
    }
    useGrant(tx, id)
    return { grantId: id, digest: look.digest, declares: false } satisfies Permit
  }
  if (standing._tag === "Success") {
    return { grantId: standing.success.id, digest: look.digest, declares: !look.isAttested } satisfies Permit
  }
  return yield* draft._tag === "Failure" ? draft.failure : marked("grant-required", { nextStep: askFor(act) })
})

/** Checks that a permission, which may have been used up for this intent, has not been ended since. */
const stillPermitted = Effect.fnUntraced(function* (tx: Transaction, { grantId }: Permit) {
  const grant = readGrant(tx, grantId)
  if (grant === undefined) return yield* marked("grant-required")
  if (isActive(tx, { ...grant, usedAt: null })) return
  const { origin, postId, revision } = grant
  const nextStep = askFor(
    postId === null || revision === null
      ? { kind: "standing", origin }
      : { kind: "draft", origin, postId, revision }
  )
  return yield* marked("grant-expired", { nextStep })
})

/** Makes the operation that makes a Post public, with a person's permission. */
export const makePublish = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const digests = yield* Digest.Digest
  const { client, origin } = yield* ServiceApi
  const { readOwn } = yield* makeReadOwn

  const digest = (post: Post) => Effect.provideService(digestOf(post), Digest.Digest, digests)

  const isAttested = ({ creationAttested, creationMethod }: Post) =>
    creationAttested && creationMethod !== null

  /** Declares the method of an agent's own work, unless a lost request did so before. */
  const declare = Effect.fnUntraced(function* (args: Args) {
    const post = yield* readOwn(idOf(args))
    if (isAttested(post)) return
    if (post.updatedAt !== args.revision) return yield* marked("revision-conflict")
    yield* sessions.asPublisher(
      client.posts.update({
        params: { postId: idOf(args) },
        headers: { "x-post-revision": args.revision },
        payload: { creationMethod: "autonomous_agent", creationAttested: true }
      })
    )
  })

  const send = Effect.fnUntraced(function* ({
    args,
    intent,
    request
  }: Asked<Args, Permit>): Effect.fn.Return<Result, ToolFailure> {
    if (request.declares) yield* declare(args)
    const { body } = yield* sessions.asPublisher(
      client.posts.publish({
        params: { postId: idOf(args) },
        headers: { "idempotency-key": intent.idempotencyKey },
        payload: {}
      })
    )
    const post = yield* readOwn(idOf(args))
    if ((yield* digest(post)) !== request.digest) return yield* marked("published-other-text")
    const { id, publishedAt, publishResult, stateChanged, url } = body
    return { post: { id, url, publishResult, stateChanged, publishedAt, revision: post.updatedAt } }
  })

  /** Finds out the outcome of a publication whose permission has since ended; nothing more is sent for it. */
  const lookUp = Effect.fnUntraced(function* (
    { args, intent, request }: Asked<Args, Permit>,
    ended: ToolFailure
  ): Effect.fn.Return<Result, ToolFailure> {
    const post = yield* readOwn(idOf(args))
    if (post.publishedAt === null || post.url === null) {
      const now = yield* Clock.currentTimeMillis
      return yield* isOnItsWay(intent, now) ? marked("outcome-unknown") : ended
    }
    if ((yield* digest(post)) !== request.digest) return yield* marked("published-other-text")
    const { id, publishedAt, updatedAt: revision, url } = post
    return { post: { id, url, publishResult: "published", stateChanged: true, publishedAt, revision } }
  })

  const resume = Effect.fnUntraced(function* (asked: Asked<Args, Permit>) {
    const permit = yield* store.read((tx) => Effect.result(stillPermitted(tx, asked.request)))
    return yield* permit._tag === "Success" ? send(asked) : lookUp(asked, permit.failure)
  })

  return makeOperation<Args, Result, Permit, Look>({
    tool: "svc_publish",

    look: Effect.fnUntraced(function* (args: Args) {
      const post = yield* readOwn(idOf(args))
      if (post.status !== "draft") return yield* marked("post-published")
      if (post.updatedAt !== args.revision) return yield* marked("revision-conflict")
      return { digest: yield* digest(post), isAttested: isAttested(post) }
    }),

    authorize: (tx, { args, look }) => permitted(tx, { args, look, origin }),
    dispatch: (tx, { request }) => stillPermitted(tx, request),
    send,
    resume
  })
})

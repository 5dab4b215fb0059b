import { Effect, Option } from "effect"
import type { Draft, UpdateDraftArguments } from "../../../../schemas/mcp/local/draftTools.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { rawOfXno } from "../../../../schemas/platform/Nano.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { PostPatch } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { type Asked, makeOperation } from "../intents/Operation.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { draftOf, makeReadOwn } from "./ownPosts.ts"
import { keptOf, payloadOf } from "./payloads.ts"

type Args = Omit<UpdateDraftArguments, "intent_id">

/** Returns true for a member that the service ignores while the Post has no paid content. */
const isIgnored = ({ enablePaywall, paidContentMarkdown }: Post, name: string) =>
  !enablePaywall &&
  (name === "priceRaw" || name === "priceXno" || (name === "enablePaywall" && !paidContentMarkdown))

const hasPrice = ({ priceRaw }: Post, xno: unknown) =>
  priceRaw !== null && Option.contains(rawOfXno(String(xno)), BigInt(priceRaw))

/** Returns true when a Post has all values of a change. */
const has = (post: Post, patch: PostPatch) =>
  Object.entries(patch).every(([name, value]) => {
    const isSame = name === "priceXno" ? hasPrice(post, value) : post[name as keyof Post] === value
    return isSame || isIgnored(post, name)
  })

/** Makes the operation that changes a draft of one revision. */
export const makeUpdateDraft = Effect.gen(function* () {
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi
  const { readOwn } = yield* makeReadOwn

  const idOf = (args: Args) => PostId.make(args.post_id.toLowerCase())

  const send = ({ args }: Asked<Args, null>) =>
    sessions
      .asPublisher(
        client.posts.update({
          params: { postId: idOf(args) },
          headers: { "x-post-revision": args.revision },
          payload: payloadOf(args.changes)
        })
      )
      .pipe(Effect.map((post): { readonly draft: Draft } => ({ draft: draftOf(post) })))

  return makeOperation<Args, { readonly draft: Draft }>({
    tool: "svc_update_draft",

    look: Effect.fnUntraced(function* (args: Args) {
      yield* checked(PostPatch)(payloadOf(args.changes))
      const { status, updatedAt } = yield* readOwn(idOf(args))
      if (status !== "draft") return yield* marked("post-published")
      if (updatedAt !== args.revision) return yield* marked("revision-conflict")
      return null
    }),

    send,

    resume: Effect.fnUntraced(function* (asked: Asked<Args, null>) {
      const post = yield* readOwn(idOf(asked.args))
      if (post.updatedAt === asked.args.revision) return yield* send(asked)
      if (!has(post, keptOf(asked.args.changes))) return yield* marked("revision-conflict")
      return { draft: draftOf(post) }
    })
  })
})

import { Clock, DateTime, Effect } from "effect"
import type { CreateDraftArguments, Draft } from "../../../../schemas/mcp/local/draftTools.ts"
import type { Post } from "../../../../schemas/publishing/posts/Post.ts"
import { PostDraft } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { checked } from "../failures/checkedArguments.ts"
import { marked } from "../failures/marked.ts"
import { type Asked, makeOperation } from "../intents/Operation.ts"
import { StateStore } from "../ports/StateStore.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"
import { readCredential } from "../state/credentials.sql.ts"
import { draftOf } from "./ownPosts.ts"
import { keptOf, payloadOf } from "./payloads.ts"

type Args = Omit<CreateDraftArguments, "intent_id">

/** Time for which the service keeps an Idempotency-Key of one Publishing key, 24 hours, less an hour. */
const KEY_MILLIS = 23 * 3_600_000

/** Maximum difference between this clock and that of the service. */
const CLOCKS_MILLIS = 300_000

/** Maximum number of pages of own Posts that a search for a lost draft reads. */
const PAGES_MAX = 20
const PER_PAGE = 50

const isSame = (args: Args, post: Post) => {
  const { freeContentMarkdown, paidContentMarkdown, title = "" } = keptOf(args)
  return (
    post.title === title &&
    (post.freeContentMarkdown ?? "") === (freeContentMarkdown ?? "") &&
    (post.paidContentMarkdown ?? "") === (paidContentMarkdown ?? "")
  )
}

/** Makes the operation that creates a draft once. */
export const makeCreateDraft = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const { client } = yield* ServiceApi

  const send = ({ args, intent }: Asked<Args, null>) =>
    sessions
      .asPublisher(
        client.posts.create({
          headers: { "idempotency-key": intent.idempotencyKey },
          payload: payloadOf(args)
        })
      )
      .pipe(Effect.map(({ body }): { readonly draft: Draft } => ({ draft: draftOf(body) })))

  /** Returns true while the service recognizes a repeat of the request. */
  const hasKey = Effect.fnUntraced(function* ({ dispatchedAt, keyId }: Asked<Args, null>["intent"]) {
    const now = yield* Clock.currentTimeMillis
    const key = yield* store.read((tx) => Effect.succeed(readCredential(tx, "publishing-key")))
    return key?.keyId === keyId && now - (dispatchedAt ?? 0) < KEY_MILLIS
  })

  /** Finds the draft of a request whose key has expired, among the Posts that were created since. */
  const found = Effect.fnUntraced(function* ({ args, intent }: Asked<Args, null>) {
    const since = intent.authorizedAt - CLOCKS_MILLIS
    const matches: Array<Post> = []
    for (let page = 1; page <= PAGES_MAX; page++) {
      const { data, perPage, total } = yield* sessions.asPublisher(
        client.posts.list({ query: { page, per_page: PER_PAGE } })
      )
      matches.push(
        ...data.filter(
          (post) => DateTime.makeUnsafe(post.createdAt).epochMilliseconds >= since && isSame(args, post)
        )
      )
      if (page * perPage >= total) break
    }
    const [match] = matches
    if (match === undefined || matches.length > 1) {
      return yield* marked("outcome-unknown", { nextStep: "Look for the draft with svc_list_drafts" })
    }
    return { draft: draftOf(match) }
  })

  return makeOperation<Args, { readonly draft: Draft }>({
    tool: "svc_create_draft",
    look: (args) =>
      args.free_content_markdown === undefined && args.paid_content_markdown === undefined
        ? Effect.fail(
            marked("validation", {
              fields: [
                {
                  field: "free_content_markdown",
                  code: "required",
                  message: "Send at least one of the two texts"
                }
              ]
            })
          )
        : Effect.as(checked(PostDraft)(payloadOf(args)), null),
    send,
    resume: (asked) =>
      Effect.flatMap(hasKey(asked.intent), (isKnown) => (isKnown ? send(asked) : found(asked)))
  })
})

import { Effect } from "effect"
import { PART_BYTES } from "../../../../schemas/mcp/arguments.ts"
import {
  type CreateDraftArguments,
  DraftToolkit,
  type ListDraftsArguments,
  type ReadDraftArguments,
  type UpdateDraftArguments
} from "../../../../schemas/mcp/local/draftTools.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { partOf } from "../../tools/untrusted.ts"
import { Intents } from "../intents/Intents.ts"
import { makeCreateDraft } from "../posts/CreateDraft.ts"
import { draftOf, makeReadOwn } from "../posts/ownPosts.ts"
import { makeUpdateDraft } from "../posts/UpdateDraft.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { Sessions } from "../service/Sessions.ts"

/** The handlers of the toolset `drafts`. */
export const makeDraftHandlers = Effect.gen(function* () {
  const sessions = yield* Sessions
  const intents = yield* Intents
  const { client } = yield* ServiceApi
  const { readOwn } = yield* makeReadOwn
  const createDraft = yield* makeCreateDraft
  const updateDraft = yield* makeUpdateDraft

  const list = Effect.fnUntraced(function* ({ page = 1, per_page: perPage = 20 }: ListDraftsArguments) {
    const found = yield* sessions.asPublisher(
      client.posts.list({ query: { status: "draft", page, per_page: perPage } })
    )
    return { drafts: found.data.map(draftOf), total: found.total, page: found.page, perPage: found.perPage }
  })

  const read = Effect.fnUntraced(function* (wanted: ReadDraftArguments) {
    const { max_bytes: bytesMax = PART_BYTES.default, offset = 0, section } = wanted
    const post = yield* readOwn(PostId.make(wanted.post_id.toLowerCase()))
    const draft = draftOf(post)
    if (section === undefined) return { draft, content: null }
    const whole = (section === "free" ? post.freeContentMarkdown : post.paidContentMarkdown) ?? ""
    const { nextOffset, text: markdown } = partOf(whole, offset, bytesMax)
    return { draft, content: { section, markdown, nextOffset } }
  })

  return DraftToolkit.of({
    svc_list_drafts: list,
    svc_read_draft: read,
    svc_create_draft: ({ intent_id: id, ...args }: CreateDraftArguments) =>
      intents.run(createDraft, args, id),
    svc_update_draft: ({ intent_id: id, ...args }: UpdateDraftArguments) => intents.run(updateDraft, args, id)
  })
})

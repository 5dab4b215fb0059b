import { Effect, Option, Schema } from "effect"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { tipStatements } from "./tip.sql.ts"

const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodePostId = Schema.decodeUnknownOption(PostId)

/** Makes the function that returns what a tip is for, and the handle of its receiver. */
export const makeTipTargetOf = Effect.gen(function* () {
  const discovery = yield* Discovery
  const { comment } = yield* tipStatements

  return Effect.fn("tipTargetOf")(function* (query: URLSearchParams) {
    const id = decodeCommentId(query.get("comment"))
    if (Option.isSome(id)) {
      const found = yield* comment(id.value)
      if (Option.isNone(found)) return yield* new NotFound()
      const { handle, post_id, thread_root_id } = found.value
      const post = yield* discovery.post(post_id)
      const url = `${post.url}/comments?thread=${thread_root_id}#c-${id.value}`
      return { handle, of: { name: "commentId", id: id.value, title: post.title, url } } as const
    }
    const postId = decodePostId(query.get("post"))
    if (Option.isNone(postId)) return { handle: query.get("handle") ?? "", of: null }
    const { author, title, url } = yield* discovery.post(postId.value)
    return { handle: author.handle, of: { name: "postId", id: postId.value, title, url } } as const
  })
})

/** Makes the function that returns the handle of an author whom readers see. */
export const makeHandleOf = Effect.map(tipStatements, ({ handleOf }) => handleOf)

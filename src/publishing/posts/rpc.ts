import { Effect } from "effect"
import { CurrentPublisher } from "../../../schemas/platform/security/authorities.ts"
import { PostDraft, PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { PostsRpcs } from "../../../schemas/publishing/posts/rpc.ts"
import { checked } from "../../platform/http/checked.ts"
import { Posts } from "./Posts.ts"
import { Publishing } from "./Publishing.ts"

const checkedDraft = checked(PostDraft)
const checkedPatch = checked(PostPatch)

/** Handlers of the procedures for own Posts. */
export const PostsRpc = PostsRpcs.toLayer(
  Effect.gen(function* () {
    const posts = yield* Posts
    const publishing = yield* Publishing

    return PostsRpcs.of({
      "posts.create": Effect.fnUntraced(function* ({ draft, idempotencyKey }) {
        return yield* posts.create(yield* CurrentPublisher, yield* checkedDraft(draft), idempotencyKey)
      }),
      "posts.list": Effect.fnUntraced(function* (query) {
        return yield* posts.list(yield* CurrentPublisher, query)
      }),
      "posts.read": Effect.fnUntraced(function* ({ postId }) {
        return yield* posts.read(yield* CurrentPublisher, postId)
      }),
      "posts.update": Effect.fnUntraced(function* ({ patch, postId, revision }) {
        return yield* posts.update(yield* CurrentPublisher, postId, yield* checkedPatch(patch), revision)
      }),
      "posts.remove": Effect.fnUntraced(function* ({ postId }) {
        yield* posts.remove(yield* CurrentPublisher, postId)
      }),
      "posts.publish": Effect.fnUntraced(function* ({ idempotencyKey, postId }) {
        return yield* publishing.publish(yield* CurrentPublisher, postId, idempotencyKey)
      }),
      "posts.unpublish": Effect.fnUntraced(function* ({ idempotencyKey, postId }) {
        return yield* publishing.unpublish(yield* CurrentPublisher, postId, idempotencyKey)
      })
    })
  })
)

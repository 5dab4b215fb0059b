import { Effect } from "effect"
import { PostId } from "../../../schemas/platform/Ids.ts"
import { commenterOf } from "../../support/actors/commenter.ts"
import { hiddenAt, postBy } from "../desk/author.ts"
import type { DeskAuthor, DeskForm } from "../desk/DeskForm.ts"

/** Publishes a post of the author, on which another account comments. Returns the values in the forms of the comment. */
const discussed = Effect.fnUntraced(function* (author: DeskAuthor) {
  const post = PostId.make((yield* postBy(author)).replace("/write/", ""))
  const reader = yield* commenterOf(author.number + 2_000)
  const { id: comment } = yield* reader.say(post, "Well said")
  return { comment, post, ...(yield* hiddenAt(author.reader, "/desk/comments")) }
})

/** The forms of the comments that an author receives. */
export const forms: ReadonlyArray<DeskForm> = [
  {
    name: "answer a comment from the desk",
    typed: "A long answer",
    request: (author) =>
      Effect.map(discussed(author), ({ comment, key, post }) => ({
        path: `/respond/${post}`,
        fields: { key, to: comment, desk: "", text: "A long answer" }
      }))
  },
  {
    name: "delete a comment that was received",
    isOfOwn: true,
    request: (author) =>
      Effect.map(discussed(author), ({ comment }) => ({
        path: "/desk/comments/delete",
        fields: { comment, desk: "" }
      }))
  },
  {
    name: "close the comments on a post",
    needsKey: true,
    stale: { revision: "2000-01-01T00:00:00.000000Z" },
    isOfOwn: true,
    isOnce: true,
    request: (author) =>
      Effect.map(discussed(author), ({ post, revision }) => ({
        path: "/desk/comments/close",
        fields: { post, revision, closed: "yes", desk: "" }
      }))
  }
]

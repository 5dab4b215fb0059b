import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Cursor } from "../../../schemas/platform/Cursor.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Comments } from "../../engagement/comments/Comments.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { makeBrowser } from "../browser/http.ts"
import {
  type CommentsPlace,
  commentsPlaceOf,
  RECEIVED_COMMENTS,
  receivedCommentsPath
} from "../browser/paths.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { refusalOf } from "../write/refusals.ts"
import { receivedCommentsPage } from "./receivedCommentsPage.ts"

/** Comments of a page. */
const COMMENTS = 20

const decodeCursor = Schema.decodeUnknownEffect(Cursor)
const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodePostId = Schema.decodeUnknownOption(PostId)

const CHANGED = "That post was changed elsewhere. Check it, then press the button again."

/** Serves the comments that an author receives: to answer and delete them, and to close their discussions. */
export const ReceivedCommentRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const comments = yield* Comments
    const posts = yield* Posts
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { publisherAt } = yield* makeAsPublisher
    const { answering, page, query, readFormWithCuts, seeOther } = yield* makePrivatePages

    interface Said {
      readonly done: string | null
      readonly refused: string | null
    }

    const shown = (owner: BrowserAuthority, place: CommentsPlace, said: Said, status?: number) =>
      Effect.gen(function* () {
        const { after, isAll, post } = place
        const received = yield* comments.received(owner, {
          limit: COMMENTS,
          isToAnswer: isAll !== true,
          ...(post === undefined ? {} : { postId: PostId.make(post) }),
          ...(after === undefined ? {} : { cursor: yield* decodeCursor(after) })
        })
        const withKeys = yield* Effect.forEach(received.comments, (comment) =>
          Effect.map(random.uuidV4(), (key) => ({ comment, key }))
        )
        const { nextCursor: next } = received.pagination
        return page(
          receivedCommentsPage({
            comments: withKeys,
            place,
            next,
            now: yield* now,
            isModerator: owner.isModerator,
            ...said
          }),
          status
        )
        // A cursor of no list leads nowhere.
      }).pipe(Effect.mapError(() => new NotFound()))

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const place = commentsPlaceOf(asked)
      return yield* browser.asOwner(receivedCommentsPath(place), (owner) =>
        shown(owner, place, { done: asked.get("done"), refused: null })
      )
    })

    const remove = Effect.gen(function* () {
      const form = yield* readFormWithCuts({ desk: LENGTHS.line, comment: LENGTHS.word })
      const place = commentsPlaceOf(new URLSearchParams(form.get("desk")))
      const id = decodeCommentId(form.get("comment"))
      if (Option.isNone(id)) return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(receivedCommentsPath(place), (owner) =>
        comments.remove(owner, id.value).pipe(
          Effect.as(seeOther(receivedCommentsPath(place, "deleted"))),
          // The page has no comments on posts of others.
          Effect.catchTag("Forbidden", () => Effect.fail(new NotFound()))
        )
      )
    })

    /** Closes the discussion of a post, or opens it again, if the post is still as the author saw it. */
    const close = Effect.gen(function* () {
      const form = yield* readFormWithCuts({
        desk: LENGTHS.line,
        post: LENGTHS.word,
        revision: LENGTHS.word,
        closed: LENGTHS.word
      })
      const place = commentsPlaceOf(new URLSearchParams(form.get("desk")))
      const id = decodePostId(form.get("post"))
      const revision = form.get("revision")
      const closed = form.get("closed")
      if (Option.isNone(id) || revision === undefined || (closed !== "yes" && closed !== "no"))
        return yield* new FormRefused({ status: 400 })
      const isClosed = closed === "yes"
      const back = receivedCommentsPath(place)
      return yield* publisherAt(back, (publisher, owner) =>
        Effect.matchEffect(posts.update(publisher, id.value, { commentsEnabled: !isClosed }, revision), {
          onSuccess: () =>
            Effect.succeed(seeOther(receivedCommentsPath(place, isClosed ? "closed" : "opened"))),
          onFailure: (error) => {
            if (error._tag === "NotFound") return Effect.fail(error)
            const { refused, status, told } = refusalOf(error)
            const why =
              error._tag === "RevisionConflict" ? CHANGED : (told?.said ?? refused[0]?.sentence ?? CHANGED)
            return shown(owner, place, { done: null, refused: why }, status)
          }
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", RECEIVED_COMMENTS, answering(show)),
      addPrivatePage("POST", `${RECEIVED_COMMENTS}/delete`, answering(remove)),
      addPrivatePage("POST", `${RECEIVED_COMMENTS}/close`, answering(close))
    )
  })
)

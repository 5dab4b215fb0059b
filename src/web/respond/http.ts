import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import { CommentDraft } from "../../../schemas/engagement/comments/Comment.ts"
import { ReportDraft } from "../../../schemas/engagement/reports/Report.ts"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { PublicPost } from "../../../schemas/publishing/discovery/Discovery.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { Comments } from "../../engagement/comments/Comments.ts"
import { Follows } from "../../engagement/follows/Follows.ts"
import { Reactions } from "../../engagement/reactions/Reactions.ts"
import type { ReactionTarget } from "../../engagement/reactions/ReactionTarget.ts"
import { Reports } from "../../engagement/reports/Reports.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { makeBrowser } from "../browser/http.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { type AnsweredView, Done, type Refused, respondPage, respondPath } from "./respondPage.ts"

const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodeComment = Schema.decodeUnknownOption(CommentDraft)
const decodeReport = Schema.decodeUnknownOption(ReportDraft)
const decodeDone = Schema.decodeUnknownOption(Done)
const isKey = Schema.is(SessionIdempotencyKey)

const TEXT = "Write 1 to 2000 characters that readers can see."
const NOT_SIGNED_IN = "You're not signed in. Sign in and send it again."

/** A text that a reader has sent. */
interface Sent {
  readonly owner: OwnerAuthority
  readonly post: PublicPost
  /** The Comment that it is about; null for the Post. */
  readonly to: CommentId | null
  readonly text: string
  readonly key: string
}

/** Serves the forms of readers: comments, answers, reports and deletions, under the limits of the API. */
export const RespondRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const comments = yield* Comments
    const reactions = yield* Reactions
    const follows = yield* Follows
    const profiles = yield* Profiles
    const reports = yield* Reports
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const postOfPath = Effect.flatMap(postIdOf, discovery.post)

    /** Returns a Comment on a Post as the owner sees it. */
    const answered = Effect.fnUntraced(function* (
      owner: OwnerAuthority,
      post: PublicPost,
      id: CommentId
    ): Effect.fn.Return<AnsweredView, NotFound> {
      const comment = yield* comments.read(owner, id)
      if (comment.postId !== post.id) return yield* new NotFound()
      return { ...comment, isOwn: comment.author.id === owner.ownerId }
    })

    const readerOf = Effect.fnUntraced(function* (
      owner: OwnerAuthority,
      { author, id }: PublicPost,
      to: CommentId | null
    ) {
      const target: ReactionTarget =
        to === null ? { kind: "post", id } : { kind: "comment", id: to, postId: id }
      // A deleted Comment has no reactions.
      const found = yield* Effect.option(reactions.read(target, owner.ownerId, {}))
      const summary = Option.map(found, ({ reactors }) => reactors.summary)
      const { following } = yield* follows.read(owner, author.id)
      const { handle, name } = yield* profiles.own(owner)
      return {
        reaction: Option.getOrNull(Option.map(summary, ({ viewerReaction }) => viewerReaction)),
        counts: Option.getOrUndefined(Option.map(summary, ({ counts }) => counts)),
        isFollowing: following,
        isAuthor: author.id === owner.ownerId,
        isNameless: isReservedName(name) || isGeneratedHandle(handle)
      }
    })

    interface Showing {
      readonly to: CommentId | null
      readonly done: Done | null
      readonly refused: Refused | null
      readonly status: number
    }

    const shown = Effect.fnUntraced(function* ({ done, refused, status, to }: Showing) {
      const post = yield* postOfPath
      const owner = yield* browser.owner
      const isSignedIn = Option.isSome(owner)
      const comment = isSignedIn && to !== null ? yield* answered(owner.value, post, to) : null
      const reader = isSignedIn ? yield* readerOf(owner.value, post, to) : null
      const keys = { comment: yield* random.uuidV4(), report: yield* random.uuidV4() }
      return page(respondPage({ post, to, comment, keys, reader, done, refused }), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const { id } = yield* postOfPath
      const to = Option.getOrNull(decodeCommentId(asked.get("to")))
      const done = Option.getOrNull(decodeDone(asked.get("done")))
      return yield* browser.asOwner(respondPath(id, to), () =>
        shown({ to, done, refused: null, status: 200 })
      )
    })

    /** Saves a text and redirects to a path, or returns the text with the reason of its refusal. */
    const writing = (
      form: Refused["form"],
      save: (sent: Sent) => Effect.Effect<string | { readonly refused: string }, NotFound | FormRefused>
    ) =>
      Effect.gen(function* () {
        const fields = yield* readForm
        const text = (fields.get("text") ?? "").replaceAll("\r\n", "\n")
        const to = Option.getOrNull(decodeCommentId(fields.get("to")))
        const key = fields.get("key")
        const back = (reason: string, status: number) =>
          shown({ to, done: null, refused: { form, text, reason }, status })
        const owner = yield* browser.owner
        if (Option.isNone(owner)) return yield* back(NOT_SIGNED_IN, 403)
        if (owner.value.isRestricted) return browser.restricted
        if (!isKey(key)) return yield* new FormRefused({ status: 400 })
        yield* browser.counted(owner.value)
        const post = yield* postOfPath
        const saved = yield* save({ owner: owner.value, post, to, text, key })
        return typeof saved === "string" ? seeOther(saved) : yield* back(saved.refused, 409)
      })

    const refusedFor = (refused: string) => Effect.succeed({ refused })

    const comment = writing("comment", ({ key, owner, post, text, to }) => {
      const draft = decodeComment({ content: text, ...(to === null ? {} : { parentCommentId: to }) })
      if (Option.isNone(draft)) return refusedFor(TEXT)
      return comments.append(owner, post.id, draft.value, key).pipe(
        Effect.map(({ id }) => respondPath(post.id, id, "sent")),
        Effect.catchTags({
          AccountRestricted: () => refusedFor("Our moderators have restricted your account."),
          CommentNotReloaded: ({ commentId }) => Effect.succeed(respondPath(post.id, commentId, "sent")),
          CommenterIncomplete: () => refusedFor("Choose a name and a handle first. Then send it again."),
          CommentsDisabled: () => refusedFor("The author has turned off comments on this post."),
          IdempotencyConflict: () =>
            refusedFor("You already sent a different comment from this page. Send this one, too?"),
          RateLimited: ({ retryAfterSeconds }) =>
            refusedFor(`You are commenting too fast. Send it again in ${retryAfterSeconds} seconds.`),
          Validation: ({ errors }) => refusedFor(errors[0]?.message ?? TEXT)
        })
      )
    })

    const report = writing("report", ({ key, owner, post, text, to }) => {
      const draft = decodeReport({ reason: text })
      if (Option.isNone(draft)) return refusedFor(TEXT)
      const what = to === null ? "post" : "comment"
      const target =
        to === null ? { kind: "post" as const, id: post.id } : { kind: "comment" as const, id: to }
      return reports.report(owner, target, draft.value.reason, key).pipe(
        Effect.as(respondPath(post.id, to, "reported")),
        Effect.catchTags({
          DuplicateReport: () =>
            refusedFor(`You have already reported this ${what}. Moderators will look at it.`),
          Forbidden: () => refusedFor(`This is your own ${what}.`),
          IdempotencyConflict: () =>
            refusedFor("You already sent a different report from this page. Send this one, too?"),
          RateLimited: () => refusedFor("You've sent a lot of reports today. Please send this one tomorrow.")
        })
      )
    })

    const remove = Effect.gen(function* () {
      const form = yield* readForm
      const post = yield* postOfPath
      const to = decodeCommentId(form.get("to"))
      if (Option.isNone(to)) return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(respondPath(post.id, to.value), (owner) =>
        answered(owner, post, to.value).pipe(
          Effect.andThen(comments.remove(owner, to.value)),
          Effect.as(seeOther(respondPath(post.id, to.value, "deleted"))),
          // The page of another's Comment has no such button.
          Effect.catchTag("Forbidden", () => Effect.fail(new NotFound()))
        )
      )
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/respond/:postId", answering(show)),
      HttpRouter.add("POST", "/respond/:postId", answering(comment)),
      HttpRouter.add("POST", "/respond/:postId/delete", answering(remove)),
      HttpRouter.add("POST", "/report/:postId", answering(report))
    )
  })
)

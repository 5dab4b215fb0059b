import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { COMMENT_DEPTH_MAX, CommentDraft } from "../../../schemas/engagement/comments/Comment.ts"
import { ReportDraft } from "../../../schemas/engagement/reports/Report.ts"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, type PostId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { PublicPost } from "../../../schemas/publishing/discovery/Discovery.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { Comments } from "../../engagement/comments/Comments.ts"
import { Follows } from "../../engagement/follows/Follows.ts"
import { Reactions } from "../../engagement/reactions/Reactions.ts"
import type { ReactionTarget } from "../../engagement/reactions/ReactionTarget.ts"
import { Reports } from "../../engagement/reports/Reports.ts"
import { FormRefused, unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { makeBrowser } from "../browser/http.ts"
import { backToComments } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { chosenNames, profilePage } from "../profile/profilePage.ts"
import { Done, type Refused, respondPage, respondPath } from "./respondPage.ts"
import { makeSentBefore } from "./sentBefore.ts"

const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodeComment = Schema.decodeUnknownOption(CommentDraft)
const decodeReport = Schema.decodeUnknownOption(ReportDraft)
const decodeDone = Schema.decodeUnknownOption(Done)
const isKey = Schema.is(SessionIdempotencyKey)

const TEXT = "Write 1 to 2000 characters that readers can see."

/** Says to a reader who is not signed in what happens to the text. */
const SAID = {
  comment: "You're not signed in. Sign in, and we'll post your comment.",
  report: "You're not signed in. Sign in, and we'll send your report to our moderators."
} as const

const NAME_FIRST = "Choose a name and a handle first. Then we'll post your comment."

/** A text that a reader has sent. */
interface Sent {
  readonly owner: OwnerAuthority
  readonly post: PublicPost
  /** The Comment that it is about; null for the Post. */
  readonly to: CommentId | null
  readonly text: string
  /** Null for a comment from a page that is the same for every reader, and so has no key. */
  readonly key: string | null
  /** The page of received comments from which it was sent; null for one that was sent from elsewhere. */
  readonly desk: string | null
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
    const sentBefore = yield* makeSentBefore
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, readFormWithCuts, seeOther } = yield* makePrivatePages

    const postOfPath = Effect.flatMap(postIdOf, discovery.post)

    /** Returns a Comment on a Post as the owner sees it. */
    const answered = Effect.fnUntraced(function* (owner: OwnerAuthority, post: PublicPost, id: CommentId) {
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
      const { follow } = yield* follows.read(owner, author.id)
      return {
        reaction: Option.getOrNull(Option.map(summary, ({ viewerReaction }) => viewerReaction)),
        counts: Option.getOrUndefined(Option.map(summary, ({ counts }) => counts)),
        follow,
        isAuthor: author.id === owner.ownerId
      }
    })

    interface Showing {
      readonly owner: OwnerAuthority
      readonly to: CommentId | null
      readonly done: Done | null
      readonly refused: Refused | null
      readonly status: number
      readonly desk: string | null
    }

    const shown = Effect.fnUntraced(function* ({ desk, done, owner, refused, status, to }: Showing) {
      const post = yield* postOfPath
      const comment =
        to === null
          ? null
          : yield* answered(owner, post, to).pipe(
              // A refusal returns the text even if the comment is gone.
              Effect.catchTag("NotFound", (missing) =>
                refused === null ? Effect.fail(missing) : Effect.succeed(null)
              )
            )
      const reader = yield* readerOf(owner, post, to)
      const keys = { comment: yield* random.uuidV4(), report: yield* random.uuidV4() }
      return page(respondPage({ post, to, comment, keys, reader, done, refused, desk }), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const asked = yield* query
      const { id } = yield* postOfPath
      const to = Option.getOrNull(decodeCommentId(asked.get("to")))
      const done = Option.getOrNull(decodeDone(asked.get("done")))
      return yield* browser.asOwner(respondPath(id, to), (owner) =>
        shown({ owner, to, done, refused: null, status: 200, desk: null })
      )
    })

    /** A comment of an owner without a name. */
    interface Unnamed {
      readonly postId: PostId
      readonly to: CommentId | null
      readonly form: Pick<SentForm, "entries">
    }

    /** Asks an owner for the name that a comment needs. The comment waits for it. */
    const askForName = Effect.fnUntraced(function* (owner: OwnerAuthority, { form, postId, to }: Unnamed) {
      const onward = yield* browser.keep(respondPath(postId, to), `/respond/${postId}`, form, NAME_FIRST)
      const names = chosenNames(yield* profiles.own(owner))
      return page(profilePage({ onward, ...names, began: names, wrong: {}, isShownSupporter: null }), 409)
    })

    type Outcome = string | { readonly refused: string } | { readonly needs: "name" }

    /** Saves a text and redirects to a path, or returns the text with the reason of its refusal. */
    const writing = (
      form: Refused["form"],
      save: (sent: Sent) => Effect.Effect<Outcome, NotFound | FormRefused>
    ) =>
      Effect.gen(function* () {
        const fields = yield* readFormWithCuts({
          text: LENGTHS.text,
          to: LENGTHS.word,
          key: LENGTHS.word,
          desk: LENGTHS.line
        })
        const id = yield* postIdOf
        const text = fields.get("text") ?? ""
        const to = Option.getOrNull(decodeCommentId(fields.get("to")))
        // The page of a Post has no key, and no form of a report.
        const key = fields.get("key") ?? null
        const desk = fields.get("desk") ?? null
        if (key === null ? form === "report" : !isKey(key)) return yield* unreadable(fields)
        const act = Effect.fnUntraced(function* (owner: OwnerAuthority) {
          const post = yield* discovery.post(id)
          const saved = fields.cut.includes("text")
            ? { refused: TEXT }
            : yield* save({ owner, post, to, text, key, desk })
          if (typeof saved === "string") return seeOther(saved)
          if ("needs" in saved) return yield* askForName(owner, { postId: id, to, form: fields })
          const refused = { form, text, reason: saved.refused }
          return yield* shown({ owner, to, done: null, refused, status: 409, desk })
        })
        return yield* browser.asOwner(respondPath(id, to), act, { said: SAID[form] })
      })

    const refusedFor = (refused: string) => Effect.succeed({ refused })

    /** Names what a reply answers. Below the deepest place, replies stand side by side. */
    const addressOf = Effect.fnUntraced(function* ({ owner, post, to }: Sent) {
      if (to === null) return {}
      // The service says why a comment that is gone takes no reply.
      const comment = Option.getOrUndefined(yield* Effect.option(answered(owner, post, to)))
      return comment === undefined || comment.depth < COMMENT_DEPTH_MAX
        ? { parentCommentId: to }
        : { parentCommentId: comment.parentCommentId, replyTargetCommentId: to }
    })

    const comment = writing("comment", (sent) => {
      const { desk, key, owner, post, text } = sent
      const next = (id: CommentId) =>
        desk === null ? respondPath(post.id, id, "sent") : backToComments(desk, "sent")
      const draft = decodeComment({ content: text })
      if (Option.isNone(draft)) return refusedFor(TEXT)
      return Effect.gen(function* () {
        const before =
          key === null
            ? yield* sentBefore(owner, { postId: post.id, to: sent.to, text: draft.value.content })
            : { id: null, key }
        if (before.id !== null) return next(before.id)
        const address = yield* addressOf(sent)
        const { id } = yield* comments.append(owner, post.id, { ...draft.value, ...address }, before.key)
        return next(id)
      }).pipe(
        Effect.catchTags({
          AccountRestricted: () => refusedFor("Our moderators have restricted your account."),
          CommentNotReloaded: ({ commentId }) => Effect.succeed(next(commentId)),
          CommenterIncomplete: () => Effect.succeed({ needs: "name" as const }),
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
      if (key === null) return refusedFor(TEXT)
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
      const form = yield* readForm({ to: LENGTHS.word })
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
      addPrivatePage("GET", "/respond/:postId", answering(show)),
      addPrivatePage("POST", "/respond/:postId", answering(comment)),
      addPrivatePage("POST", "/respond/:postId/delete", answering(remove)),
      addPrivatePage("POST", "/report/:postId", answering(report))
    )
  })
)

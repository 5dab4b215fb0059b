import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { CommentDraft } from "../../../schemas/engagement/comments/Comment.ts"
import { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import { ReportDraft } from "../../../schemas/engagement/reports/Report.ts"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import { CurrentOwner, type OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Comments } from "../../engagement/comments/Comments.ts"
import { Follows } from "../../engagement/follows/Follows.ts"
import { Reactions } from "../../engagement/reactions/Reactions.ts"
import { Reports } from "../../engagement/reports/Reports.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { messagePage } from "../../platform/pages/messagePage.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { makeBrowser } from "../browser/http.ts"
import { type Refused, respondPage } from "./respondPage.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeOwnerId = Schema.decodeUnknownOption(OwnerId)
const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodeReaction = Schema.decodeUnknownOption(Reaction)
const decodeComment = Schema.decodeUnknownOption(CommentDraft)
const decodeReport = Schema.decodeUnknownOption(ReportDraft)
const isKey = Schema.is(SessionIdempotencyKey)

const TEXT = "Write 1 to 2000 characters that readers can see."
const NOT_SIGNED_IN = "You are not signed in. Sign in, and send it again."

const restricted = messagePage({
  title: "Your account is restricted",
  said: "Moderators have restricted it, so it reads and writes nothing here."
})

const own = messagePage({
  title: "This is your own",
  said: "Readers react to what others wrote, and follow others."
})

/** Serves the forms of readers: comments, reactions, follows and reports, under the limits of the API. */
export const RespondRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const comments = yield* Comments
    const reactions = yield* Reactions
    const follows = yield* Follows
    const reports = yield* Reports
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, readForm, seeOther } = yield* makePrivatePages

    const postOfPath = Effect.gen(function* () {
      const { postId } = yield* HttpRouter.params
      const id = decodePostId(postId)
      return Option.isNone(id) ? yield* new NotFound() : yield* discovery.post(id.value)
    })

    const stateOf = Effect.fnUntraced(function* (owner: OwnerAuthority, postId: PostId, author: OwnerId) {
      const found = yield* reactions.read({ kind: "post", id: postId }, owner.ownerId, {})
      const { following } = yield* follows.read(owner, author)
      return { reaction: found.reactors.summary.viewerReaction, isFollowing: following }
    })

    const shown = Effect.fnUntraced(function* (
      refused: Refused | null,
      replyTo: CommentId | null,
      status: number
    ) {
      const post = yield* postOfPath
      const owner = yield* browser.owner
      const state = Option.isNone(owner) ? null : yield* stateOf(owner.value, post.id, post.author.id)
      const keys = { comment: yield* random.uuidV4(), report: yield* random.uuidV4() }
      return page(respondPage({ post, keys, state, refused, replyTo }), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const { url } = yield* HttpServerRequest.HttpServerRequest
      const query = new URL(url, "http://localhost").searchParams
      const owner = yield* browser.owner
      const { id } = yield* postOfPath
      const replyTo = Option.getOrNull(decodeCommentId(query.get("to")))
      const back = replyTo === null ? `/respond/${id}` : `/respond/${id}?to=${replyTo}`
      if (Option.isNone(owner)) return seeOther(`/sign-in?back=${encodeURIComponent(back)}`)
      return yield* shown(null, replyTo, 200)
    })

    /** Counts a form of an owner as the API does. */
    const counted = (owner: OwnerAuthority) => Effect.provideService(count("account"), CurrentOwner, owner)

    /** Takes a text, or gives it back with the reason. */
    const writing = (
      form: Refused["form"],
      save: (
        owner: OwnerAuthority,
        post: { readonly id: PostId; readonly url: string },
        sent: { readonly text: string; readonly key: string; readonly replyTo: CommentId | null }
      ) => Effect.Effect<string | { readonly refused: string }, NotFound | FormRefused>
    ) =>
      Effect.gen(function* () {
        const fields = yield* readForm
        const text = (fields.get("text") ?? "").replaceAll("\r\n", "\n")
        const replyTo = Option.getOrNull(decodeCommentId(fields.get("replyTo")))
        const key = fields.get("key")
        const owner = yield* browser.owner
        if (Option.isNone(owner)) return yield* shown({ form, text, reason: NOT_SIGNED_IN }, replyTo, 403)
        if (owner.value.isRestricted) return page(restricted, 403)
        if (!isKey(key)) return yield* new FormRefused({ status: 400 })
        yield* counted(owner.value)
        const post = yield* postOfPath
        const saved = yield* save(owner.value, post, { text, key, replyTo })
        return typeof saved === "string"
          ? seeOther(saved)
          : yield* shown({ form, text, reason: saved.refused }, replyTo, 409)
      })

    const refusedFor = (refused: string) => Effect.succeed({ refused })

    const comment = writing("comment", (owner, post, { key, replyTo, text }) => {
      const draft = decodeComment({
        content: text,
        ...(replyTo === null ? {} : { parentCommentId: replyTo })
      })
      if (Option.isNone(draft)) return refusedFor(TEXT)
      return comments.append(owner, post.id, draft.value, key).pipe(
        Effect.map(({ id }) => `${post.url}#c-${id}`),
        Effect.catchTags({
          AccountRestricted: () => refusedFor("Moderators have restricted your account."),
          CommentNotReloaded: ({ commentId }) => Effect.succeed(`${post.url}#c-${commentId}`),
          CommenterIncomplete: () =>
            refusedFor("Choose a name and a handle for your account first, with PATCH /api/v1/profile."),
          CommentsDisabled: () => refusedFor("The author takes no comments on this Post."),
          IdempotencyConflict: () =>
            refusedFor("Another comment was sent from this page. Send this one, too?"),
          RateLimited: ({ retryAfterSeconds }) =>
            refusedFor(`You comment fast. Send it again in ${retryAfterSeconds} seconds.`),
          Validation: ({ errors }) => refusedFor(errors[0]?.message ?? TEXT)
        })
      )
    })

    const report = writing("report", (owner, post, { key, text }) => {
      const draft = decodeReport({ reason: text })
      if (Option.isNone(draft)) return refusedFor(TEXT)
      return reports.report(owner, { kind: "post", id: post.id }, draft.value.reason, key).pipe(
        Effect.as(post.url),
        Effect.catchTags({
          DuplicateReport: () => refusedFor("You have reported this Post already. Moderators look at it."),
          Forbidden: () => refusedFor("This is your own Post."),
          IdempotencyConflict: () =>
            refusedFor("Another report was sent from this page. Send this one, too?"),
          RateLimited: () => refusedFor("You have sent many reports today. Send it again tomorrow.")
        })
      )
    })

    /** Sets a state for the owner who is signed in. */
    const setting = <E, R>(
      back: (form: URLSearchParams) => string,
      set: (owner: OwnerAuthority, form: URLSearchParams) => Effect.Effect<unknown, E, R>
    ) =>
      Effect.gen(function* () {
        const form = yield* readForm
        const owner = yield* browser.owner
        const path = back(form)
        if (Option.isNone(owner)) return seeOther(`/sign-in?back=${encodeURIComponent(path)}`)
        if (owner.value.isRestricted) return page(restricted, 403)
        yield* counted(owner.value)
        yield* set(owner.value, form)
        return seeOther(path)
      })

    const respondPath = (id: Option.Option<PostId>) => (Option.isNone(id) ? "/" : `/respond/${id.value}`)

    const react = Effect.gen(function* () {
      const { postId } = yield* HttpRouter.params
      const id = decodePostId(postId)
      if (Option.isNone(id)) return yield* new NotFound()
      return yield* setting(
        () => respondPath(id),
        Effect.fnUntraced(function* (owner: OwnerAuthority, form: URLSearchParams) {
          const reaction = decodeReaction(form.get("reaction"))
          if (Option.isNone(reaction) && form.get("reaction") !== "none")
            return yield* new FormRefused({ status: 400 })
          return yield* reactions.set(owner, { kind: "post", id: id.value }, Option.getOrNull(reaction))
        })
      )
    }).pipe(Effect.catchTag("OwnTarget", () => Effect.succeed(page(own, 409))))

    const follow = Effect.gen(function* () {
      const { ownerId } = yield* HttpRouter.params
      const id = decodeOwnerId(ownerId)
      if (Option.isNone(id)) return yield* new NotFound()
      return yield* setting(
        (form) => respondPath(decodePostId(form.get("post"))),
        (owner, form) => follows.save(owner, id.value, form.get("following") !== "false")
      )
    }).pipe(Effect.catchTag("SelfFollow", () => Effect.succeed(page(own, 409))))

    return Layer.mergeAll(
      HttpRouter.add("GET", "/respond/:postId", answering(show)),
      HttpRouter.add("POST", "/respond/:postId", answering(comment)),
      HttpRouter.add("POST", "/react/:postId", answering(react)),
      HttpRouter.add("POST", "/follow/:ownerId", answering(follow)),
      HttpRouter.add("POST", "/report/:postId", answering(report))
    )
  })
)

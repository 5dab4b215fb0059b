import { Effect, Layer, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { Reaction } from "../../../schemas/engagement/reactions/Reaction.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { CommentId, OwnerId, PostId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Follows } from "../../engagement/follows/Follows.ts"
import { Reactions } from "../../engagement/reactions/Reactions.ts"
import type { ReactionTarget } from "../../engagement/reactions/ReactionTarget.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { buttonTo, messagePage } from "../../platform/pages/messagePage.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { makeBrowser } from "../browser/http.ts"
import { backToComments, DESK } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { followingPath } from "../following/followingPage.ts"
import { makeMailObstacle } from "../following/mailNote.ts"
import { respondPath } from "../respond/respondPage.ts"
import { followPage, followPath } from "./followPage.ts"

const decodePostId = Schema.decodeUnknownOption(PostId)
const decodeOwnerId = Schema.decodeUnknownOption(OwnerId)
const decodeCommentId = Schema.decodeUnknownOption(CommentId)
const decodeReaction = Schema.decodeUnknownOption(Reaction)

const own = messagePage({
  title: "This is you",
  said: "You can react to other people's posts, and follow other authors.",
  more: buttonTo(DESK, "Go to your desk")
})

/** Says to a reader who is not signed in what happens to the button that was pressed. */
const SAID = {
  reaction: "Sign in, and we'll save your reaction.",
  follow: "Sign in, and you'll follow this author.",
  mail: "Sign in, and we'll save your choice of emails."
} as const

/** The state that a form has set, for the script of the page. */
interface Changed {
  /** The button that is pressed now. */
  readonly pressed: string | null
  readonly counts?: Readonly<Record<string, number>>
}

const FOLLOW_FIELDS = {
  desk: LENGTHS.word,
  post: LENGTHS.word,
  handle: LENGTHS.line,
  following: LENGTHS.word,
  mail: LENGTHS.word
}

/** Returns the pages to which a form about a follow leads: the one that it comes from, and the one with the outcome. */
const placesOf = (form: SentForm<keyof typeof FOLLOW_FIELDS>): readonly [back: string, next: string] => {
  if (form.has("desk")) return [followingPath, `${followingPath}?done=saved`]
  const post = decodePostId(form.get("post"))
  if (Option.isSome(post)) return [respondPath(post.value), respondPath(post.value, null, "saved")]
  const ofAuthor = followPath(form.get("handle") ?? "")
  return [ofAuthor, ofAuthor]
}

/**
 * Serves the forms that set a state of a reader: a reaction, a follow. The script of a page sends the same forms, and asks for
 * JSON, which says the state.
 */
export const ReactionRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const discovery = yield* Discovery
    const reactions = yield* Reactions
    const follows = yield* Follows
    const obstacleOf = yield* makeMailObstacle
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, json, page, query, readForm, seeOther } = yield* makePrivatePages

    const isScript = Effect.map(
      HttpServerRequest.HttpServerRequest,
      ({ headers }) => headers["accept"] === "application/json"
    )

    /** Sets a state for the owner who is signed in. `back` is the page of the state, and `said` tells any other reader what waits. */
    const setting = <E, R>(
      back: string,
      next: string,
      said: string,
      set: (owner: OwnerAuthority) => Effect.Effect<Changed, E, R>
    ) =>
      Effect.gen(function* () {
        const asJson = yield* isScript
        return yield* browser.asOwner(
          back,
          (owner) => Effect.map(set(owner), (changed) => (asJson ? json(changed) : seeOther(next))),
          { said, status: 200 }
        )
      })

    const react = Effect.gen(function* () {
      const form = yield* readForm({ reaction: LENGTHS.word, to: LENGTHS.word, desk: LENGTHS.line })
      const id = yield* postIdOf
      const reaction = decodeReaction(form.get("reaction"))
      if (Option.isNone(reaction) && form.get("reaction") !== "none")
        return yield* new FormRefused({ status: 400 })
      const comment = Option.getOrNull(decodeCommentId(form.get("to")))
      const target: ReactionTarget =
        comment === null ? { kind: "post", id } : { kind: "comment", id: comment, postId: id }
      const desk = form.get("desk")
      return yield* setting(
        respondPath(id, comment),
        desk === undefined ? respondPath(id, comment, "saved") : backToComments(desk, "saved"),
        SAID.reaction,
        (owner) =>
          Effect.map(reactions.set(owner, target, Option.getOrNull(reaction)), ({ summary }) => ({
            pressed: summary.viewerReaction,
            counts: summary.counts
          }))
      )
    }).pipe(Effect.catchTag("OwnTarget", () => Effect.succeed(page(own, 409))))

    /** Sets a state of the follow that the path names. The form says from which page of the reader it comes. */
    const following = <E, R>(
      said: string,
      set: (
        owner: OwnerAuthority,
        creator: OwnerId,
        form: SentForm<keyof typeof FOLLOW_FIELDS>
      ) => Effect.Effect<Changed, E, R>
    ) =>
      Effect.gen(function* () {
        const form = yield* readForm(FOLLOW_FIELDS)
        const { ownerId } = yield* HttpRouter.params
        const creator = decodeOwnerId(ownerId)
        if (Option.isNone(creator)) return yield* new NotFound()
        const [back, next] = placesOf(form)
        return yield* setting(back, next, said, (owner) => set(owner, creator.value, form))
      })

    const follow = following(SAID.follow, (owner, creator, form) =>
      Effect.map(
        follows.save(owner, creator, form.get("following") !== "none"),
        ({ following: isFollowing }) => ({
          pressed: isFollowing ? "true" : null
        })
      )
    ).pipe(Effect.catchTag("SelfFollow", () => Effect.succeed(page(own, 409))))

    /** Chooses mails about the new Posts of an author. A follow that ended meanwhile is as the next page shows it. */
    const mail = following(
      SAID.mail,
      Effect.fnUntraced(function* (owner, creator, form) {
        const isOn = form.get("mail") !== "none"
        const { follow: own } = yield* follows.read(owner, creator)
        const preferences = isOn
          ? { notify_new_posts: true, notify_channel_email: true }
          : { notify_channel_email: false }
        if (own !== null) yield* follows.savePreferences(owner, own.id, preferences)
        return { pressed: isOn && own !== null ? "true" : null }
      })
    )

    const showFollow = Effect.gen(function* () {
      yield* count("public-read")
      const { handle, id, name } = yield* discovery.profileSummary((yield* query).get("handle") ?? "")
      return yield* browser.asOwner(
        followPath(handle),
        Effect.fnUntraced(function* (owner) {
          if (owner.ownerId === id) return page(own)
          const { follow: state } = yield* follows.read(owner, id)
          const obstacle = state === null ? null : yield* obstacleOf(owner)
          return page(followPage({ id, name, handle, follow: state, obstacle }))
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("POST", "/react/:postId", answering(react)),
      addPrivatePage("GET", "/follow", answering(showFollow)),
      addPrivatePage("POST", "/follow/:ownerId", answering(follow)),
      addPrivatePage("POST", "/follow/:ownerId/mail", answering(mail))
    )
  })
)

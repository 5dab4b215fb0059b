import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { PostPublished } from "../../../schemas/publishing/posts/errors.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { FollowLists } from "../../engagement/follows/FollowLists.ts"
import { qrSvgOf } from "../../payments/sessions/qr.ts"
import { FormRefused, unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { enteredOf } from "../../platform/pages/entered.ts"
import { trusted } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { now } from "../../platform/time/now.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { Publishing } from "../../publishing/posts/Publishing.ts"
import { Schedules } from "../../publishing/posts/schedules/Schedules.ts"
import { backToPosts } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { chosenNames } from "../profile/profilePage.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { chosenFields, CONFLICT_BOUNDS, differencesOf, isSavedAs, readChoices } from "../write/conflict.ts"
import {
  fieldsOf,
  formFieldsOf,
  type Refused,
  refusedCuts,
  refusedOf,
  type SentFields,
  withSent
} from "../write/postForm.ts"
import { refusalOf } from "../write/refusals.ts"
import { makeLanguageOrigin } from "../write/shown.ts"
import { publishPath } from "../write/writePage.ts"
import { type Decisions, DECISION_BOUNDS, makeCompleting, readDecisions } from "./completing.ts"
import { makeFilledDescription } from "./filledDescription.ts"
import { CANCEL, laterView, type LaterView } from "./laterPart.ts"
import { isZone } from "./localTime.ts"
import { makeMailView } from "./mailView.ts"
import { outPage } from "./outPage.ts"
import { publishPage, type PublishView, SAVE, UNPUBLISHED } from "./publishPage.ts"
import { makeReadersView } from "./readersView.ts"
import { MOMENT_BOUNDS, readMoment, wrongMoment } from "./readMoment.ts"
import { makeRememberedCreation } from "./rememberedCreation.ts"

const isKey = Schema.is(SessionIdempotencyKey)

/** Returns a reason with the control of this page. */
const onPage = ({ control, ...reason }: Refused): Refused => ({
  control: control === "payoutAddress" ? "address" : control,
  ...reason
})

const CHANGED =
  "This post was changed since you opened this page. Check it again, then press the button again."

const PUBLISH_BOUNDS = {
  ...DECISION_BOUNDS,
  ...MOMENT_BOUNDS,
  ...CONFLICT_BOUNDS,
  act: LENGTHS.word,
  key: LENGTHS.word,
  revision: LENGTHS.word,
  desk: LENGTHS.line,
  _free: LENGTHS.word
}

const done = new Map([
  ["save", "Saved."],
  ["unpublish", UNPUBLISHED],
  ["schedule", "Your post is scheduled."],
  ["cancel", "Your post is a draft that isn't scheduled any more."]
])

/** The outcome of a form, which the page shows with the post. */
type Said = Partial<Omit<PublishView, "post" | "later">> & { readonly later?: Partial<LaterView> }

/** Returns the page after a form: the table of own posts that sent it, or the page of the post. */
const pathAfter = (id: PostId, desk: string | undefined, done: string): string =>
  desk === undefined ? `${publishPath(id)}?done=${done}` : backToPosts(desk, done)

/** Returns the page of a post that was scheduled, in the zone of its author. */
const scheduledPath = (id: PostId, zone: string): string =>
  `${publishPath(id)}?done=schedule&zone=${encodeURIComponent(zone)}`

/** Serves the page on which an author checks a post, publishes it, and takes it off the site. */
export const PublishRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const publishing = yield* Publishing
    const schedules = yield* Schedules
    const discovery = yield* Discovery
    const profiles = yield* Profiles
    const followLists = yield* FollowLists
    const { baseUrl } = yield* Site
    const about = yield* aboutPrices
    const { firstSentence, withoutFilled } = yield* makeFilledDescription
    const remembered = yield* makeRememberedCreation
    const complete = yield* makeCompleting
    const originOf = yield* makeLanguageOrigin
    const readersView = yield* makeReadersView
    const mailView = yield* makeMailView
    const random = yield* SecureRandom.SecureRandom
    const count = yield* limiting
    const { publisherAt, shownAt } = yield* makeAsPublisher
    const { answering, page, query, readForm, readFormWithCuts, seeOther } = yield* makePrivatePages

    const shown = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      post: Post,
      said: Said,
      status?: number
    ) {
      const { data: categories } = yield* discovery.categories
      const key = yield* random.uuidV4()
      const profile = yield* profiles.own(owner)
      const { followers } = yield* followLists.counts(owner.ownerId, null)
      const { language, paidContentMarkdown: paid } = post
      const missing = refusedOf(yield* publishing.missing(publisher, post.id), fieldsOf(post).price).map(
        onPage
      )
      const saved = formFieldsOf(post, yield* originOf(publisher, post))
      const described =
        saved.description === "" ? { ...saved, description: yield* firstSentence(post, owner) } : saved
      const filled = post.url === null ? yield* remembered(described, owner) : described
      const fields = said.fields === undefined ? filled : withSent(filled, said.fields)
      const view: PublishView = {
        post,
        url: post.url ?? `${baseUrl}/@${profile.handle}/${post.slug}`,
        ...(yield* readersView(post, profile, filled)),
        categories,
        followers,
        mail: yield* mailView(publisher, post),
        key,
        revision: post.updatedAt,
        about: yield* about,
        // The page fills in a description, and how the last post was made.
        missing: missing.filter(
          ({ control }) => (control !== "description" && control !== "method") || fields[control] === ""
        ),
        hasRest: paid !== null,
        guessed: post.url === null ? language : null,
        ...chosenNames(profile),
        address: "",
        locked: {},
        elsewhere: null,
        told: null,
        isUnsaved: false,
        isFreeing: false,
        desk: null,
        ...said,
        later: { ...laterView(post.schedule, undefined, yield* now), ...said.later },
        fields,
        refused: (said.refused ?? []).map(onPage)
      }
      return page(publishPage(view), status)
    })

    /** Shows a post that was published a moment ago. */
    const shownOut = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      post: Post,
      url: string
    ) {
      const profile = yield* profiles.own(owner)
      return page(
        outPage({
          post,
          url,
          ...(yield* readersView(post, profile, fieldsOf(post))),
          qr: trusted(qrSvgOf(url)),
          notified: yield* followLists.notified(owner.ownerId, post.id),
          mail: yield* mailView(publisher, post)
        })
      )
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const asked = yield* query
      const act = asked.get("done") ?? ""
      const zone = asked.get("zone") ?? ""
      return yield* shownAt(publishPath(id), (publisher, owner) =>
        Effect.flatMap(posts.read(publisher, id), (post) =>
          act === "publish" && post.url !== null
            ? shownOut(publisher, owner, post, post.url)
            : Effect.flatMap(now, (at) =>
                shown(publisher, owner, post, {
                  told: done.get(act) ?? null,
                  ...(isZone(zone) ? { later: laterView(post.schedule, zone, at) } : {})
                })
              )
        )
      )
    })

    /** Returns what an author decided that the post still takes: a public one has its address, and its language by choice. */
    const open = (fields: SentFields, post: Post): SentFields => {
      if (post.url === null) return fields
      const language = fields.language === "" ? undefined : fields.language
      return { ...fields, slug: undefined, language }
    }

    /** Shows a page again with what its author decided. */
    const typed = ({ address = "", fields, handle, name }: Decisions, post: Post): Partial<PublishView> => ({
      fields: open(fields, post),
      address,
      ...(name === undefined ? {} : { name }),
      ...(handle === undefined ? {} : { handle })
    })

    /** Publishes what the page showed, with what its author decided, now or later, or only saves that. */
    const publish = Effect.fnUntraced(function* (
      form: SentForm<keyof typeof PUBLISH_BOUNDS>,
      isLater: boolean
    ) {
      const id = yield* postIdOf
      const key = form.get("key") ?? ""
      const revision = form.get("revision") ?? ""
      const isSaving = form.get("act") === SAVE
      if (!isSaving && !isKey(key)) return yield* unreadable(form)
      const choices = readChoices(form)
      const { publishAt, typed: moment } = readMoment(form)
      const act = Effect.fnUntraced(function* (publisher: PublisherAuthority, owner: BrowserAuthority) {
        const post = yield* posts.read(publisher, id)
        const read = readDecisions(form, isSaving)
        const opened = open(read.fields, post)
        const sent = { ...read, fields: isSaving ? yield* withoutFilled(opened, post, owner) : opened }
        const isUndecided = [...choices.values()].includes(undefined)
        const decisions = isUndecided ? sent : { ...sent, fields: chosenFields(post, sent.fields, choices) }
        // The version that the author saw, so that the next press overwrites no other one. A page without the choices has none.
        let basis = isUndecided ? "" : revision
        const again = Effect.fnUntraced(function* (said: (post: Post) => Said, status: number) {
          const newest = yield* posts.read(publisher, id)
          return yield* shown(
            publisher,
            owner,
            newest,
            {
              ...typed(decisions, newest),
              revision: basis,
              isUnsaved: !isSavedAs(newest, decisions.fields),
              desk: form.get("desk") ?? null,
              ...(isLater ? { later: moment } : {}),
              ...said(newest)
            },
            status
          )
        })
        if (form.cut.length > 0) return yield* again(() => ({ refused: refusedCuts(form.cut) }), 422)
        // The author said already that a part becomes free, and need not say it again for another moment.
        const isFreeing = form.has("_free")
        if (isLater && publishAt === undefined)
          return yield* again(() => ({ isUnsaved: true, isFreeing }), 422)
        const { isSold = post.enablePaywall } = decisions.fields
        const isWaiting = post.schedule?.state === "waiting"
        const becomesFree = isSaving
          ? (post.url !== null || isWaiting) && post.enablePaywall
          : post.url === null
        const freed = becomesFree && !isFreeing ? freedPartOf({ ...post, enablePaywall: isSold }) : null
        if (freed !== null && !isUndecided)
          return yield* again(
            () => ({
              isFreeing: true,
              told: `${freed} Press again to ${isSaving ? (isWaiting ? "save it" : "make it public") : isLater ? "schedule it" : "publish it"}.`
            }),
            422
          )
        const published = Effect.gen(function* () {
          if (isUndecided) return yield* new RevisionConflict()
          // A post that became a draft since then is not published as it is now.
          if (isLater && post.url !== null) return yield* new PostPublished()
          if (!isSaving && post.url !== null) return yield* publishing.publishAt(publisher, id, key, revision)
          const saved = yield* complete(publisher, owner, post, revision, decisions)
          basis = saved.revision
          if (isSaving || saved.refused.length > 0) return saved
          if (publishAt !== undefined && isLater)
            return yield* schedules.save(
              publisher,
              id,
              { publishAt, onlyRevision: post.schedule?.onlyRevision ?? false },
              saved.revision
            )
          return yield* publishing.publishAt(publisher, id, key, saved.revision)
        })
        return yield* Effect.matchEffect(published, {
          onSuccess: (it) =>
            "refused" in it && it.refused.length > 0
              ? again(() => ({ refused: it.refused, isUnsaved: true }), 422)
              : Effect.succeed(
                  seeOther(
                    isLater
                      ? scheduledPath(id, moment.zone)
                      : pathAfter(id, form.get("desk"), isSaving ? "save" : "publish")
                  )
                ),
          onFailure: (error) => {
            if (error._tag === "RevisionConflict")
              return again((newest) => {
                const differing = differencesOf(newest, open(decisions.fields, newest))
                const { updatedAt } = newest
                if (differing.length === 0) return { told: CHANGED, revision: updatedAt }
                return {
                  revision: updatedAt,
                  elsewhere: {
                    fields: fieldsOf(newest),
                    choices: new Map(differing.map((control) => [control, choices.get(control)])),
                    moved: ""
                  }
                }
              }, 409)
            const wrong = wrongMoment(error)
            if (wrong !== undefined) return again(() => ({ later: { ...moment, wrong }, isFreeing }), 422)
            const { refused, status, told } = refusalOf(error, decisions.fields.price)
            return again(() => ({ refused, told: told?.said ?? null }), status)
          }
        })
      })
      return yield* publisherAt(publishPath(id), act, enteredOf(form.entries))
    })

    /** Schedules the post, or ends its schedule. */
    const schedule = Effect.gen(function* () {
      const id = yield* postIdOf
      const form = yield* readFormWithCuts(PUBLISH_BOUNDS)
      if (form.get("act") !== CANCEL) return yield* publish(form, true)
      return yield* publisherAt(
        publishPath(id),
        Effect.fnUntraced(function* (publisher) {
          yield* schedules.remove(publisher, id)
          // It may have become public since the page was opened.
          const { url } = yield* posts.read(publisher, id)
          return seeOther(pathAfter(id, undefined, url === null ? "cancel" : "publish"))
        })
      )
    })

    const unpublish = Effect.gen(function* () {
      const id = yield* postIdOf
      const form = yield* readForm({ key: LENGTHS.word, revision: LENGTHS.word, desk: LENGTHS.line })
      // The table of posts sends the revision that it shows in place of a key: a repeat finds a draft.
      const key = form.get("key")
      const revision = form.get("revision")
      if (key === undefined ? revision === undefined : !isKey(key))
        return yield* new FormRefused({ status: 400 })
      return yield* publisherAt(publishPath(id), (publisher, owner) =>
        Effect.matchEffect(
          key === undefined && revision !== undefined
            ? publishing.unpublishAt(publisher, id, revision)
            : publishing.unpublish(publisher, id, key),
          {
            onSuccess: () => Effect.succeed(seeOther(pathAfter(id, form.get("desk"), "unpublish"))),
            onFailure: Effect.fnUntraced(function* (error) {
              const post = yield* posts.read(publisher, id)
              const desk = form.get("desk") ?? null
              if (error._tag === "RevisionConflict")
                return yield* shown(publisher, owner, post, { told: CHANGED, desk }, 409)
              const { refused, status, told } = refusalOf(error)
              return yield* shown(publisher, owner, post, { refused, told: told?.said ?? null, desk }, status)
            })
          }
        )
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/write/:postId/publish", answering(show)),
      addPrivatePage(
        "POST",
        "/write/:postId/publish",
        answering(Effect.flatMap(readFormWithCuts(PUBLISH_BOUNDS), (form) => publish(form, false)))
      ),
      addPrivatePage("POST", "/write/:postId/schedule", answering(schedule)),
      addPrivatePage("POST", "/write/:postId/unpublish", answering(unpublish))
    )
  })
)

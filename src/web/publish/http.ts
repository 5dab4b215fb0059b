import { Effect, Layer, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { FollowLists } from "../../engagement/follows/FollowLists.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { aboutPrices } from "../../platform/nano/aboutMoney.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { beginningOf, firstSentenceOf } from "../../publishing/content/reading/firstSentence.ts"
import { SectionReader } from "../../publishing/content/SectionReader.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { Publishing } from "../../publishing/posts/Publishing.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { chosenNames } from "../profile/profilePage.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { fieldsOf, type Refused, refusedOf } from "../write/postForm.ts"
import { refusalOf } from "../write/refusals.ts"
import { publishPath } from "../write/writePage.ts"
import { COMPLETING_BOUNDS, makeCompleting, readFilledIn } from "./completing.ts"
import { publishPage, type PublishView } from "./publishPage.ts"

const isKey = Schema.is(SessionIdempotencyKey)

/** Returns a reason with the control of this page. */
const onPage = ({ control, ...reason }: Refused): Refused => ({
  control: control === "payoutAddress" ? "address" : control,
  ...reason
})

const CHANGED = "This post was changed since you opened this page. Check it again, then publish it."

const PUBLISH_BOUNDS = {
  ...COMPLETING_BOUNDS,
  key: LENGTHS.word,
  revision: LENGTHS.word,
  _free: LENGTHS.word
}

const done = new Map([
  ["publish", "Your post is published."],
  ["unpublish", "Your post is a draft again. Everyone who bought it can still read it."]
])

/** Serves the page on which an author checks a post, publishes it, and takes it off the site. */
export const PublishRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const publishing = yield* Publishing
    const discovery = yield* Discovery
    const profiles = yield* Profiles
    const followLists = yield* FollowLists
    const { baseUrl } = yield* Site
    const about = yield* aboutPrices
    const reader = yield* SectionReader
    const complete = yield* makeCompleting
    const random = yield* SecureRandom.SecureRandom
    const count = yield* limiting
    const { publisherAt, shownAt } = yield* makeAsPublisher
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    /** The first sentence that everyone reads. */
    const firstSentence = ({ freeContentMarkdown: text, language }: Post, owner: BrowserAuthority) =>
      text === null
        ? Effect.succeed("")
        : reader.nativeOf(owner.ownerId, beginningOf(text)).pipe(
            Effect.map((document) => firstSentenceOf(document, language)),
            Effect.catchCause(() => Effect.succeed(""))
          )

    const shown = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      post: Post,
      said: Partial<Omit<PublishView, "post">>,
      status?: number
    ) {
      const { data: categories } = yield* discovery.categories
      const category = categories.find(({ id }) => id === post.primaryCategoryId)?.name ?? null
      const key = yield* random.uuidV4()
      const profile = yield* profiles.own(owner)
      const { followers } = yield* followLists.counts(owner.ownerId, null)
      const address = `${baseUrl}/@${profile.handle}/${post.slug}`
      const missing = refusedOf(yield* publishing.missing(publisher, post.id), fieldsOf(post).price).map(
        onPage
      )
      const fields = fieldsOf(post)
      const view: PublishView = {
        post,
        url: address,
        category,
        categories,
        followers,
        key,
        about: yield* about,
        missing,
        fields:
          fields.description === "" ? { ...fields, description: yield* firstSentence(post, owner) } : fields,
        ...chosenNames(profile),
        address: "",
        locked: {},
        elsewhere: null,
        told: null,
        isFreeing: false,
        ...said,
        refused: (said.refused ?? []).map(onPage)
      }
      return page(publishPage(view), status)
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const told = done.get((yield* query).get("done") ?? "") ?? null
      return yield* shownAt(publishPath(id), (publisher, owner) =>
        Effect.flatMap(posts.read(publisher, id), (post) => shown(publisher, owner, post, { told }))
      )
    })

    /** Publishes what the summary showed, with what its author filled in. */
    const publish = Effect.gen(function* () {
      const id = yield* postIdOf
      const form = yield* readForm(PUBLISH_BOUNDS)
      const key = form.get("key") ?? ""
      const revision = form.get("revision") ?? ""
      if (!isKey(key)) return yield* new FormRefused({ status: 400 })
      const act = Effect.fnUntraced(function* (publisher: PublisherAuthority, owner: BrowserAuthority) {
        const post = yield* posts.read(publisher, id)
        const filled = readFilledIn(form, post)
        const again = Effect.fnUntraced(function* (said: Partial<Omit<PublishView, "post">>, status: number) {
          return yield* shown(publisher, owner, yield* posts.read(publisher, id), said, status)
        })
        const freed = form.has("_free") || post.url !== null ? null : freedPartOf(post)
        if (freed !== null)
          return yield* again(
            { ...filled, isFreeing: true, told: `${freed} Press again to publish it.` },
            422
          )
        const published = Effect.gen(function* () {
          // A post that became a draft since then is not published as it is now.
          if (post.url !== null) return yield* publishing.publishAt(publisher, id, key, revision)
          const saved = yield* complete(publisher, owner, post, revision, filled)
          if (saved.refused.length > 0) return saved
          return yield* publishing.publishAt(publisher, id, key, saved.revision)
        })
        return yield* Effect.matchEffect(published, {
          onSuccess: (it) =>
            "refused" in it
              ? again({ ...filled, refused: it.refused }, 422)
              : Effect.succeed(seeOther(`${publishPath(id)}?done=publish`)),
          onFailure: (error) => {
            if (error._tag === "RevisionConflict") return again({ told: CHANGED }, 409)
            const { refused, status, told } = refusalOf(error)
            return again({ ...filled, refused, told: told?.said ?? null }, status)
          }
        })
      })
      return yield* publisherAt(publishPath(id), act)
    })

    const unpublish = Effect.gen(function* () {
      const id = yield* postIdOf
      const key = (yield* readForm({ key: LENGTHS.word })).get("key") ?? ""
      if (!isKey(key)) return yield* new FormRefused({ status: 400 })
      return yield* publisherAt(publishPath(id), (publisher, owner) =>
        Effect.matchEffect(publishing.unpublish(publisher, id, key), {
          onSuccess: () => Effect.succeed(seeOther(`${publishPath(id)}?done=unpublish`)),
          onFailure: Effect.fnUntraced(function* (error) {
            const { refused, status, told } = refusalOf(error)
            const post = yield* posts.read(publisher, id)
            return yield* shown(publisher, owner, post, { refused, told: told?.said ?? null }, status)
          })
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/write/:postId/publish", answering(show)),
      addPrivatePage("POST", "/write/:postId/publish", answering(publish)),
      addPrivatePage("POST", "/write/:postId/unpublish", answering(unpublish))
    )
  })
)

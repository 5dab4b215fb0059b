import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { PostDraft, PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { checked } from "../../platform/http/checked.ts"
import { FormRefused, hasFile } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { html } from "../../platform/pages/html.ts"
import { Site } from "../../platform/pages/Site.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { makeBrowser } from "../browser/http.ts"
import { DESK } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { readFileForm } from "../pictures/fileForm.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { makeChangePicture } from "./changePicture.ts"
import { fieldsOf, isSavedAs, membersOf, type PostFields, readFields } from "./postForm.ts"
import { NO_KEY, OTHER_ACCOUNT, refusalOf, SIGNED_OUT } from "./refusals.ts"
import { makeRendering } from "./rendering.ts"
import { asksForJson, makeShown } from "./shown.ts"
import { filesPath, previewPath, publishPath, type WriteView, writePath } from "./writePage.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const checkDraft = checked(PostDraft)
const checkPatch = checked(PostPatch)

/** The parts of the form that tell one post from another. */
type Written = Pick<WriteView, "author" | "fields" | "id" | "isPublished" | "key" | "revision">

/** Returns what the form of a saved post shows. */
const viewOf = (post: Post): Omit<Written, "author" | "key"> => ({
  id: post.id,
  isPublished: post.status === "published",
  revision: post.updatedAt,
  fields: fieldsOf(post)
})

/** Returns the page to which an author goes on after a text was saved. */
const nextPath = (id: PostId, next: string | undefined) => {
  if (next === "publish") return publishPath(id)
  if (next === "files") return filesPath(id)
  return next === "preview" ? previewPath(id) : `${writePath(id)}?saved`
}

/** Serves the pages on which an author writes. */
export const WriteRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const profiles = yield* Profiles
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const { baseUrl } = yield* Site
    const count = yield* limiting
    const rendering = yield* makeRendering
    const { asPublisher, publisherAt } = yield* makeAsPublisher
    const { shown, shownTo } = yield* makeShown
    const changePicture = yield* makeChangePicture
    const { answering, checkFileForm, json, query, readForm, readLongForm, seeOther } =
      yield* makePrivatePages

    /** Returns where a post is, or will be once it is published. */
    const addressOf = (owner: BrowserAuthority, slug: string) =>
      Effect.map(profiles.own(owner), ({ handle }) => `${baseUrl}/@${handle}/${slug}`)

    /** Shows a post as it was saved last, with what happened. */
    const shownPost = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      post: Post,
      said: Partial<WriteView>,
      status?: number
    ) {
      const lockedOf = Effect.fnUntraced(function* (name: "free" | "paid", source: string | null) {
        const { editable, unsupportedFeatures: features } = post.contentEditability[name]
        if (editable) return {}
        const text = yield* rendering(owner.ownerId, post, source)
        return { [name]: { text: text ?? html``, features } }
      })
      const locked = {
        ...(yield* lockedOf("free", post.freeContentMarkdown)),
        ...(yield* lockedOf("paid", post.paidContentMarkdown))
      }
      const address = yield* addressOf(owner, post.slug)
      return yield* shownTo(publisher, owner, { ...viewOf(post), locked, address, ...said }, status)
    })

    const showNew = Effect.gen(function* () {
      yield* count("public-read")
      return yield* publisherAt(writePath(), (_, owner) =>
        Effect.flatMap(addressOf(owner, "…"), (address) => shown(owner, { address }))
      )
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const told = (yield* query).has("saved") ? { said: "Saved." } : null
      return yield* publisherAt(writePath(id), (publisher, owner) =>
        Effect.flatMap(posts.read(publisher, id), (post) => shownPost(publisher, owner, post, { told }))
      )
    })

    /** Saves what was written, as the API does. A form that is sent again changes nothing. */
    const saved = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id, key, revision }: Written
    ) {
      const members = membersOf(fields)
      if (id === null) return (yield* posts.create(publisher, yield* checkDraft(members), key)).post
      const update = posts.update(publisher, id, yield* checkPatch(members), revision, fields.slug === "")
      return yield* Effect.catchTag(update, "RevisionConflict", (conflict) =>
        Effect.filterOrFail(
          posts.read(publisher, id),
          (post) => isSavedAs(post, fields),
          () => conflict
        )
      )
    })

    /** Shows what an author wrote beside the version that was saved elsewhere. */
    const conflict = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      id: PostId,
      fields: PostFields
    ) {
      const post = yield* posts.read(publisher, id)
      const elsewhere = { free: post.freeContentMarkdown, paid: post.paidContentMarkdown }
      return yield* shownPost(publisher, owner, post, { fields, elsewhere, savesItself: false }, 409)
    })

    /** Reads the form of a post. The button that inserts a picture sends the same form with a file. */
    const readPost = Effect.gen(function* () {
      if (hasFile(yield* HttpServerRequest.HttpServerRequest)) {
        yield* checkFileForm
        const change = yield* readFileForm
        return { form: change.fields, change }
      }
      const form = yield* readLongForm
      const removed = form.get("remove")
      return { form, change: removed === undefined ? undefined : { removed } }
    })

    /** Saves what an author wrote. A refusal of any kind shows the text again, in its fields. */
    const save = Effect.fnUntraced(function* (id: PostId | null) {
      const { change, form } = yield* readPost
      const written = {
        id,
        author: form.get("author") ?? "",
        fields: readFields(form),
        key: form.get("key") ?? "",
        revision: form.get("revision") ?? "",
        isPublished: form.has("published"),
        picture: { alt: form.get("alt") ?? "", place: form.get("place") ?? "" }
      }
      if (!isKey(written.key)) return yield* new FormRefused({ status: 400 })
      const found = yield* browser.owner
      if (Option.isNone(found)) return yield* shown(null, { ...written, told: SIGNED_OUT }, 401)
      const owner = found.value
      if (owner.isRestricted) return browser.restricted
      yield* browser.counted(owner)
      if (id === null && written.author !== "" && written.author !== owner.ownerId)
        return yield* shown(owner, { ...written, told: OTHER_ACCOUNT }, 409)
      const changed = Effect.fnUntraced(function* (publisher: PublisherAuthority) {
        if (change !== undefined) return yield* changePicture(publisher, written, change)
        const post = yield* saved(publisher, written)
        return { post, next: nextPath(post.id, form.get("next")) }
      })
      const act = (publisher: PublisherAuthority) =>
        Effect.matchEffect(changed(publisher), {
          onSuccess: Effect.fnUntraced(function* (done) {
            const isJson = yield* asksForJson
            if ("view" in done)
              return isJson
                ? json(done.answer, done.status)
                : yield* shownTo(publisher, owner, done.view, done.status)
            const { next, post } = done
            if (!isJson) return seeOther(next)
            return json({ path: writePath(post.id), revision: post.updatedAt, slug: post.slug, next })
          }),
          onFailure: Effect.fnUntraced(function* (error) {
            if (error._tag === "NotFound") return yield* error
            if (error._tag === "RevisionConflict" && id !== null)
              return yield* conflict(publisher, owner, id, written.fields)
            const { isNewKey, status, ...said } = refusalOf(error)
            const key = isNewKey ? yield* random.uuidV4() : written.key
            const savesItself = !isNewKey && !written.isPublished
            return yield* shownTo(publisher, owner, { ...written, key, savesItself, ...said }, status)
          })
        })
      return yield* asPublisher(owner, act, (reason) =>
        shown(owner, { ...written, told: NO_KEY[reason] }, 409)
      )
    })

    const remove = Effect.gen(function* () {
      const id = yield* postIdOf
      yield* readForm
      return yield* publisherAt(writePath(id), (publisher, owner) =>
        Effect.matchEffect(posts.remove(publisher, id), {
          onSuccess: () => Effect.succeed(seeOther(DESK)),
          onFailure: Effect.fnUntraced(function* (error) {
            if (error._tag === "NotFound") return yield* error
            const { isNewKey: _, status, ...said } = refusalOf(error)
            const post = yield* posts.read(publisher, id)
            return yield* shownPost(publisher, owner, post, { ...said, isSaved: true }, status)
          })
        })
      )
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/write", answering(showNew)),
      HttpRouter.add("POST", "/write", answering(save(null))),
      HttpRouter.add("GET", "/write/:postId", answering(show)),
      HttpRouter.add("POST", "/write/:postId", answering(Effect.flatMap(postIdOf, save))),
      HttpRouter.add("POST", "/write/:postId/delete", answering(remove))
    )
  })
)

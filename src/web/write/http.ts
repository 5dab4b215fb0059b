import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpRouter } from "effect/http"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { PostDraft, PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { checked } from "../../platform/http/checked.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { Discovery } from "../../publishing/discovery/Discovery.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { makeBrowser } from "../browser/http.ts"
import { DESK } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { emptyFields, fieldsOf, membersOf, type PostFields, readFields } from "./postForm.ts"
import { NO_KEY, refusalOf } from "./refusals.ts"
import { previewPath, publishPath, type WriteView, writePage, writePath } from "./writePage.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const checkDraft = checked(PostDraft)
const checkPatch = checked(PostPatch)

/** Returns what the form of a saved post shows. */
const viewOf = (post: Post): Partial<WriteView> => ({
  id: post.id,
  isPublished: post.status === "published",
  revision: post.updatedAt,
  fields: fieldsOf(post)
})

/** Returns the page to which an author goes on after a text was saved. */
const nextPath = (id: PostId, next: string | undefined) => {
  if (next === "publish") return publishPath(id)
  return next === "preview" ? previewPath(id) : `${writePath(id)}?saved`
}

/** Serves the pages on which an author writes. */
export const WriteRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const posts = yield* Posts
    const discovery = yield* Discovery
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { asPublisher, publisherAt } = yield* makeAsPublisher
    const { answering, page, query, readForm, readLongForm, seeOther } = yield* makePrivatePages

    const shown = Effect.fnUntraced(function* (view: Partial<WriteView>, status?: number) {
      const { data: categories } = yield* discovery.categories
      const all: WriteView = {
        id: null,
        isPublished: false,
        key: yield* random.uuidV4(),
        revision: "",
        fields: emptyFields,
        categories,
        refused: [],
        told: null,
        elsewhere: null,
        isSignedIn: true,
        ...view
      }
      return page(writePage(all), status)
    })

    const showNew = Effect.gen(function* () {
      yield* count("public-read")
      return yield* publisherAt(writePath(), () => shown({}))
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const told = (yield* query).has("saved") ? "Saved." : null
      return yield* publisherAt(writePath(id), (publisher) =>
        Effect.flatMap(posts.read(publisher, id), (post) => shown({ ...viewOf(post), told }))
      )
    })

    const saved = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id, key, revision }: Pick<WriteView, "fields" | "id" | "key" | "revision">
    ) {
      const members = membersOf(fields)
      if (id !== null) return yield* posts.update(publisher, id, yield* checkPatch(members), revision)
      return (yield* posts.create(publisher, yield* checkDraft(members), key)).post
    })

    /** Shows what an author wrote beside the version that was saved elsewhere. */
    const conflict = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      id: PostId,
      fields: PostFields
    ) {
      const post = yield* posts.read(publisher, id)
      const elsewhere = { free: post.freeContentMarkdown, paid: post.paidContentMarkdown }
      return yield* shown({ ...viewOf(post), fields, elsewhere }, 409)
    })

    /** Saves what an author wrote. A refusal of any kind shows the text again, in its fields. */
    const save = Effect.fnUntraced(function* (id: PostId | null) {
      const form = yield* readLongForm
      const written = {
        id,
        fields: readFields(form),
        key: form.get("key") ?? "",
        revision: form.get("revision") ?? "",
        isPublished: form.has("published")
      }
      if (!isKey(written.key)) return yield* new FormRefused({ status: 400 })
      const owner = yield* browser.owner
      if (Option.isNone(owner)) return yield* shown({ ...written, isSignedIn: false }, 401)
      if (owner.value.isRestricted) return browser.restricted
      yield* browser.counted(owner.value)
      const act = (publisher: PublisherAuthority) =>
        Effect.matchEffect(saved(publisher, written), {
          onSuccess: (post) => Effect.succeed(seeOther(nextPath(post.id, form.get("next")))),
          onFailure: Effect.fnUntraced(function* (error) {
            if (error._tag === "NotFound") return yield* error
            if (error._tag === "RevisionConflict" && id !== null)
              return yield* conflict(publisher, id, written.fields)
            const { isNewKey, status, ...said } = refusalOf(error)
            const key = isNewKey ? yield* random.uuidV4() : written.key
            return yield* shown({ ...written, key, ...said }, status)
          })
        })
      return yield* asPublisher(owner.value, act, (reason) =>
        shown({ ...written, told: NO_KEY[reason] }, 409)
      )
    })

    const remove = Effect.gen(function* () {
      const id = yield* postIdOf
      yield* readForm
      return yield* publisherAt(writePath(id), (publisher) =>
        Effect.matchEffect(posts.remove(publisher, id), {
          onSuccess: () => Effect.succeed(seeOther(DESK)),
          onFailure: Effect.fnUntraced(function* (error) {
            if (error._tag === "NotFound") return yield* error
            const { isNewKey: _, status, ...said } = refusalOf(error)
            return yield* shown({ ...viewOf(yield* posts.read(publisher, id)), ...said }, status)
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

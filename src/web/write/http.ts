import { Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest } from "effect/http"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { RevisionConflict } from "../../../schemas/platform/errors/common.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import { freedPartOf } from "../../../schemas/publishing/posts/freedPart.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { PostDraft, PostPatch } from "../../../schemas/publishing/posts/PostDraft.ts"
import { checked } from "../../platform/http/checked.ts"
import {
  announcedBytes,
  isFileForm,
  LONG_FORM_BYTES_MAX,
  unreadable,
  STRANGER_FORM_BYTES_MAX
} from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { html } from "../../platform/pages/html.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import { makeBrowser } from "../browser/http.ts"
import { DESK } from "../browser/paths.ts"
import { postIdOf } from "../browser/postIdOf.ts"
import { readFileForm } from "../pictures/fileForm.ts"
import { makeAsPublisher } from "../website-key/http.ts"
import { makeChangePicture } from "./changePicture.ts"
import {
  chosenFields,
  type Choices,
  CONFLICT_BOUNDS,
  differencesOf,
  isSavedAs,
  readChoices
} from "./conflict.ts"
import {
  fieldsOf,
  membersOf,
  newFields,
  POST_BOUNDS,
  readFields,
  type Refused,
  refusedCuts,
  sheetFieldsOf,
  withLanguage,
  withSheet
} from "./postForm.ts"
import { NO_KEY, NO_PICTURE, NO_POST, OTHER_ACCOUNT, refusalOf, SIGNED_OUT } from "./refusals.ts"
import { makeRendering } from "./rendering.ts"
import { acceptLanguage, asksForJson, makeLanguageOrigin, makeShown } from "./shown.ts"
import { filesPath, previewPath, publishPath, type WriteView, writePath } from "./writePage.ts"

/** Bytes of a form that count as one request. An ordinary post has fewer. */
const COUNTED_BYTES = 64 * 1024

/** Returns the number of requests as which a form of this size is counted. */
const timesOf = (bytes: number) => 1 + Math.floor(bytes / COUNTED_BYTES)

/** Returns the bytes of a form. The limits count at most `bytesMax` of them. */
const formBytesOf = (request: HttpServerRequest.HttpServerRequest, bytesMax: number) => {
  return request.headers["content-length"] === undefined
    ? bytesMax
    : Math.min(announcedBytes(request), bytesMax)
}

const isKey = Schema.is(SessionIdempotencyKey)
const checkDraft = checked(PostDraft)
const checkPatch = checked(PostPatch)

const FORM_BOUNDS = {
  ...POST_BOUNDS,
  ...CONFLICT_BOUNDS,
  _free: LENGTHS.word,
  author: LENGTHS.word,
  key: LENGTHS.word,
  revision: LENGTHS.word,
  published: LENGTHS.word,
  scheduled: LENGTHS.word,
  next: LENGTHS.word,
  place: LENGTHS.word,
  alt: 2000,
  remove: LENGTHS.word
}

/** The parts of the form that tell one post from another. */
type Written = Pick<
  WriteView,
  "author" | "fields" | "id" | "isPublished" | "isScheduled" | "key" | "revision"
>

const noChoices: Choices = new Map()

/** The boxes of the form. */
const BOXES = new Set(["sell"])

/** A form that is shown again, with the reasons. */
interface RefusedForm {
  readonly sent: Written & Partial<WriteView>
  readonly refused: ReadonlyArray<Refused>
}

const refusing = (sent: RefusedForm["sent"], refused: RefusedForm["refused"]): RefusedForm => ({
  sent,
  refused
})

/** Returns what the form of a saved post shows. */
const viewOf = (post: Post): Omit<Written, "author" | "fields" | "key"> => ({
  id: post.id,
  isPublished: post.status === "published",
  isScheduled: post.schedule?.state === "waiting",
  revision: post.updatedAt
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
    const random = yield* SecureRandom.SecureRandom
    const browser = yield* makeBrowser
    const count = yield* limiting
    const rendering = yield* makeRendering
    const { asPublisher, publisherAt, shownAt } = yield* makeAsPublisher
    const { shown, shownTo } = yield* makeShown
    const originOf = yield* makeLanguageOrigin
    const changePicture = yield* makeChangePicture
    const { answering, checkFileForm, json, query, readForm, readLongForm, seeOther } =
      yield* makePrivatePages

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
        const text = yield* rendering(owner.ownerId, post, source, name)
        return { [name]: { text: text ?? html``, features } }
      })
      const locked = {
        ...(yield* lockedOf("free", post.freeContentMarkdown)),
        ...(yield* lockedOf("paid", post.paidContentMarkdown))
      }
      const fields = sheetFieldsOf(post, yield* originOf(publisher, post))
      return yield* shownTo(publisher, owner, { ...viewOf(post), fields, locked, ...said }, status)
    })

    /** Counts the rest of a long form, after its request was counted once. */
    const countedRest = (owner: BrowserAuthority, bytes: number) =>
      bytes < COUNTED_BYTES ? Effect.void : browser.counted(owner, timesOf(bytes) - 1)

    const showNew = Effect.gen(function* () {
      yield* count("public-read")
      return yield* shownAt(writePath(), (_, owner) => shown(owner, {}))
    })

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const id = yield* postIdOf
      const isSaved = (yield* query).has("saved")
      return yield* shownAt(writePath(id), (publisher, owner) =>
        Effect.gen(function* () {
          const post = yield* posts.read(publisher, id)
          const { freeContentMarkdown: free, paidContentMarkdown: paid } = post
          yield* countedRest(owner, (free?.length ?? 0) + (paid?.length ?? 0))
          const told = { said: "Saved.", ...(post.url === null ? {} : { url: post.url }) }
          return yield* shownPost(publisher, owner, post, { told: isSaved ? told : null })
        })
      )
    })

    /** Saves what was written, as the API does. A form that is sent again changes nothing. */
    const saved = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id, key, revision }: Written
    ) {
      if (id === null) {
        const members = membersOf(newFields(fields, yield* acceptLanguage))
        return (yield* posts.create(publisher, yield* checkDraft(members), key)).post
      }
      const members = membersOf(withLanguage(fields))
      const update = posts.update(publisher, id, yield* checkPatch(members), revision, fields.slug === "")
      return yield* Effect.catchTag(update, "RevisionConflict", (conflict) =>
        Effect.filterOrFail(
          posts.read(publisher, id),
          (post) => isSavedAs(post, fields),
          () => conflict
        )
      )
    })

    /** Shows each value that differs from the version that was saved elsewhere, next to that one. */
    const conflict = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      id: PostId,
      written: Written,
      choices: Choices
    ) {
      const post = yield* posts.read(publisher, id)
      const { isPublished } = viewOf(post)
      const fields = withSheet(sheetFieldsOf(post, yield* originOf(publisher, post)), written.fields)
      const elsewhere = {
        fields: {
          ...fieldsOf(post),
          free: post.freeContentMarkdown ?? "",
          paid: post.paidContentMarkdown ?? ""
        },
        choices: new Map(differencesOf(post, fields).map((control) => [control, choices.get(control)])),
        moved:
          isPublished === written.isPublished ? "" : isPublished ? "It's public now." : "It's a draft again."
      }
      return yield* shownPost(publisher, owner, post, { fields, elsewhere, outcome: "conflict" }, 409)
    })

    /** Returns what an author wrote, with the saved values that the author chose. The form is as it was until all are chosen. */
    const chosenOf = <W extends Written>(publisher: PublisherAuthority, written: W, choices: Choices) =>
      written.id === null || choices.size === 0 || [...choices.values()].includes(undefined)
        ? Effect.succeed(written)
        : Effect.map(posts.read(publisher, written.id), (post) => ({
            ...written,
            fields: chosenFields(post, written.fields, choices)
          }))

    /** Returns the reason for which an edit of a public post waits for one more press: its paid part would become public. */
    const freedBy = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      { fields, id, revision }: Written
    ) {
      if (id === null || fields.isSold !== false) return null
      const post = yield* posts.read(publisher, id)
      const isSold = post.status === "published" && post.enablePaywall
      // Another version is shown first.
      if (!isSold || !isSameMoment(revision, post.updatedAt)) return null
      const paidContentMarkdown = fields.paid ?? post.paidContentMarkdown
      const freed = freedPartOf({ enablePaywall: false, paidContentMarkdown })
      return freed === null ? null : { control: "sell", sentence: `${freed} Save again to make it public.` }
    })

    /** Reads the form of a post. The button that inserts a picture sends the same form with a file. */
    const readPost = Effect.fnUntraced(function* (bytesMax: number) {
      if (isFileForm(yield* HttpServerRequest.HttpServerRequest)) {
        yield* checkFileForm
        const change = yield* readFileForm(FORM_BOUNDS, bytesMax)
        return { form: change.fields, change }
      }
      const form = yield* readLongForm(FORM_BOUNDS, bytesMax)
      const removed = form.get("remove")
      return { form, change: removed === undefined ? undefined : { removed } }
    })

    /** Shows what an author wrote for a post that does not exist, or with a picture that does not. */
    const missing = Effect.fnUntraced(function* (
      publisher: PublisherAuthority,
      owner: BrowserAuthority,
      written: Written,
      change: object | undefined
    ) {
      if (change !== undefined && "removed" in change)
        return yield* shownTo(publisher, owner, { ...written, outcome: "refused", told: NO_PICTURE }, 404)
      const draft = {
        ...written,
        id: null,
        isPublished: false,
        isScheduled: false,
        revision: "",
        outcome: "missing" as const
      }
      return yield* shown(owner, { ...draft, key: yield* random.uuidV4(), told: NO_POST }, 404)
    })

    /** Saves what an author wrote. A refusal of any kind shows the text again, in its fields. */
    const save = Effect.fnUntraced(function* (id: PostId | null) {
      const found = yield* browser.owner
      const bytesMax = Option.isNone(found) ? STRANGER_FORM_BYTES_MAX : LONG_FORM_BYTES_MAX
      const request = yield* HttpServerRequest.HttpServerRequest
      const bytes = formBytesOf(request, bytesMax)
      // The picture of an author has limits of its own.
      const isPicture = Option.isSome(found) && isFileForm(request)
      const times = isPicture ? 1 : timesOf(bytes)
      yield* Option.isNone(found) ? count("public-read", times) : browser.counted(found.value, times)
      const { change, form } = yield* readPost(bytesMax)
      if (isPicture && change !== undefined && "bytes" in change)
        yield* countedRest(found.value, announcedBytes(request) - change.bytes)
      const choices = id === null ? noChoices : readChoices(form)
      const written = {
        id,
        author: form.get("author") ?? "",
        fields: readFields(form, BOXES),
        key: form.get("key") ?? "",
        revision: form.get("revision") ?? "",
        isPublished: form.has("published"),
        isScheduled: form.has("scheduled"),
        picture: { alt: form.get("alt") ?? "", place: form.get("place") ?? "" }
      }
      if (!isKey(written.key)) return yield* unreadable(form)
      // A page without the choices has no revision, so that its form is a conflict again.
      const unsaved = choices.size === 0 ? written : { ...written, revision: "" }
      if (Option.isNone(found))
        return yield* shown(null, { ...unsaved, outcome: "session", told: SIGNED_OUT }, 401)
      const owner = found.value
      if (owner.isRestricted) return yield* browser.restricted(owner)
      if (id === null && written.author !== "" && written.author !== owner.ownerId)
        return yield* shown(owner, { ...written, outcome: "account", told: OTHER_ACCOUNT }, 409)
      const changed = Effect.fnUntraced(function* (publisher: PublisherAuthority, chosen: Written) {
        if (form.cut.length > 0) return refusing(unsaved, refusedCuts(form.cut))
        if (change !== undefined) return yield* changePicture(publisher, written, change)
        if ([...choices.values()].includes(undefined)) return yield* new RevisionConflict()
        const freed = form.has("_free") ? null : yield* freedBy(publisher, chosen)
        if (freed !== null) return refusing({ ...chosen, isFreeing: true }, [freed])
        const post = yield* saved(publisher, chosen)
        return { post, next: nextPath(post.id, form.get("next")) }
      })
      const actAs = (publisher: PublisherAuthority, chosen: Written) =>
        Effect.matchEffect(changed(publisher, chosen), {
          onSuccess: Effect.fnUntraced(function* (done) {
            const isJson = yield* asksForJson
            if ("refused" in done)
              return yield* shownTo(
                publisher,
                owner,
                { ...done.sent, refused: done.refused, outcome: "refused" },
                422
              )
            if ("view" in done) {
              if (isJson) return json(done.answer, done.status)
              const revision = choices.size === 0 ? done.view.revision : ""
              return yield* shownTo(publisher, owner, { ...done.view, revision }, done.status)
            }
            const { next, post } = done
            if (!isJson) return seeOther(next)
            const { slug, updatedAt: revision } = post
            return json({ outcome: "saved", path: writePath(post.id), revision, slug, next })
          }),
          onFailure: Effect.fnUntraced(function* (error) {
            if (error._tag === "NotFound") return yield* missing(publisher, owner, unsaved, change)
            if (error._tag === "RevisionConflict" && id !== null)
              return yield* conflict(publisher, owner, id, chosen, choices)
            const { status, ...refusal } = refusalOf(error, chosen.fields.price)
            // The next press makes another draft.
            const key = refusal.outcome === "repeat" ? yield* random.uuidV4() : written.key
            return yield* shownTo(publisher, owner, { ...chosen, key, ...refusal }, status)
          })
        })
      const act = (publisher: PublisherAuthority) =>
        Effect.matchEffect(chosenOf(publisher, written, choices), {
          onSuccess: (chosen) => actAs(publisher, chosen),
          onFailure: () => missing(publisher, owner, unsaved, change)
        })
      return yield* asPublisher(owner, act, (reason) =>
        shown(owner, { ...unsaved, outcome: "key", told: NO_KEY[reason] }, 409)
      )
    })

    const remove = Effect.gen(function* () {
      const id = yield* postIdOf
      yield* readForm({})
      return yield* publisherAt(writePath(id), (publisher, owner) =>
        Effect.matchEffect(posts.remove(publisher, id), {
          onSuccess: () => Effect.succeed(seeOther(DESK)),
          onFailure: Effect.fnUntraced(function* (error) {
            if (error._tag === "NotFound") return yield* error
            const { refused, status, told } = refusalOf(error)
            const post = yield* posts.read(publisher, id)
            return yield* shownPost(publisher, owner, post, { refused, told }, status)
          })
        })
      )
    })

    return Layer.mergeAll(
      addPrivatePage("GET", "/write", answering(showNew)),
      addPrivatePage("POST", "/write", answering(save(null))),
      addPrivatePage("GET", "/write/:postId", answering(show)),
      addPrivatePage("POST", "/write/:postId", answering(Effect.flatMap(postIdOf, save))),
      addPrivatePage("POST", "/write/:postId/delete", answering(remove))
    )
  })
)

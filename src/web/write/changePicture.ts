import { Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { HttpServerRequest } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Post } from "../../../schemas/publishing/posts/Post.ts"
import { PostDraft } from "../../../schemas/publishing/posts/PostDraft.ts"
import { checked } from "../../platform/http/checked.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { Posts } from "../../publishing/posts/Posts.ts"
import type { FileForm } from "../pictures/fileForm.ts"
import { type ChangedForm, makePictures } from "../pictures/pictures.ts"
import type { FileRefused } from "../pictures/refusals.ts"
import { isSavedAs } from "./conflict.ts"
import { fieldsOf, membersOf, newFields, type SentFields } from "./postForm.ts"
import { type WriteView, writePath } from "./writePage.ts"

/** The form of a post, as its author sent it with a picture. */
type Sent = Pick<WriteView, "author" | "fields" | "id" | "isPublished" | "key" | "picture" | "revision">

const NOT_ADDED = "The picture was not added."

const checkDraft = checked(PostDraft)

/** Makes the function that adds a picture to the form of a post, or removes one. Returns the form with the change. */
export const makeChangePicture = Effect.gen(function* () {
  const pictures = yield* makePictures
  const posts = yield* Posts
  const random = yield* SecureRandom.SecureRandom

  /** Returns the post of a form. A new one is saved first, because a picture needs a post; it may have no text yet. */
  const postOf = Effect.fnUntraced(function* (publisher: PublisherAuthority, sent: Sent) {
    if (sent.id !== null) return { id: sent.id, revision: sent.revision }
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const fields = newFields(sent.fields, headers["accept-language"])
    const members = { ...membersOf(fields), freeContentMarkdown: sent.fields.free ?? "" }
    const { post } = yield* posts.create(publisher, yield* checkDraft(members), sent.key)
    // An earlier press of the form made the post, and its author may have saved it since.
    return { id: post.id, revision: post.createdAt }
  })

  /**
   * Returns the revision after a change of the saved post. It stays as it was unless the picture is all that changed, so that the
   * next save replaces nothing that its author did not see.
   */
  const revisionAfter = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    revision: string,
    before: Post,
    expected: SentFields
  ) {
    const after = yield* posts.read(publisher, before.id)
    const isAlone =
      isSameMoment(revision, before.updatedAt) &&
      after.slug === before.slug &&
      after.status === before.status &&
      isSavedAs(after, expected)
    return isAlone ? after.updatedAt : revision
  })

  return Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    sent: Sent,
    change: FileForm<"alt" | "place"> | { readonly removed: string }
  ) {
    if (sent.id === null && "removed" in change) return yield* new NotFound()
    const post = { ...sent, ...(yield* postOf(publisher, sent)), outcome: "unsaved" as const }
    // Every other picture waits in the form.
    const isSaved = "removed" in change || sent.picture.place === "card"
    const before = isSaved ? yield* posts.read(publisher, post.id) : undefined
    const changing: Effect.Effect<ChangedForm, FileRefused | NotFound> =
      "removed" in change
        ? pictures.remove(publisher, post, change.removed)
        : pictures.insert(publisher, post, sent.key, change)
    return yield* Effect.matchEffect(changing, {
      onSuccess: Effect.fnUntraced(function* ({ fields, said, ...shown }) {
        let { revision } = post
        if (before !== undefined) {
          const saved = fieldsOf(before)
          const places =
            "removed" in change ? yield* pictures.withoutPicture(publisher, saved, change.removed) : fields
          revision = yield* revisionAfter(publisher, revision, before, { ...saved, ...places })
        }
        const view = {
          ...post,
          key: yield* random.uuidV4(),
          revision,
          fields: { ...sent.fields, ...fields },
          told: { said },
          picture: { alt: "", place: sent.picture.place }
        }
        const outcome = "removed" in change ? "removed" : shown.url === null ? "pending" : "added"
        // The script of the page changes the text itself.
        return { status: 200, view, answer: { outcome, path: writePath(post.id), revision, ...shown } }
      }),
      onFailure: Effect.fnUntraced(function* (error) {
        if (error._tag === "NotFound") return yield* error
        const { isNewKey, sentence, status } = error
        const view = {
          ...post,
          key: isNewKey ? yield* random.uuidV4() : sent.key,
          told: { said: NOT_ADDED },
          refused: [{ control: "picture", sentence }]
        }
        const said = `${NOT_ADDED} ${sentence}`
        const answer = { outcome: "refused", path: writePath(post.id), revision: post.revision, said }
        return { status, view, answer }
      })
    })
  })
})

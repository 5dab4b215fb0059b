import { Effect, Option, Schema } from "effect"
import { NotFound, RevisionConflict, type Validation } from "../../../schemas/platform/errors/common.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { PostId } from "../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  PaidContentRequired,
  PaidPostRequired,
  type SlugTaken
} from "../../../schemas/publishing/posts/errors.ts"
import type { StorageQuotaReached } from "../../../schemas/publishing/storage/errors.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { Events } from "../../platform/events/Events.ts"
import { OwnMedia } from "../../platform/media/OwnMedia.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { isSameMoment } from "../../platform/time/isSameMoment.ts"
import { now } from "../../platform/time/now.ts"
import { AccountStorage } from "../storage/AccountStorage.ts"
import { changedMembers } from "./changedMembers.ts"
import { checkPublicEdit, type PublicationRefusal } from "./completeness.ts"
import { type PostContent, textBytesOf } from "./content.ts"
import { LongWrites } from "./LongWrites.ts"
import { postOf, type PostRow } from "./postRow.ts"
import { postStatements } from "./posts.sql.ts"
import { type WantedSlug, withFreeSlug } from "./slug.ts"
import { isRewritten, PostTexts } from "./texts/PostTexts.ts"
import { type PostChange, updatePost } from "./updatePost.sql.ts"
import { makeUpdatingReaders } from "./updatingReaders.ts"
import { explainConstraint, isViolatedConstraint } from "./writeErrors.ts"

/**
 * The part of a caller in the transaction that writes a Post. The texts of the Post are read before it, so that it is short. A
 * failure of `before` undoes it.
 */
export interface Within<E extends { readonly _tag: string }> {
  readonly before: Effect.Effect<void, E>
  readonly after: (post: PostRow) => Effect.Effect<void>
}

/** The Post has another revision than the edit began with. */
class Outdated extends Schema.TaggedError<Outdated>()("Outdated", {}) {}

/** The reasons why files keep an edit from being saved. */
type AttachmentRefusal = PaidContentRequired | PaidPostRequired

/** The reasons why an edit is not saved. */
export type EditRefusal =
  | Validation
  | RevisionConflict
  | SlugTaken
  | StorageQuotaReached
  | AttachmentRefusal
  | PublicationRefusal

/**
 * Returns the reason why a Post with files cannot become `after`, or undefined. Files belong to the paid section, so
 * the Post keeps its text and its paywall (spec 4.3.8). An edit of neither is accepted, even after the section lost its
 * only image.
 */
const attachmentRefusal = (before: PostContent, after: PostContent): AttachmentRefusal | undefined => {
  const keepsText = before.paid_content_markdown === after.paid_content_markdown
  if (keepsText && before.enable_paywall === after.enable_paywall) return undefined
  if (after.paid_content_markdown === null) {
    const error: FieldError = {
      field: "paidContentMarkdown",
      code: "paid_content_required",
      message: "Keep text in the paid section: the Post has files that come with it"
    }
    return new PaidContentRequired({ errors: [error] })
  }
  if (after.enable_paywall) return undefined
  const error: FieldError = {
    field: "enablePaywall",
    code: "paid_post_required",
    message: "Keep the paywall: the Post has files for its buyers"
  }
  return new PaidPostRequired({ errors: [error] })
}

/**
 * Returns 1 for an edit that writes a native document, whose growth is not known: it is refused when the account is over
 * its quota, and the sum has the document afterwards.
 */
const nativeBytesOf = ({ free, paid }: PostChange["native"]) =>
  typeof free?.json === "string" || typeof paid?.json === "string" ? 1 : 0

/** Makes the two steps that every edit of a Post shares: `begin` finds the Post, `save` checks and writes it. */
export const makeEditPost = Effect.gen(function* () {
  const posts = yield* postStatements
  const update = yield* updatePost
  const longWrites = yield* LongWrites
  const storage = yield* AccountStorage
  const texts = yield* PostTexts
  const owners = yield* Owners
  const events = yield* Events
  const transactions = yield* Transactions
  const updatingReaders = yield* makeUpdatingReaders
  const baseUrl = yield* PublicBaseUrl
  const media = yield* OwnMedia
  const explained = explainConstraint(posts.unknownCategories)

  /** Returns the Post when it has `revision`, or when the edit requires none (spec 4.3.9). */
  const begin = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    id: PostId,
    revision: string | undefined
  ) {
    const row = yield* posts.find(publisher.ownerId, id)
    if (Option.isNone(row)) return yield* new NotFound()
    if (revision !== undefined && !isSameMoment(revision, row.value.updated_at))
      return yield* RevisionConflict.with(row.value.updated_at)
    return row.value
  })

  /** Updates everything that follows from an edit of a public Post. */
  const follow = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    before: PostRow,
    after: PostContent,
    { id, slug }: PostRow,
    at: Date
  ) {
    // The owner before the counts, as everywhere: writes that lock in one order never deadlock.
    if (after.creation_method === "autonomous_agent") yield* owners.declareAgent(publisher.ownerId)
    yield* posts.moveCounts(before, after)
    const changed = changedMembers(before, { ...after, slug })
    if (changed.length > 0)
      yield* events.record({
        ownerId: publisher.ownerId,
        type: "post.updated",
        subjectId: id,
        data: { changed },
        at
      })
  })

  /**
   * Saves an edit, and everything that follows from it when the Post is public. An undefined slug stays. Fails with
   * `RevisionConflict` when another edit was saved after this one began, and then `within` did nothing.
   */
  const save = Effect.fnUntraced(function* <E extends { readonly _tag: string } = never>(
    publisher: PublisherAuthority,
    begun: PostRow,
    wanted: WantedSlug | undefined,
    edited: Pick<PostChange, "content" | "native">,
    within?: Within<E>
  ) {
    const { content } = edited
    const refusal = begun.attachments.some(({ state }) => state !== "receiving")
      ? attachmentRefusal(begun, content)
      : undefined
    if (refusal !== undefined) return yield* refusal
    const isPublic = begun.status === "published"
    yield* storage.admit(
      publisher.ownerId,
      textBytesOf(content) - textBytesOf(begun) + nativeBytesOf(edited.native)
    )
    if (isPublic) yield* checkPublicEdit(begun, content)
    const { id, updated_at: revision } = begun
    const { ownerId } = publisher
    const html = isPublic && isRewritten(begun, content) ? yield* texts.htmlOf(ownerId, content) : undefined
    const at = yield* now
    const change = { ...edited, html, id, ownerId, revision, at }
    const written = withFreeSlug(wanted, id, (slug, tried) => {
      const updated = update({ ...change, slug, tried })
      // One statement needs no transaction.
      if (!isPublic && within === undefined) return updated
      return transactions.run(
        Effect.gen(function* () {
          if (within !== undefined) yield* within.before
          const post = yield* updated
          if (Option.isNone(post)) return yield* new Outdated()
          if (isPublic) yield* follow(publisher, begun, content, post.value, at)
          if (within !== undefined) yield* within.after(post.value)
          return post
        })
      )
    })
    const saved = yield* longWrites
      .inTurn(ownerId, content, isPublic ? updatingReaders(id)(written) : written)
      .pipe(
        Effect.catch((error): Effect.Effect<Option.Option<PostRow>, E | SlugTaken | Validation> => {
          if (isViolatedConstraint(error)) return explained(error, content)
          return error instanceof Outdated ? Effect.succeedNone : Effect.fail(error)
        })
      )
    if (Option.isNone(saved)) {
      const current = yield* posts.find(ownerId, id)
      return yield* RevisionConflict.with(Option.getOrElse(current, () => begun).updated_at)
    }
    return postOf(saved.value, baseUrl, media)
  }, Effect.scoped)

  return { begin, save }
})

import { Effect, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { ItemOutcome, ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import type { PostDraft } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import type { LeaseLost } from "../../../platform/work/lease.ts"
import type { Within } from "../../posts/editPost.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import type { PostRow } from "../../posts/postRow.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ApplyChoices, ImportRow } from "../rows/importRow.ts"
import { draftOf, type LeftDraft, type Picture, type WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { makeIsAsLeft, makeLeftDraft } from "../rows/leftDraft.ts"
import { metaLine, withLines } from "../rows/reportLines.ts"
import { sourceStatements } from "../rows/sources.sql.ts"
import { makeCollectPictures, type PictureSources } from "./collectPictures.ts"
import { lockedLines, patchOf } from "./itemPatch.ts"
import { makeItemTexts } from "./itemTexts.ts"
import { makeHold } from "./staying.ts"
import { makeIsAsWritten, makeSaveSource } from "./written.ts"

/** Lines of an earlier attempt, which another one replaces. */
const ATTEMPT_CODES: ReadonlySet<string> = new Set([
  "native_dropped",
  "attachment_kept",
  "attachment_missing",
  "attachment_refused",
  "image_missing",
  "image_refused",
  "image_unavailable",
  "link_rewritten",
  "not_applied",
  "storage_full"
])

/** The places from which pictures come, for all items of a step. */
export type WorkSources = Pick<PictureSources, "failures" | "file">

/** The outcome of the step of an item. */
interface Settled {
  readonly outcome: ItemOutcome
  readonly pictures: ReadonlyArray<Picture>
  readonly lines: ReadonlyArray<ReportLine>
  /** True when the item has pictures, files or sections that are still to be admitted. */
  readonly waits?: boolean | undefined
  readonly post?: Pick<PostRow, "id" | "slug"> | undefined
  /** The draft as this step leaves it; undefined when it writes none. */
  readonly left?: LeftDraft
}

const sentenceOf = (error: {
  readonly errors?: ReadonlyArray<{ readonly field: string; readonly message: string }>
  readonly message: string
}) =>
  error.errors === undefined || error.errors.length === 0
    ? error.message
    : error.errors.map(({ field, message }) => `${field}: ${message}`).join(" ")

/** Makes the step that turns an item into a draft, or brings its Post up to date. */
export const makeApplyItem = Effect.gen(function* () {
  const items = yield* itemStatements
  const sources = yield* sourceStatements
  const importedPosts = yield* ImportedPosts
  const transactions = yield* Transactions
  const random = yield* SecureRandom.SecureRandom
  const texts = yield* makeItemTexts
  const files = yield* makeImportFiles
  const collectPictures = yield* makeCollectPictures
  const hold = yield* makeHold
  const isAsLeft = yield* makeIsAsLeft
  const leftDraft = yield* makeLeftDraft
  const isAsWritten = yield* makeIsAsWritten
  const saveSource = yield* makeSaveSource

  const settle = (item: WholeItemRow, it: Settled) =>
    items.settle(item.id, {
      outcome: it.outcome,
      task: it.waits === true ? "admit" : null,
      slug: it.post?.slug ?? item.slug,
      pictures: it.pictures,
      report: withLines(item.report, it.lines, ATTEMPT_CODES),
      postId: it.post?.id ?? item.post_id,
      left: it.left ?? item
    })

  const settled = (row: ImportRow, item: WholeItemRow, it: Settled) =>
    transactions.run(
      Effect.gen(function* () {
        yield* hold(row, it.waits === true ? 0 : 1)
        yield* settle(item, it)
      })
    )

  const failedBy = (
    item: WholeItemRow,
    { pictures }: Pick<Settled, "pictures">,
    error: Parameters<typeof sentenceOf>[0],
    code = "not_applied"
  ): Settled => ({
    // An undo deletes what this import made, also when it could not bring it up to date.
    outcome: item.outcome === "created" && item.post_id !== null ? "created" : "failed",
    // Those that are stored are not stored again.
    pictures,
    lines: [metaLine("stop", code, sentenceOf(error))]
  })

  const collected = Effect.fnUntraced(function* (
    row: ImportRow,
    item: WholeItemRow,
    given: WorkSources,
    choices: ApplyChoices
  ) {
    const { fetchImages: fetches = true, siteUrl } = choices
    const { pictures, refusals } = yield* collectPictures(row, item, { ...given, fetches, siteUrl })
    // Collected pictures are kept, so that a worker that goes on after a kill uses the same ids.
    if (pictures.length > 0)
      yield* transactions.run(Effect.andThen(hold(row, 0), items.savePictures(item.id, pictures)))
    // A picture from the text, or one that failed, has another id now.
    for (const { index, operationId } of item.pictures)
      if (pictures[index]?.operationId !== operationId)
        yield* Effect.ignore(files.removePicture(row.id, operationId))
    const here = yield* texts.draftHere(row, item, { pictures, siteUrl })
    const lines = refusals.map(({ image, refusal }) =>
      metaLine(
        "lost",
        refusal.code,
        refusal.message,
        "url" in image.from ? image.from.url : "entry" in image.from ? image.from.entry : image.alt,
        image.place === "cover" ? "meta" : texts.sectionOf(item.content.draft, image.url)
      )
    )
    const waits = item.content.native !== null || pictures.some(({ state }) => state === "collected")
    return { ...here, pictures, waits, lines: [...lines, ...here.lines] }
  })

  /** The end of an item in the transaction that writes its Post, so that no crash makes our own edit look like one of the author. */
  const written = (
    row: ImportRow,
    item: WholeItemRow,
    here: Pick<Settled, "pictures" | "waits" | "lines">,
    it: { readonly outcome: ItemOutcome; readonly isAsLeft: boolean }
  ): Within<LeaseLost> => ({
    before: hold(row, here.waits === true ? 0 : 1),
    after: Effect.fnUntraced(function* (post) {
      yield* saveSource(row, item, post)
      const { lines, pictures, waits } = here
      const left = it.isAsLeft ? yield* leftDraft(post) : item
      yield* settle(item, { outcome: it.outcome, pictures, waits, lines, post, left })
    })
  })

  const create = Effect.fnUntraced(function* (
    row: ImportRow,
    item: WholeItemRow,
    given: WorkSources,
    choices: ApplyChoices
  ) {
    const id = PostId.make(yield* random.uuidV7())
    const here = yield* collected(row, item, given, choices)
    const draft = draftOf(here.draft, item.slug, choices)
    if (Result.isFailure(draft)) return yield* settled(row, item, failedBy(item, here, draft.failure))
    const withCover: PostDraft =
      here.cover === null ? draft.success : { ...draft.success, ogImage: here.cover }
    const created = importedPosts.create(
      { id, owner: row.owner_id, draft: withCover, datedAt: item.meta.datedAt },
      written(row, item, here, { outcome: "created", isAsLeft: true })
    )
    yield* Effect.catchTags(created, {
      Validation: (error) => settled(row, item, failedBy(item, here, error)),
      StorageQuotaReached: (error) => settled(row, item, failedBy(item, here, error, "storage_full"))
    })
  })

  const update = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    post: PostRow,
    given: WorkSources,
    choices: ApplyChoices
  ) {
    const here = yield* collected(row, item, given, choices)
    const draft = draftOf(here.draft, null, choices)
    if (Result.isFailure(draft)) return yield* settled(row, item, failedBy(item, here, draft.failure))
    const patch = patchOf(draft.success, post, here.cover, item.content.native)
    const within = written(row, item, here, {
      outcome: item.outcome === "created" ? "created" : "updated",
      // A draft that its author changed since stays so, although this brings what the import wrote up to date.
      isAsLeft: item.revision === null || (yield* isAsLeft(row.owner_id, item, post))
    })
    const updated = yield* Effect.result(
      importedPosts.update(publisher, post.id, patch, post.updated_at, within)
    )
    if (Result.isFailure(updated)) {
      const error = updated.failure
      // Another edit came first: the next attempt sees it.
      if (error._tag === "RevisionConflict") return
      if (error._tag === "LeaseLost") return yield* error
      const failed = failedBy(item, here, error)
      if (error._tag !== "ContentNotEditable") return yield* settled(row, item, failed)
      return yield* settled(row, item, { ...failed, lines: lockedLines(post, patch) })
    }
  })

  /** Returns the Post that an earlier import, or this one, made of an item. */
  const madeOf = Effect.fnUntraced(function* (row: ImportRow, item: WholeItemRow) {
    const [source] = yield* sources.find(row.owner_id, [item.source_key])
    // An item without a source may be of our own export, which names a Post of this account.
    const id = source?.post_id ?? item.post_id
    if (id === null) return undefined
    const post = yield* importedPosts.find(row.owner_id, id)
    return Option.isSome(post) ? { source, post: post.value } : undefined
  })

  /** Applies an item. Fails with `LeaseLost` when its author cancels the import. */
  return Effect.fn("Imports.applyItem")(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    given: WorkSources,
    choices: ApplyChoices
  ) {
    const made = yield* madeOf(row, item)
    if (made === undefined) return yield* create(row, item, given, choices)
    const { post, source } = made
    // An item that another import applied tells the revision that its Post has.
    const left = item.revision === null ? { left: { revision: post.updated_at, draft_sha256: null } } : {}
    const isUntouched = source !== undefined && (yield* isAsWritten(source, post))
    if (!isUntouched && choices.onConflict !== "replace")
      return yield* settled(row, item, { outcome: "kept", pictures: item.pictures, lines: [], post, ...left })
    // Pictures that failed, or that are stored since an attempt that was refused.
    const lacksPictures = item.pictures.some(
      ({ format, state }) => state === "failed" || (state === "collected" && format !== null)
    )
    if (source?.sha256 === item.sha256 && !lacksPictures && item.outcome !== "conflict")
      return yield* settled(row, item, {
        outcome: item.outcome === "failed" ? "updated" : item.outcome,
        pictures: item.pictures,
        lines: item.report.filter(({ code }) => ATTEMPT_CODES.has(code) && code !== "not_applied"),
        post,
        ...left
      })
    yield* update(publisher, row, item, post, given, choices)
  })
})

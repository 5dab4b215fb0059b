import { Effect, Option } from "effect"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import type { PostPatch } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { OwnMedia } from "../../../platform/media/OwnMedia.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import type { LeaseLost } from "../../../platform/work/lease.ts"
import type { Within } from "../../posts/editPost.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import type { PostRow } from "../../posts/postRow.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { makeIsAsLeft, makeLeftDraft } from "../rows/leftDraft.ts"
import { metaLine, withLines } from "../rows/reportLines.ts"
import { sourceStatements } from "../rows/sources.sql.ts"
import { droppedLines } from "./itemPatch.ts"
import { makeItemTexts } from "./itemTexts.ts"
import { linesOf } from "./pictureLines.ts"
import { makeHold, makeKeep } from "./staying.ts"
import { makeIsAsWritten, makeSaveSource } from "./written.ts"

/** Edits that may come between reading a Post and writing it, at most: of its author, or of the screening of a file. */
const EDITS_AWAITED_MAX = 3

/** Returns the sections of an item that Markdown cannot say. */
const nativeSections = ({ content: { native } }: WholeItemRow) =>
  (["free", "paid"] as const).filter((section) => (native?.[section] ?? null) !== null)

/** Returns true for a refusal of an edit, which leaves the Post as it is. */
const isRefusal = <E extends { readonly _tag: string }>(
  error: E | LeaseLost
): error is Exclude<E, LeaseLost> => error._tag !== "LeaseLost"

/** A Post is read and written again after an edit that came between. */
const AFTER_EDITS = {
  while: ({ _tag }: { readonly _tag: string }) => _tag === "RevisionConflict",
  times: EDITS_AWAITED_MAX
}

/** Makes the ends of the pictures of an item: all are admitted or failed, or the import does not wait for them any more. */
export const makeEndPictures = Effect.gen(function* () {
  const items = yield* itemStatements
  const importedPosts = yield* ImportedPosts
  const texts = yield* makeItemTexts
  const transactions = yield* Transactions
  const saveSource = yield* makeSaveSource
  const sources = yield* sourceStatements
  const asWritten = yield* makeIsAsWritten
  const isAsLeft = yield* makeIsAsLeft
  const leftDraft = yield* makeLeftDraft
  const hold = yield* makeHold
  const keep = yield* makeKeep
  const media = yield* OwnMedia

  /** Returns the patch that takes pictures out of a Post: their places keep links, or their alternative texts. */
  const patchWithout = Effect.fnUntraced(function* (
    row: ImportRow,
    item: WholeItemRow,
    { free_content_markdown: free, og_image, paid_content_markdown: paid }: PostRow,
    failed: ReadonlyArray<Picture>
  ): Effect.fn.Return<PostPatch> {
    const without = (section: string | null) =>
      section === null ? Effect.succeed(null) : texts.withoutPictures(row.owner_id, section, item, failed)
    const freeContentMarkdown = yield* without(free)
    const paidContentMarkdown = yield* without(paid)
    const isLost = (picture: Picture) =>
      item.content.images[picture.index]?.place === "cover" && texts.urlOf(picture) === media.urlOf(og_image)
    return {
      ...(freeContentMarkdown === free ? {} : { freeContentMarkdown }),
      ...(paidContentMarkdown === paid ? {} : { paidContentMarkdown }),
      ...(og_image !== null && failed.some(isLost) ? { ogImage: null } : {})
    }
  })

  /** Returns the Post of an item, and whether its author has changed it; undefined once it is deleted. */
  const postOf = Effect.fnUntraced(function* (row: ImportRow, item: WholeItemRow) {
    if (item.post_id === null) return undefined
    const found = yield* importedPosts.find(row.owner_id, item.post_id)
    if (Option.isNone(found)) return undefined
    const post = found.value
    const [source] = yield* sources.find(row.owner_id, [item.source_key])
    return {
      post,
      isUntouched: yield* isAsLeft(row.owner_id, item, post),
      isAsWritten: source !== undefined && (yield* asWritten(source, post))
    }
  })

  /** Ends an edit of a Post: one that its author has not changed stays so, and a changed one stays changed. */
  const within = (
    row: ImportRow,
    item: WholeItemRow,
    found: { readonly isUntouched: boolean; readonly isAsWritten: boolean },
    before: Effect.Effect<void, LeaseLost>,
    save: (item: WholeItemRow) => Effect.Effect<unknown>
  ): Within<LeaseLost> => ({
    before,
    after: Effect.fnUntraced(function* (post) {
      if (found.isAsWritten) yield* saveSource(row, item, post)
      yield* save(found.isUntouched ? { ...item, ...(yield* leftDraft(post)) } : item)
    })
  })

  /**
   * Takes the pictures of an item that do not come out of the text of its Post. Returns the item as it is then. After an edit
   * of the author that comes first, the text is read again.
   */
  const takeOut = (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    holding: Effect.Effect<void, LeaseLost>
  ): Effect.Effect<WholeItemRow, LeaseLost> => {
    let after = item
    const failed = item.pictures.filter(
      ({ format, state }) => state === "failed" && format !== null && format !== "zip"
    )
    const taking = Effect.gen(function* () {
      const found = failed.length === 0 ? undefined : yield* postOf(row, item)
      if (found === undefined) return
      const { id, updated_at } = found.post
      const patch = yield* patchWithout(row, item, found.post, failed)
      if (Object.keys(patch).length === 0) return
      const ending = within(
        row,
        item,
        found,
        holding,
        Effect.fnUntraced(function* (written) {
          yield* items.savePictures(item.id, item.pictures)
          yield* items.follow(item.id, written)
          after = written
        })
      )
      yield* importedPosts.update(publisher, id, patch, updated_at, ending)
    })
    return taking.pipe(
      Effect.retry(AFTER_EDITS),
      Effect.catchIf(isRefusal, () => Effect.void),
      Effect.map(() => after)
    )
  }

  /** Saves the end of the pictures of an item, in a transaction that holds the import. */
  const settle = Effect.fnUntraced(function* (
    row: ImportRow,
    item: WholeItemRow,
    lines: ReadonlyArray<ReportLine>,
    dropped: ReadonlyArray<ReportLine>
  ) {
    // Its Post has an older section, which the same file brings up to date another time.
    if (dropped.some(({ severity }) => severity === "stop"))
      yield* sources.reopen(row.owner_id, item.source_key)
    yield* items.settle(item.id, {
      outcome: item.outcome,
      task: null,
      slug: item.slug,
      pictures: item.pictures,
      report: withLines(item.report, [...lines, ...dropped]),
      postId: item.post_id,
      left: item
    })
  })

  /**
   * Ends an item none of whose pictures is still to be admitted: takes those that failed out of its Post, and writes the sections
   * that Markdown cannot say, unless its author changed it.
   */
  const end = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    ended: WholeItemRow
  ) {
    const item = yield* takeOut(publisher, row, ended, hold(row, 0))
    const lines = linesOf(item)
    const { free, paid } = texts.nativeHere(item, item.pictures)
    const patch = { ...(free === undefined ? {} : { free }), ...(paid === undefined ? {} : { paid }) }
    const all = nativeSections(item)
    const dropped = all.filter((section) => patch[section] === undefined)
    const holding = hold(row, 1)
    let post: PostRow | undefined
    const without = (sections: typeof all) =>
      transactions.run(Effect.andThen(holding, settle(row, item, lines, droppedLines(post, sections))))
    const writing = Effect.gen(function* () {
      const found = all.length === 0 ? undefined : yield* postOf(row, item)
      post = found?.post
      if (found === undefined || dropped.length === all.length) return yield* without(dropped)
      if (!found.isAsWritten) return yield* without(all)
      const { id, updated_at } = found.post
      const ending = within(row, item, found, holding, (written) =>
        settle(row, written, lines, droppedLines(found.post, dropped))
      )
      yield* importedPosts.writeNative(publisher, id, patch, updated_at, ending)
    })
    yield* writing.pipe(
      Effect.retry(AFTER_EDITS),
      Effect.catchIf(isRefusal, () => without(all))
    )
  })

  /** Ends an item whose collected pictures do not come any more, for the reason that `line` says. Their places keep links. */
  const endWithout = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    line: ReportLine,
    holding: { readonly still: Effect.Effect<void, LeaseLost>; readonly end: Effect.Effect<void, LeaseLost> }
  ) {
    const pictures = item.pictures.map((it): Picture =>
      it.state === "collected" ? { ...it, state: "failed", code: "image_unavailable" } : it
    )
    const without = yield* takeOut(publisher, row, { ...item, pictures }, holding.still)
    const sections = nativeSections(item)
    const found = sections.length === 0 ? undefined : yield* postOf(row, without)
    const dropped = droppedLines(found?.post, sections)
    const lines = [line, ...linesOf(without)]
    yield* transactions.run(Effect.andThen(holding.end, settle(row, without, lines, dropped)))
  })

  /** Leaves the pictures out that a cancelled import has not admitted. */
  const leave = Effect.fn("Imports.leavePictures")(function* (publisher: PublisherAuthority, row: ImportRow) {
    const line = metaLine(
      "lost",
      "image_unavailable",
      "The import was cancelled before its pictures and files came."
    )
    const still = keep(row)
    for (const item of yield* items.admitting(row.id))
      yield* endWithout(publisher, row, item, line, { still, end: still })
    yield* items.dropTasks(row.id)
  })

  /** Leaves the pictures of an item out at which every attempt died. */
  const giveUp = Effect.fn("Imports.giveUpPictures")(
    (publisher: PublisherAuthority, row: ImportRow, item: WholeItemRow, line: ReportLine) =>
      endWithout(publisher, row, item, line, { still: hold(row, 0), end: hold(row, 1) })
  )

  return { end, giveUp, leave }
})

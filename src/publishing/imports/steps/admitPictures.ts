import { Effect, Option, Result, Stream } from "effect"
import { UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import type { PostPatch } from "../../../../schemas/publishing/posts/PostDraft.ts"
import { ARCHIVE_BYTES_MAX, mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { OwnMedia } from "../../../platform/media/OwnMedia.ts"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import type { LeaseLost } from "../../../platform/work/lease.ts"
import type { Within } from "../../posts/editPost.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import type { PostRow } from "../../posts/postRow.ts"
import { Uploads } from "../../uploads/Uploads.ts"
import type { ImportFailure } from "../ImportedItem.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ImportRow } from "../rows/importRow.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { makeIsAsLeft, makeLeftDraft } from "../rows/leftDraft.ts"
import { metaLine, withLines } from "../rows/reportLines.ts"
import { sourceStatements } from "../rows/sources.sql.ts"
import type { OpenFile } from "./collectPictures.ts"
import { makeItemTexts } from "./itemTexts.ts"
import { makeHold, makeKeep } from "./staying.ts"
import { makeIsAsWritten, makeSaveSource } from "./written.ts"

/** Edits of an author that may come between reading a Post and writing it, at most. */
const EDITS_AWAITED_MAX = 3

/** The end of a step: the item is done, or the import waits until uploads are finished. */
export type Admission = "done" | "waits"

/** Makes the step that makes the collected pictures of an item uploads of its Post, with the ids that its text has, and its attachments. */
export const makeAdmitPictures = Effect.gen(function* () {
  const items = yield* itemStatements
  const uploads = yield* Uploads
  const importedPosts = yield* ImportedPosts
  const files = yield* makeImportFiles
  const texts = yield* makeItemTexts
  const transactions = yield* Transactions
  const saveSource = yield* makeSaveSource
  const sources = yield* sourceStatements
  const asWritten = yield* makeIsAsWritten
  const hold = yield* makeHold
  const isAsLeft = yield* makeIsAsLeft
  const leftDraft = yield* makeLeftDraft
  const keep = yield* makeKeep
  const media = yield* OwnMedia

  /** Returns the upload of a picture or an attachment, with its bytes; undefined when they are gone. */
  const uploadOf = Effect.fnUntraced(function* (
    row: ImportRow,
    { content }: WholeItemRow,
    { format, index, operationId }: Picture,
    file: OpenFile
  ) {
    if (format === null) return undefined
    if (format === "zip") {
      const attachment = content.attachments[index - content.images.length]
      if (attachment === undefined) return undefined
      const bytes = yield* file.pipe(
        Effect.flatMap((open) => open.entry(attachment.entry, ARCHIVE_BYTES_MAX)),
        Effect.catchTag("ImportFailure", () => Effect.undefined)
      )
      if (bytes === undefined) return undefined
      const { name: fileName } = attachment
      return { bytes, kind: "attachment", key: "", sent: { fileName, mediaType: "application/zip" } } as const
    }
    const bytes = yield* Effect.catchTag(
      files.readPicture(row.id, operationId),
      "ObjectNotFound",
      () => Effect.undefined
    )
    if (bytes === undefined) return undefined
    const kind = content.images[index]?.place === "cover" ? "og" : "inline"
    return {
      bytes,
      kind,
      key: kind === "og" ? "" : operationId,
      sent: { mediaType: mediaTypeOf[format] }
    } as const
  })

  /** Admits a picture or an attachment. A repeat finds the upload that it made. */
  const admit = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    picture: Picture,
    file: OpenFile
  ) {
    const { operationId } = picture
    const thing = picture.format === "zip" ? "attachment" : "image"
    const upload = yield* uploadOf(row, item, picture, file)
    if (item.post_id === null || upload === undefined) return `${thing}_missing` as const
    const { bytes, key, kind, sent } = upload
    const admitted = yield* Effect.result(
      uploads.admit(
        publisher,
        {
          target: { kind, id: UploadTargetId.make(item.post_id), key },
          requestKey: `import-${operationId}`,
          revision: undefined,
          requestBytes: bytes.length,
          importedAs: operationId
        },
        Effect.succeed({ ...sent, bytes: Stream.make(bytes) })
      )
    )
    // A process that was killed may still hold the operation. Its bytes have not come then.
    if (Result.isSuccess(admitted))
      return admitted.success.safety.state === "receiving" ? ("waits" as const) : ("admitted" as const)
    switch (admitted.failure._tag) {
      case "UploadLimitReached":
        return "waits" as const
      case "StorageQuotaReached":
        return "storage_full" as const
      case "UploadUnavailable":
        // The import waits, and this counts as no attempt.
        return yield* new StorageUnavailable({ operation: "put", cause: admitted.failure })
      case "MalformedMultipart":
      case "UploadFailed":
        return yield* Effect.die(admitted.failure)
      case "Validation":
        // The Post has a file of this name, as after an earlier import.
        if (admitted.failure.errors.some(({ code }) => code === "taken")) return "attachment_kept" as const
        return `${thing}_refused` as const
      default:
        return `${thing}_refused` as const
    }
  })

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
      isUntouched: yield* isAsLeft(item, post),
      isAsWritten: source !== undefined && (yield* asWritten(source, post))
    }
  })

  /** Ends an edit of a Post: one that its author has not changed stays so, and a changed one stays changed. */
  const within = (
    row: ImportRow,
    item: WholeItemRow,
    found: { readonly isUntouched: boolean; readonly isAsWritten: boolean },
    before: Effect.Effect<void, LeaseLost>,
    end: (item: WholeItemRow) => Effect.Effect<unknown>
  ): Within<LeaseLost> => ({
    before,
    after: Effect.fnUntraced(function* (post) {
      if (found.isAsWritten) yield* saveSource(row, item, post)
      yield* end(found.isUntouched ? { ...item, ...(yield* leftDraft(post)) } : item)
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
      const end = Effect.fnUntraced(function* (written: WholeItemRow) {
        yield* items.savePictures(item.id, item.pictures)
        yield* items.follow(item.id, written)
        after = written
      })
      yield* importedPosts.update(publisher, id, patch, updated_at, within(row, item, found, holding, end))
    })
    return taking.pipe(
      Effect.retry({ while: ({ _tag }) => _tag === "RevisionConflict", times: EDITS_AWAITED_MAX }),
      Effect.catch((error) => (error._tag === "LeaseLost" ? Effect.fail(error) : Effect.void)),
      Effect.map(() => after)
    )
  }

  /** Saves the end of the pictures of an item, in a transaction that holds the import. */
  const settle = (item: WholeItemRow, lines: ReadonlyArray<ReportLine>) =>
    items.settle(item.id, {
      outcome: item.outcome,
      task: null,
      slug: item.slug,
      pictures: item.pictures,
      report: withLines(item.report, lines),
      postId: item.post_id,
      left: item
    })

  /** Returns the sections of an item that Markdown cannot say, as its Post can have them, and lines about the others. */
  const nativeOf = (item: WholeItemRow) => {
    const native = item.content.native ?? { free: null, paid: null }
    const { free, paid } = texts.nativeHere(item, item.pictures)
    const droppedOf = (section: "free" | "paid") =>
      metaLine("lost", "native_dropped", "What Markdown cannot say of the section was left out.", "", section)
    const all = (["free", "paid"] as const).filter((section) => native[section] !== null)
    return {
      patch: { ...(free === undefined ? {} : { free }), ...(paid === undefined ? {} : { paid }) },
      dropped: all.filter((section) => ({ free, paid })[section] === undefined).map(droppedOf),
      allDropped: all.map(droppedOf)
    }
  }

  /**
   * Ends an item whose pictures are here, or do not come: writes the sections of its Post that Markdown cannot say, unless its
   * author changed it.
   */
  const endWhole = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow
  ) {
    const lines = linesOf(item)
    const { allDropped, dropped, patch } = nativeOf(item)
    const holding = hold(row, 1)
    const only = (more: ReadonlyArray<ReportLine>) =>
      transactions.run(Effect.andThen(holding, settle(item, [...lines, ...more])))
    const found = Object.keys(patch).length === 0 ? undefined : yield* postOf(row, item)
    if (found === undefined) return yield* only(dropped)
    if (!found.isAsWritten) return yield* only(allDropped)
    const { id, updated_at } = found.post
    const end = (written: WholeItemRow) => settle(written, [...lines, ...dropped])
    yield* Effect.catch(
      importedPosts.writeNative(publisher, id, patch, updated_at, within(row, item, found, holding, end)),
      (error) => (error._tag === "LeaseLost" ? Effect.fail(error) : only(allDropped))
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
    yield* transactions.run(Effect.andThen(holding.end, settle(without, [line, ...linesOf(without)])))
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

  const admitAll = Effect.fn("Imports.admitPictures")(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    file: OpenFile
  ): Effect.fn.Return<Admission, LeaseLost | Exclude<Effect.Error<OpenFile>, ImportFailure>> {
    const pictures: Array<Picture> = []
    let waits = false
    for (const picture of item.pictures) {
      if (picture.state !== "collected" || waits) {
        pictures.push(picture)
        continue
      }
      const outcome = yield* admit(publisher, row, item, picture, file)
      if (outcome === "waits") {
        waits = true
        pictures.push(picture)
      } else if (outcome === "admitted") pictures.push({ ...picture, state: "admitted" })
      else {
        const state = outcome === "attachment_kept" ? "admitted" : "failed"
        pictures.push({ ...picture, state, code: outcome })
      }
    }
    if (waits) {
      yield* transactions.run(Effect.andThen(hold(row, 0), items.savePictures(item.id, pictures)))
      return "waits"
    }
    const without = yield* takeOut(publisher, row, { ...item, pictures }, hold(row, 0))
    yield* endWhole(publisher, row, without)
    // The uploads have the bytes. What stays after a crash goes with the import.
    for (const { format, operationId, state } of pictures)
      if (state === "admitted" && format !== "zip")
        yield* Effect.ignore(files.removePicture(row.id, operationId))
    return "done"
  })

  return { admitAll, giveUp, leave }
})

const sentences = {
  attachment_kept: "The post has a file with this name already, and keeps it.",
  attachment_missing: "The file for buyers is not in the archive, or it is damaged.",
  attachment_refused: "The service does not take the file for buyers, or the post has no paid text.",
  image_missing: "The bytes of the picture are here no more.",
  image_refused: "The service does not take the picture.",
  storage_full: "The storage of the account is full."
} as const

const isTold = (code: string | null): code is keyof typeof sentences =>
  code !== null && Object.hasOwn(sentences, code)

/** Returns a line for each picture and attachment that was collected and not admitted, in whichever turn that was. */
const linesOf = ({ content, pictures }: WholeItemRow): ReadonlyArray<ReportLine> =>
  pictures.flatMap(({ code, format, index }) => {
    // The lines about pictures that were not collected are there already.
    if (format === null || !isTold(code)) return []
    const name = content.attachments[index - content.images.length]?.name
    const severity = code === "attachment_kept" ? "note" : "lost"
    return name === undefined
      ? metaLine(severity, code, sentences[code], content.images[index]?.alt ?? "")
      : metaLine(severity, code, sentences[code], name, "paid")
  })

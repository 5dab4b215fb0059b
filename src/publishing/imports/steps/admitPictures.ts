import { Effect, Option, Result, Stream } from "effect"
import { UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import { ARCHIVE_BYTES_MAX, mediaTypeOf } from "../../../../schemas/publishing/uploads/limits.ts"
import { StorageUnavailable } from "../../../platform/ports/ObjectStorage.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { later, now } from "../../../platform/time/now.ts"
import { LeaseLost } from "../../../platform/work/lease.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import { NativeContents } from "../../posts/NativeContents.ts"
import type { PostRow } from "../../posts/postRow.ts"
import { Posts } from "../../posts/Posts.ts"
import { Uploads } from "../../uploads/Uploads.ts"
import type { ImportFailure } from "../ImportedItem.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ImportRow } from "../rows/importRow.ts"
import { importStatements } from "../rows/imports.sql.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { metaLine, withLines } from "../rows/reportLines.ts"
import { sourceStatements } from "../rows/sources.sql.ts"
import type { OpenFile } from "./collectPictures.ts"
import { makeItemTexts } from "./itemTexts.ts"
import { LEASE_MILLIS } from "./staying.ts"
import { makeSaveSource, makeWrittenHash } from "./written.ts"

/** The end of a step: the item is done, or the import waits until uploads are finished. */
export type Admission = "done" | "waits"

/** Makes the step that makes the collected pictures of an item uploads of its Post, with the ids that its text has, and its attachments. */
export const makeAdmitPictures = Effect.gen(function* () {
  const imports = yield* importStatements
  const items = yield* itemStatements
  const uploads = yield* Uploads
  const posts = yield* Posts
  const importedPosts = yield* ImportedPosts
  const files = yield* makeImportFiles
  const texts = yield* makeItemTexts
  const transactions = yield* Transactions
  const saveSource = yield* makeSaveSource
  const sources = yield* sourceStatements
  const natives = yield* NativeContents
  const writtenHash = yield* makeWrittenHash

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

  /** Takes pictures that were collected and not admitted out of the text of a draft. Returns the Post when that changed it. */
  const takeOut = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    pictures: ReadonlyArray<Picture>
  ) {
    const failed = pictures.filter(
      ({ format, state }) => state === "failed" && format !== null && format !== "zip"
    )
    if (item.post_id === null || failed.length === 0) return undefined
    const post = yield* importedPosts.find(row.owner_id, item.post_id)
    if (Option.isNone(post)) return undefined
    const { free_content_markdown, id, og_image, paid_content_markdown, updated_at } = post.value
    const without = (section: string | null) =>
      section === null ? Effect.succeed(null) : texts.withoutPictures(row.owner_id, section, item, failed)
    const isCover = failed.some((picture) => item.content.images[picture.index]?.place === "cover")
    const patch = {
      freeContentMarkdown: yield* without(free_content_markdown),
      paidContentMarkdown: yield* without(paid_content_markdown),
      ...(isCover && og_image !== null ? { ogImage: null } : {})
    }
    const updated = yield* Effect.option(transactions.run(posts.update(publisher, id, patch, updated_at)))
    if (Option.isNone(updated)) return undefined
    return Option.getOrUndefined(yield* importedPosts.find(row.owner_id, id))
  })

  /** Writes the sections of a draft that Markdown cannot say, unless its author changed it. Returns the Post that has them. */
  const writeNative = Effect.fnUntraced(function* (
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    pictures: ReadonlyArray<Picture>
  ) {
    const { native } = item.content
    if (item.post_id === null || native === null) return { post: undefined, lines: [] }
    const here = texts.nativeHere(item, pictures)
    const isDropped = (section: "free" | "paid") => native[section] !== null && here[section] === undefined
    const dropped = (section: "free" | "paid") =>
      metaLine("lost", "native_dropped", "What Markdown cannot say of the section was left out.", "", section)
    const lines = (["free", "paid"] as const).filter(isDropped).map(dropped)
    const found = yield* importedPosts.find(row.owner_id, item.post_id)
    const [source] = yield* sources.find(row.owner_id, [item.source_key])
    if (Option.isNone(found) || (here.free === undefined && here.paid === undefined))
      return { post: undefined, lines }
    const isUntouched = source !== undefined && (yield* writtenHash(found.value)) === source.written_sha256
    const patch = {
      ...(here.free === undefined ? {} : { free: here.free }),
      ...(here.paid === undefined ? {} : { paid: here.paid })
    }
    const { id, updated_at } = found.value
    const written = isUntouched
      ? yield* Effect.isSuccess(transactions.run(natives.write(publisher, id, patch, updated_at)))
      : false
    if (!written)
      return {
        post: undefined,
        lines: (["free", "paid"] as const).filter((it) => native[it] !== null).map(dropped)
      }
    return { post: Option.getOrUndefined(yield* importedPosts.find(row.owner_id, id)), lines }
  })

  /** Saves the end of the pictures of an item, and the Post that lost some. */
  const saved = Effect.fnUntraced(function* (
    row: ImportRow,
    item: WholeItemRow,
    it: {
      readonly post: PostRow | undefined
      readonly pictures: ReadonlyArray<Picture>
      readonly lines: ReadonlyArray<ReportLine>
    }
  ) {
    const { lines, pictures, post } = it
    if (post !== undefined) yield* saveSource(row, item, post)
    yield* items.settle(item.id, {
      outcome: item.outcome,
      task: null,
      slug: item.slug,
      pictures,
      report: withLines(item.report, lines),
      postId: item.post_id,
      revision: post?.updated_at ?? item.revision
    })
  })

  /** Locks the import that this worker still has, and counts the item. */
  const hold = Effect.fnUntraced(function* (row: ImportRow) {
    const dueAt = later(yield* now, LEASE_MILLIS)
    if (!(yield* imports.step({ lease: row, dueAt }, 1))) return yield* new LeaseLost()
  })

  /** Ends an item whose collected pictures do not come any more, for the reason that `line` says. Their places keep links. */
  const endWithout = <E>(
    publisher: PublisherAuthority,
    row: ImportRow,
    item: WholeItemRow,
    line: ReportLine,
    holding: Effect.Effect<void, E>
  ) => {
    const pictures = item.pictures.map((it): Picture =>
      it.state === "collected" ? { ...it, state: "failed", code: "image_unavailable" } : it
    )
    // One transaction, so that no crash makes our own edit look like one of the author.
    return transactions.run(
      Effect.gen(function* () {
        yield* holding
        const post = yield* takeOut(publisher, row, item, pictures)
        yield* saved(row, item, { post, pictures, lines: [line, ...linesOf(item, pictures)] })
      })
    )
  }

  /** Leaves the pictures out that a cancelled import has not admitted. */
  const leave = Effect.fn("Imports.leavePictures")(function* (publisher: PublisherAuthority, row: ImportRow) {
    const line = metaLine(
      "lost",
      "image_unavailable",
      "The import was cancelled before its pictures and files came."
    )
    for (const item of yield* items.admitting(row.id))
      yield* endWithout(publisher, row, item, line, Effect.void)
    yield* items.dropTasks(row.id)
  })

  /** Leaves the pictures of an item out at which every attempt died. */
  const giveUp = Effect.fn("Imports.giveUpPictures")(
    (publisher: PublisherAuthority, row: ImportRow, item: WholeItemRow, line: ReportLine) =>
      endWithout(publisher, row, item, line, hold(row))
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
      yield* items.savePictures(item.id, pictures)
      return "waits"
    }
    // One transaction, so that no crash makes our own edit look like one of the author.
    yield* transactions.run(
      Effect.gen(function* () {
        yield* hold(row)
        const without = yield* takeOut(publisher, row, item, pictures)
        if (without !== undefined) yield* saveSource(row, item, without)
        const native = yield* writeNative(publisher, row, item, pictures)
        const post = native.post ?? without
        yield* saved(row, item, { post, pictures, lines: [...linesOf(item, pictures), ...native.lines] })
      })
    )
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
const linesOf = ({ content }: WholeItemRow, pictures: ReadonlyArray<Picture>): ReadonlyArray<ReportLine> =>
  pictures.flatMap(({ code, format, index }) => {
    // The lines about pictures that were not collected are there already.
    if (format === null || !isTold(code)) return []
    const name = content.attachments[index - content.images.length]?.name
    const severity = code === "attachment_kept" ? "note" : "lost"
    return name === undefined
      ? metaLine(severity, code, sentences[code], content.images[index]?.alt ?? "")
      : metaLine(severity, code, sentences[code], name, "paid")
  })

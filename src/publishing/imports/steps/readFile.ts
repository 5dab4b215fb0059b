import { DateTime, Effect, Option, Result, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { ImportItemId, PostId, UploadOperationId, UUID } from "../../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import type { ItemOutcome, ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import { IMPORT_REPORT_LINES_MAX, REPORT_LINES_MAX } from "../../../../schemas/publishing/imports/limits.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { later, now, wireTime } from "../../../platform/time/now.ts"
import { type Lease, LeaseLost } from "../../../platform/work/lease.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import { slugBaseOf } from "../../posts/slug.ts"
import { type ImportedItem, ImportFailure } from "../ImportedItem.ts"
import { ImportReader } from "../ImportReader.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import { type Counts, HOSTS_COUNTED_MAX, type Images, type ImportRow } from "../rows/importRow.ts"
import { importStatements } from "../rows/imports.sql.ts"
import { lifetimeMillis } from "../rows/importState.ts"
import { makeItemCounts } from "../rows/itemCounts.ts"
import { type ItemContent, type Picture, sourceKeyOf } from "../rows/itemRow.ts"
import { itemStatements, type NewItem } from "../rows/items.sql.ts"
import { stopLine, withLines } from "../rows/reportLines.ts"
import { type SourceRow, sourceStatements } from "../rows/sources.sql.ts"
import { isSameAsPost } from "./sameMembers.ts"
import { LEASE_MILLIS, makeStaying } from "./staying.ts"
import { makeIsAsWritten } from "./written.ts"

/** Items of a file, at most. */
const ITEMS_MAX = 100_000

/** Time for the reading of a file, over all attempts. */
export const READING_MILLIS = 15 * 60_000

/** Numbers that are tried for a slug that is taken, before digits of the id make it unique. */
const SLUG_NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9]

/** Characters of a slug that leave room for a number or digits. */
const SLUG_BASE_MAX = 107

const ID_DIGITS = 12

/** An item with the Post that an earlier import made of it. */
interface Found {
  readonly outcome: ItemOutcome
  readonly postId: PostId | null
  /** The slug of the Post that it has already. */
  readonly slug: string | null
  readonly line: ReportLine | undefined
}

const hostOf = (url: string) => URL.parse(url)?.host ?? ""

/** Adds the pictures of items to those of the import. */
const withImages = (before: Images, items: ReadonlyArray<ImportedItem>): Images => {
  const hosts = new Map(before.hosts)
  let { elsewhere, inArchive, remote } = before
  for (const { from } of items.flatMap(({ images }) => images)) {
    if ("url" in from) {
      remote += 1
      const host = hostOf(from.url)
      const count = hosts.get(host)
      if (count === undefined && hosts.size >= HOSTS_COUNTED_MAX) elsewhere += 1
      else hosts.set(host, (count ?? 0) + 1)
    } else if (!("missing" in from)) inArchive += 1
  }
  return { ...before, inArchive, remote, hosts: [...hosts], elsewhere }
}

const has = (report: ReadonlyArray<ReportLine>, severity: ReportLine["severity"]) =>
  report.some((line) => line.severity === severity)

/** Makes the step that reads the file of an import and writes its items. */
export const makeReadFile = Effect.gen(function* () {
  const imports = yield* importStatements
  const items = yield* itemStatements
  const sources = yield* sourceStatements
  const countItems = yield* makeItemCounts
  const posts = yield* ImportedPosts
  const files = yield* makeImportFiles
  const reader = yield* ImportReader
  const transactions = yield* Transactions
  const random = yield* SecureRandom.SecureRandom
  const isAsWritten = yield* makeIsAsWritten
  const staying = yield* makeStaying

  /** Returns true when the members that an import wrote have other values now. */
  const isChangedHere = Effect.fnUntraced(function* ({ owner_id }: ImportRow, source: SourceRow) {
    if (source.current === source.revision) return false
    const post = yield* posts.find(owner_id, source.post_id)
    return Option.isNone(post) || !(yield* isAsWritten(source, post.value))
  })

  const foundOf = Effect.fnUntraced(function* (
    row: ImportRow,
    item: ImportedItem,
    source: SourceRow | undefined
  ): Effect.fn.Return<Found> {
    const none = { postId: null, slug: null, line: undefined }
    if (item.stop !== null) {
      const { code, outcome } = item.stop
      const isTold = item.report.some((line) => line.severity === "stop")
      return { ...none, outcome, line: isTold ? undefined : stopLine(code) }
    }
    if (source === undefined) {
      // Our own export names its Posts: in the account that it came from they are here.
      const own =
        item.kind === "pennypress" && UUID.test(item.sourceId)
          ? yield* posts.find(row.owner_id, PostId.make(item.sourceId.toLowerCase()))
          : Option.none()
      if (Option.isNone(own)) return { ...none, outcome: "new" }
      const { id, slug } = own.value
      return {
        postId: id,
        slug,
        line: undefined,
        outcome: isSameAsPost(item, own.value) ? "unchanged" : "conflict"
      }
    }
    if (source.current === null) return { ...none, outcome: "skipped", line: stopLine("deleted_here") }
    const found = { postId: source.post_id, slug: source.slug, line: undefined }
    if (source.sha256 === item.sha256) return { ...found, outcome: "unchanged" }
    return { ...found, outcome: (yield* isChangedHere(row, source)) ? "conflict" : "update" }
  })

  /** Stores the pictures that stood in the text of an item. Their bytes leave the item. */
  const storeData = Effect.fnUntraced(function* ({ id }: ImportRow, item: ImportedItem) {
    const pictures: Array<Picture> = []
    for (const [index, { from }] of item.images.entries()) {
      if (!("data" in from)) continue
      const bytes = Base64.decode(from.data)
      if (Result.isFailure(bytes)) continue
      const operationId = UploadOperationId.make(yield* random.uuidV7())
      yield* files.putPicture(id, operationId, bytes.success)
      pictures.push({
        index,
        operationId,
        state: "collected",
        format: null,
        bytes: bytes.success.length,
        code: null
      })
    }
    const content: ItemContent = {
      draft: item.draft,
      images: item.images.map((image) =>
        "data" in image.from ? { ...image, url: image.url, from: { data: "", type: image.from.type } } : image
      ),
      links: item.links,
      attachments: item.attachments,
      native: item.native
    }
    return { pictures, content }
  })

  /** Chooses the slug of each item that has no Post: that of the source, with a number if it is taken. */
  const slugsOf = Effect.fnUntraced(function* (
    { id, owner_id }: ImportRow,
    wanted: ReadonlyArray<{ readonly id: ImportItemId; readonly base: string }>
  ) {
    const candidatesOf = ({ base: whole, id: item }: (typeof wanted)[number]) => {
      const base = whole.slice(0, SLUG_BASE_MAX).replace(/-+$/, "")
      return [
        whole,
        ...SLUG_NUMBERS.map((number) => `${base}-${number}`),
        `${base}-${item.slice(-ID_DIGITS)}`
      ]
    }
    const taken = new Set(
      (yield* items.takenSlugs(owner_id, id, wanted.flatMap(candidatesOf))).map(({ slug }) => slug)
    )
    return new Map(
      wanted.map((it) => {
        const slug = candidatesOf(it).find((candidate) => !taken.has(candidate)) ?? it.base
        taken.add(slug)
        return [it.id, slug] as const
      })
    )
  })

  /** Writes items in one transaction, which prolongs the lease. */
  const write = Effect.fnUntraced(function* (
    row: ImportRow,
    batch: ReadonlyArray<ImportedItem>,
    counts: Counts,
    images: Images
  ) {
    const prepared = yield* Effect.forEach(
      batch,
      Effect.fnUntraced(function* (item) {
        const id = ImportItemId.make(yield* random.uuidV7())
        return { id, item, ...(yield* storeData(row, item)) }
      })
    )
    const room = Math.max(0, IMPORT_REPORT_LINES_MAX - counts.lines)
    let lines = 0
    const after: Counts = { ...counts, items: counts.items + batch.length }
    const allImages = withImages(images, batch)

    const writing = Effect.gen(function* () {
      const dueAt = later(yield* now, LEASE_MILLIS)
      const isOurs = yield* imports.prolong(
        { lease: leaseOf(row), dueAt },
        { ...after, lines: counts.lines + batch.reduce((sum, { report }) => sum + report.length, 0) },
        allImages
      )
      if (!isOurs) return yield* new LeaseLost()
      const known = new Map(
        (yield* sources.find(row.owner_id, batch.map(sourceKeyOf))).map((it) => [it.source_key, it])
      )
      const found = yield* Effect.forEach(prepared, (it) =>
        Effect.map(foundOf(row, it.item, known.get(sourceKeyOf(it.item))), (outcome) => ({
          ...it,
          ...outcome
        }))
      )
      const wanting = found.filter(({ item, slug }) => slug === null && item.stop === null)
      const slugs = yield* slugsOf(
        row,
        wanting.map(({ id, item }) => ({
          id,
          base: item.slug ?? slugBaseOf(item.draft.title, PostId.make(id))
        }))
      )
      const rows = found.map(({ content, id, item, line, outcome, pictures, postId, slug }): NewItem => {
        const told = withLines(line === undefined ? [] : [line], item.report)
        const isFull = lines + told.length > room
        const report = isFull ? told.filter(({ severity }) => severity === "stop") : told
        lines += report.length
        return {
          id,
          ordinal: item.ordinal,
          sourceKey: sourceKeyOf(item),
          outcome,
          slug: slug ?? slugs.get(id) ?? null,
          sourceSlug: item.slug,
          aliases: item.aliases,
          meta: {
            sourceId: item.sourceId,
            sourcePath: item.sourcePath,
            sourceUrl: item.sourceUrl,
            kind: item.kind,
            author: item.author,
            title: item.title,
            status: item.status,
            datedAt: item.datedAt === null ? null : timestampOf(item.datedAt),
            access: item.access,
            images: item.images.length,
            oldPaths: item.oldPaths
          },
          content,
          pictures,
          report: report.slice(0, REPORT_LINES_MAX),
          sha256: item.sha256,
          postId
        }
      })
      yield* items.insert(row.id, rows)
    })
    yield* transactions.run(writing)
    return {
      counts: {
        ...after,
        lines: counts.lines + lines,
        lost: after.lost + batch.filter(({ report }) => has(report, "lost")).length,
        changed: after.changed + batch.filter(({ report }) => has(report, "changed")).length
      },
      images: allImages
    }
  })

  /** Ends the reading. An import without an item has failed. */
  const end = Effect.fnUntraced(
    function* (row: ImportRow, failure: ImportFailure | undefined) {
      yield* items.skipEarlier(row.id, stopLine("duplicate_source_id"))
      const counted = yield* countItems(row.id)
      const counts = { ...counted, lines: row.counts.lines }
      const error =
        failure ??
        (counts.items === 0 ? new ImportFailure({ code: "empty", message: "The file has no post." }) : null)
      const state = counts.items === 0 ? "failing" : "review"
      const at = yield* now
      const isOurs = yield* imports.ended(
        { lease: leaseOf(row), dueAt: at },
        {
          state,
          counts,
          error: error === null ? null : { code: error.code, message: error.message, at: wireTime(at) },
          expiresAt: later(at, lifetimeMillis(state === "failing" ? "failed" : state))
        }
      )
      if (!isOurs) return yield* new LeaseLost()
    },
    (ending) => transactions.run(ending)
  )

  /** Fails once the time for the reading of a file is over. */
  const inTime = Effect.fnUntraced(function* ({ began_at }: ImportRow) {
    if ((yield* now).getTime() - began_at.getTime() >= READING_MILLIS)
      return yield* new ImportFailure({
        code: "too_large",
        message: "The file takes more than 15 minutes to read. Export fewer posts at a time."
      })
  })

  const read = Effect.fnUntraced(function* (row: ImportRow) {
    yield* inTime(row)
    const file = yield* reader.open(row.file_name, files.bytes(row.id))
    if (file.byteSize !== row.byte_size)
      return yield* new ImportFailure({
        code: "damaged",
        message: "Parts of the file are missing here. Delete the import and send the file again."
      })
    const { kind, ...options } = row.options
    const reading = yield* file.read(
      {
        kind,
        include: options.include ?? [],
        membersOnly: options.membersOnly ?? "paid",
        canonical: options.canonical
      },
      row.began_at.getTime()
    )
    const dueAt = later(yield* now, LEASE_MILLIS)
    const found = { kind: reading.kind, site: reading.site, total: reading.total, sha256: file.sha256 }
    if (!(yield* imports.recognize({ lease: leaseOf(row), dueAt }, found))) return yield* new LeaseLost()
    let { counts, images } = row
    const from = (yield* items.written(row.id)).items
    yield* Stream.runForEach(
      // The next items are read while these are written.
      Stream.buffer(reading.items(from), { capacity: 1 }),
      Effect.fnUntraced(function* (batch) {
        yield* inTime(row)
        if (counts.items + batch.length > ITEMS_MAX)
          return yield* new ImportFailure({
            code: "too_many",
            message: `The file has more than ${ITEMS_MAX} posts. Export fewer posts at a time.`
          })
        const written = yield* write(row, batch, counts, images)
        counts = written.counts
        images = written.images
      })
    )
  }, Effect.scoped)

  /**
   * Reads the file of an import from the first item that is not written yet. Fails with `LeaseLost` when its author cancels
   * it. A file that is damaged in the middle is read up to there.
   */
  return Effect.fn("Imports.readFile")(function* (row: ImportRow) {
    const outcome = yield* Effect.result(
      Effect.catchTag(staying(leaseOf(row))(read(row)), "ImportReaderLost", ({ detail, reason }) =>
        // Another attempt may succeed after a crash; an item that takes too long takes as long again.
        reason === "deadline" || row.attempts >= ATTEMPTS_MAX
          ? Effect.fail(
              new ImportFailure({
                code: "damaged",
                message:
                  "The file could not be read beyond this place: a post in it takes too long or too much memory."
              })
            )
          : Effect.die(new Error(`The reader of imports was lost: ${detail}`))
      )
    )
    if (Result.isSuccess(outcome)) return yield* end(row, undefined)
    if (outcome.failure._tag === "ImportFailure") return yield* end(row, outcome.failure)
    return yield* outcome.failure
  })
})

/** Attempts at a file whose reader crashes. */
const ATTEMPTS_MAX = 3

const leaseOf = ({ attempts, id }: ImportRow): Lease => ({ id, attempts })

/** Returns the wire form of a moment in ISO 8601. */
const timestampOf = (iso: string): Timestamp | null => {
  const moment = DateTime.make(iso)
  return Option.isNone(moment) ? null : wireTime(DateTime.toDateUtc(moment.value))
}

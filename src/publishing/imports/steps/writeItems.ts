import { DateTime, Effect, Option, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64 } from "effect/encoding"
import { ImportItemId, PostId, UploadOperationId } from "../../../../schemas/platform/Ids.ts"
import type { Timestamp } from "../../../../schemas/platform/Timestamp.ts"
import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import { IMPORT_REPORT_LINES_MAX, REPORT_LINES_MAX } from "../../../../schemas/publishing/imports/limits.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { later, now, wireTime } from "../../../platform/time/now.ts"
import { LeaseLost } from "../../../platform/work/lease.ts"
import { slugBaseOf } from "../../posts/slug.ts"
import type { ImportedItem } from "../ImportedItem.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import { type Counts, HOSTS_COUNTED_MAX, type Images, type ImportRow } from "../rows/importRow.ts"
import { importStatements } from "../rows/imports.sql.ts"
import { type ItemContent, type Picture, sourceKeyOf } from "../rows/itemRow.ts"
import { itemStatements, type NewItem } from "../rows/items.sql.ts"
import { withLines } from "../rows/reportLines.ts"
import { sourceStatements } from "../rows/sources.sql.ts"
import { makeFoundPost } from "./foundPost.ts"
import { LEASE_MILLIS } from "./staying.ts"

/** Numbers that are tried for a slug that is taken, before digits of the id make it unique. */
const SLUG_NUMBERS = [2, 3, 4, 5, 6, 7, 8, 9]

/** Characters of a slug that leave room for a number or digits. */
const SLUG_BASE_MAX = 107

const ID_DIGITS = 12

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

/** Makes the function that writes items that were read. */
export const makeWriteItems = Effect.gen(function* () {
  const imports = yield* importStatements
  const items = yield* itemStatements
  const sources = yield* sourceStatements
  const foundPost = yield* makeFoundPost
  const files = yield* makeImportFiles
  const transactions = yield* Transactions
  const random = yield* SecureRandom.SecureRandom

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
  return Effect.fnUntraced(function* (
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
        { lease: row, dueAt },
        { ...after, lines: counts.lines + batch.reduce((sum, { report }) => sum + report.length, 0) },
        allImages
      )
      if (!isOurs) return yield* new LeaseLost()
      const known = new Map(
        (yield* sources.find(row.owner_id, batch.map(sourceKeyOf))).map((it) => [it.source_key, it])
      )
      const found = yield* Effect.forEach(prepared, (it) =>
        Effect.map(foundPost(row, it.item, known.get(sourceKeyOf(it.item))), (outcome) => ({
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
})

/** Returns the wire form of a moment in ISO 8601. */
const timestampOf = (iso: string): Timestamp | null => {
  const moment = DateTime.make(iso)
  return Option.isNone(moment) ? null : wireTime(DateTime.toDateUtc(moment.value))
}

import { Context, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { NotFound, type Validation } from "../../../../schemas/platform/errors/common.ts"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import type { ImportId, ImportItemId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { RedirectsFormat } from "../../../../schemas/publishing/imports/Import.ts"
import type { ItemPage, ItemsQuery, ItemWithDraft } from "../../../../schemas/publishing/imports/Item.ts"
import { IMPORT_ITEMS_DEFAULT } from "../../../../schemas/publishing/imports/limits.ts"
import { csvLine } from "../../../platform/csv/csvLine.ts"
import { Cursors } from "../../../platform/cursors/Cursors.ts"
import { makePageAfter } from "../../../platform/cursors/pageAfter.ts"
import { importStatements } from "../rows/imports.sql.ts"
import { draftOf, itemOf } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { type RedirectsFile, redirectsFile, redirectsOf } from "./redirects.ts"
import { REPORT_COLUMNS, reportCells } from "./reportCsv.ts"

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([Schema.FiniteFromString]))

/** Reports that one statement reads. */
const REPORTS_AT_ONCE = 500

/** The items of imports, as their authors review them. Those of another's import are not found. */
export class ImportItems extends Context.Service<
  ImportItems,
  {
    /** Lists items in the order of the file. */
    readonly list: (
      publisher: PublisherAuthority,
      id: ImportId,
      query: ItemsQuery
    ) => Effect.Effect<ItemPage, NotFound | Validation>
    /** Returns an item with the draft that it becomes, with pictures and links as in the source. */
    readonly read: (
      publisher: PublisherAuthority,
      id: ImportId,
      item: ImportItemId
    ) => Effect.Effect<ItemWithDraft, NotFound>
    /** Returns each line of each report as CSV. */
    readonly report: (
      publisher: PublisherAuthority,
      id: ImportId
    ) => Effect.Effect<Stream.Stream<string>, NotFound>
    /** Returns the old paths of items with the URLs of their Posts, as a file. */
    readonly redirects: (
      publisher: PublisherAuthority,
      id: ImportId,
      format: RedirectsFormat
    ) => Effect.Effect<RedirectsFile, NotFound>
  }
>()("pennypress/publishing/imports/service/ImportItems") {
  static readonly layer = Layer.effect(
    ImportItems,
    Effect.gen(function* () {
      const imports = yield* importStatements
      const items = yield* itemStatements
      const cursors = yield* Cursors
      const pageAfter = yield* makePageAfter(decodePosition)
      const baseUrl = yield* PublicBaseUrl

      const check = Effect.fnUntraced(function* ({ ownerId }: PublisherAuthority, id: ImportId) {
        if (Option.isNone(yield* imports.find(ownerId, id))) return yield* new NotFound()
      })

      const reports = (id: ImportId) =>
        Stream.paginate(-1, (after) =>
          Effect.map(items.reports(id, after, REPORTS_AT_ONCE), (rows) => {
            const lines = rows.flatMap((row) => row.report.map((line) => csvLine(reportCells(row, line))))
            const last = rows.at(-1)
            const next =
              rows.length < REPORTS_AT_ONCE || last === undefined ? Option.none() : Option.some(last.ordinal)
            return [[lines.join("")], next] as const
          })
        )

      return ImportItems.of({
        list: Effect.fn("ImportItems.list")(function* (publisher, id, query) {
          const { cursor, limit = IMPORT_ITEMS_DEFAULT, outcome, severity } = query
          yield* check(publisher, id)
          const list = `items ${id} ${outcome ?? ""} ${severity ?? ""}`
          const after = yield* pageAfter(list, cursor)
          const rows = yield* items.slice(id, { outcome, severity, after, limit })
          const last = rows.length > limit ? rows[limit - 1] : undefined
          const nextCursor = last === undefined ? null : yield* cursors.make(list, [String(last.ordinal)])
          return {
            data: rows.slice(0, limit).map(itemOf),
            pagination: { limit, nextCursor, hasMore: nextCursor !== null }
          }
        }),
        read: Effect.fn("ImportItems.read")(function* (publisher, id, item) {
          yield* check(publisher, id)
          const row = yield* items.find(id, item)
          if (Option.isNone(row)) return yield* new NotFound()
          const draft = draftOf(row.value.content.draft, row.value.slug)
          // The reader checks what it writes; a draft that no Post can have is left out.
          return { ...itemOf(row.value), draft: Result.getOrElse(draft, () => ({})) }
        }),
        report: Effect.fn("ImportItems.report")(function* (publisher, id) {
          yield* check(publisher, id)
          return Stream.concat(Stream.make(csvLine(REPORT_COLUMNS)), reports(id))
        }),
        redirects: Effect.fn("ImportItems.redirects")(function* (publisher, id, format) {
          yield* check(publisher, id)
          return redirectsFile(redirectsOf(yield* items.redirects(id), baseUrl), format)
        })
      })
    })
  )
}

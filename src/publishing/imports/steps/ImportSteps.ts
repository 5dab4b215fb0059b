import { Clock, Context, Effect, Layer, Option, Schema, Scope } from "effect"
import { LRUCache } from "lru-cache"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { ReportLine } from "../../../../schemas/publishing/imports/Item.ts"
import { ApiKeys } from "../../../accounts/api-keys/ApiKeys.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { later, now, wireTime } from "../../../platform/time/now.ts"
import { LeaseLost } from "../../../platform/work/lease.ts"
import { Notices } from "../../posts/Notices.ts"
import { ImportReader } from "../ImportReader.ts"
import { makeImportFiles } from "../rows/importFiles.ts"
import type { ClaimedImport, ImportRow } from "../rows/importRow.ts"
import { importStatements } from "../rows/imports.sql.ts"
import { lifetimeMillis } from "../rows/importState.ts"
import { makeItemCounts } from "../rows/itemCounts.ts"
import type { Picture, WholeItemRow } from "../rows/itemRow.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { metaLine, withLines } from "../rows/reportLines.ts"
import { makeAdmitPictures } from "./admitPictures.ts"
import { makeApplyItem, type WorkSources } from "./applyItem.ts"
import { makeEndPictures } from "./endPictures.ts"
import { makePublishItem } from "./publishItem.ts"
import { makeReadFile } from "./readFile.ts"
import type { HostFailures } from "./remoteBytes.ts"
import { makeHold, makeStaying } from "./staying.ts"

/** Time after which an import is tried again that waits for the store or the reader. */
const RETRY_MILLIS = 10_000

/** Time after which an import looks again whether its next pictures have room. */
const LOOK_MILLIS = 250

/** Time for which it keeps its place, and its file open, although none of its pictures gets room. */
const PATIENCE_MILLIS = 2_000

/** Time after which it has its next turn then. */
const WAIT_MILLIS = 5_000

/** Time of one step over items. Then imports of others have their turn. */
const TURN_MILLIS = 20_000

/** Attempts at an item. One at which each of them dies has failed. */
const ATTEMPTS_MAX = 3

/** Imports whose hosts a process remembers. */
const REMEMBERED_MAX = 16

/** Time of an import from which its author hears of its end. */
const LONG_MILLIS = 2 * 60_000

/** The steps of imports that a worker takes under a lease: to read a file, to work on items, to remove what was stored. */
export class ImportSteps extends Context.Service<
  ImportSteps,
  {
    /** Takes the next step of a claimed import. An import that its author cancels meanwhile stays as it is. */
    readonly step: (claimed: ClaimedImport) => Effect.Effect<void>
  }
>()("pennypress/publishing/imports/steps/ImportSteps") {
  static readonly layer = Layer.effect(
    ImportSteps,
    Effect.gen(function* () {
      const imports = yield* importStatements
      const files = yield* makeImportFiles
      const readFile = yield* makeReadFile
      const items = yield* itemStatements
      const countItems = yield* makeItemCounts
      const reader = yield* ImportReader
      const apiKeys = yield* ApiKeys
      const notices = yield* Notices
      const transactions = yield* Transactions
      const applyItem = yield* makeApplyItem
      const admitPictures = yield* makeAdmitPictures
      const { giveUp: giveUpPictures, leave } = yield* makeEndPictures
      const publishItem = yield* makePublishItem
      const staying = yield* makeStaying
      const hold = yield* makeHold

      const hostFailures = new LRUCache<string, HostFailures>({ max: REMEMBERED_MAX })

      /** Returns the failures of hosts during the work that an author asked for, as far as this process knows. */
      const failuresOf = ({ began_at, id }: ImportRow): HostFailures => {
        const key = `${id} ${began_at.getTime()}`
        const known = hostFailures.get(key) ?? new Map()
        hostFailures.set(key, known)
        return known
      }

      /** Ends the work on items. */
      const finish = Effect.fnUntraced(
        function* (row: ImportRow, state: "done" | "cancelling") {
          if (state === "done") yield* items.dropTasks(row.id)
          const counts = { ...(yield* countItems(row.id)), lines: row.counts.lines }
          const images = { ...row.images, ...(yield* items.pictureCounts(row.id)) }
          const at = yield* now
          const expiresAt = later(at, lifetimeMillis(state === "done" ? state : "cancelled"))
          if (!(yield* imports.finish({ lease: row, dueAt: at }, { state, counts, images, expiresAt })))
            return yield* new LeaseLost()
          if (at.getTime() - row.began_at.getTime() > LONG_MILLIS)
            yield* notices.accountIssue({
              ownerId: row.owner_id,
              code: "import_finished",
              cause: `import ${row.id} ${row.began_at.getTime()}`,
              at
            })
        },
        (finishing) => transactions.run(finishing)
      )

      /** Ends an item at which every attempt died. What it has of a Post stays. */
      const giveUp = Effect.fnUntraced(
        function* (row: ImportRow, item: WholeItemRow, line: ReportLine) {
          yield* hold(row, 1)
          yield* items.settle(item.id, {
            outcome: item.post_id === null ? "failed" : item.outcome,
            task: null,
            slug: item.slug,
            pictures: item.pictures.map((it) => (it.state === "collected" ? { ...it, state: "failed" } : it)),
            report: withLines(item.report, [line], new Set(["not_applied"])),
            postId: item.post_id,
            left: item
          })
        },
        (givingUp) => transactions.run(givingUp)
      )

      const workOn = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        row: ImportRow,
        item: WholeItemRow,
        given: WorkSources
      ) {
        if (item.attempts > ATTEMPTS_MAX) {
          const line = metaLine("stop", "not_applied", "The service tried several times and could not do it.")
          // Its text has pictures that never came. An edit of it that dies as well is given up too.
          if (item.task === "admit" && item.attempts <= 2 * ATTEMPTS_MAX)
            yield* giveUpPictures(publisher, row, item, line)
          else yield* giveUp(row, item, line)
          return "done" as const
        }
        if (item.task === "admit") return yield* admitPictures(publisher, row, item, given.file)
        const { action } = row
        if (action?.kind === "publish") yield* publishItem(publisher, row, item, action.choices)
        else if (action?.kind === "apply") yield* applyItem(publisher, row, item, given, action.choices)
        return "done" as const
      })

      /** Works on items, one after the other, until none is left or its turn ends. */
      const work = Effect.fnUntraced(function* (row: ImportRow) {
        const publisher =
          row.api_key_id === null ? Option.none() : yield* apiKeys.resume(row.owner_id, row.api_key_id)
        // The key ended since, or a moderator restricted the account.
        if (Option.isNone(publisher) || publisher.value.isRestricted) return yield* finish(row, "cancelling")
        const scope = yield* Effect.scope
        let end = (yield* Clock.currentTimeMillis) + TURN_MILLIS
        const opened = reader.open(row.file_name, files.bytes(row.id)).pipe(
          Effect.provideService(Scope.Scope, scope),
          staying(row),
          // A file that takes long to open has a whole turn, or it would be opened for each item.
          Effect.tap(() => Effect.map(Clock.currentTimeMillis, (at) => (end = at + TURN_MILLIS)))
        )
        const given: WorkSources = { file: yield* Effect.cached(opened), failures: failuresOf(row) }
        let patience = { pictures: "", until: 0 }
        while (true) {
          const item = yield* items.next(row.id)
          if (Option.isNone(item)) return yield* finish(row, "done")
          const rest = items.rest(item.value.id)
          const outcome = yield* Effect.tapError(
            staying(row)(workOn(publisher.value, row, item.value, given)),
            (error) =>
              // An attempt that lost its reader or its lease counts, so that none is made for ever.
              error._tag === "ImportReaderLost" || error._tag === "LeaseLost" ? Effect.void : rest
          )
          if (outcome === "waits") yield* rest
          const at = yield* now
          if (at.getTime() >= end) return yield* imports.release(row, at)
          if (outcome === "done") continue
          const pictures = `${item.value.id} ${item.value.pictures.filter(isCollected).length}`
          if (pictures !== patience.pictures) patience = { pictures, until: at.getTime() + PATIENCE_MILLIS }
          if (at.getTime() >= patience.until) return yield* imports.release(row, later(at, WAIT_MILLIS))
          yield* Effect.sleep(LOOK_MILLIS)
        }
      }, Effect.scoped)

      /** Leaves the items of an import: pictures that have not come become links. A key that has ended since may do that. */
      const leaveItems = Effect.fnUntraced(function* (row: ImportRow) {
        const publisher =
          row.api_key_id === null ? Option.none() : yield* apiKeys.recall(row.owner_id, row.api_key_id)
        if (Option.isSome(publisher)) yield* leave(publisher.value, row)
        yield* items.dropTasks(row.id)
      })

      const clear = Effect.fnUntraced(function* (row: ImportRow) {
        yield* leaveItems(row)
        yield* files.removeAll(row.id)
        yield* imports.cleared(row)
      })

      /** Returns the row of a claimed import, or what `otherwise` does about one that cannot be read. */
      const readRow = <R>(
        claimed: ClaimedImport,
        otherwise: (error: Schema.SchemaError) => Effect.Effect<Option.Option<ImportRow>, never, R>
      ) =>
        Effect.catchDefect(imports.claimed(claimed), (defect) =>
          Schema.isSchemaError(defect) ? otherwise(defect) : Effect.die(defect)
        )

      const remove = Effect.fnUntraced(function* (row: ClaimedImport) {
        // A row that cannot be read has nothing to leave.
        const whole = yield* readRow(row, () => Effect.succeedNone)
        if (Option.isSome(whole)) yield* leaveItems(whole.value)
        yield* files.removeAll(row.id)
        yield* imports.forget(row)
      })

      /** Returns the row of a claimed import. One that cannot be read has failed for good. */
      const rowOf = Effect.fnUntraced(function* (claimed: ClaimedImport) {
        const row = yield* readRow(
          claimed,
          Effect.fnUntraced(function* (error) {
            yield* Effect.logError("The row of an import cannot be read", error)
            const message = "The service cannot go on with this import. Begin another one."
            yield* imports.spoil(claimed, { code: "damaged", message, at: wireTime(yield* now) })
            return Option.none()
          })
        )
        return Option.isSome(row) ? row.value : yield* new LeaseLost()
      })

      const steps = Effect.fnUntraced(function* (claimed: ClaimedImport) {
        if (claimed.state === "removing") return yield* remove(claimed)
        const row = yield* rowOf(claimed)
        if (row.state === "reading") yield* readFile(row)
        else if (row.state === "applying") yield* work(row)
        else yield* clear(row)
      })

      return ImportSteps.of({
        step: Effect.fn("ImportSteps.step")((row) =>
          steps(row).pipe(
            Effect.catchTags({
              LeaseLost: () => Effect.void,
              ImportReaderLost: ({ detail }) =>
                Effect.die(new Error(`The reader of imports was lost: ${detail}`)),
              ImportReaderUnavailable: Effect.fnUntraced(function* ({ cause }) {
                yield* Effect.logWarning("The reader of imports does not start", cause)
                yield* imports.release(row, later(yield* now, RETRY_MILLIS))
              }),
              StorageUnavailable: Effect.fnUntraced(function* ({ cause }) {
                yield* Effect.logWarning("An import waits for the store", cause)
                yield* imports.release(row, later(yield* now, RETRY_MILLIS))
              })
            })
          )
        )
      })
    })
  )
}

const isCollected = ({ state }: Picture) => state === "collected"

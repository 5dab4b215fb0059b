import { Context, Effect, Layer, Option, Schema } from "effect"
import { NotFound, Validation } from "../../../../schemas/platform/errors/common.ts"
import { ImportId, type ImportItemId } from "../../../../schemas/platform/Ids.ts"
import type { PublisherAuthority } from "../../../../schemas/platform/security/authorities.ts"
import type { ImportStateRefused } from "../../../../schemas/publishing/imports/errors.ts"
import type {
  ApplyRequest,
  Import,
  PublishItemsRequest,
  UndoResult
} from "../../../../schemas/publishing/imports/Import.ts"
import { IdempotencyMismatch } from "../../../../schemas/publishing/posts/errors.ts"
import { Idempotency } from "../../../platform/idempotency/Idempotency.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import { ImportedPosts } from "../../posts/ImportedPosts.ts"
import { type Action, importOf, type ImportRow, stateOf } from "../rows/importRow.ts"
import { importStatements, IMPORTS } from "../rows/imports.sql.ts"
import { lifetimeMillis } from "../rows/importState.ts"
import { makeItemCounts } from "../rows/itemCounts.ts"
import { itemStatements } from "../rows/items.sql.ts"
import { makeIsAsLeft } from "../rows/leftDraft.ts"
import { sourceStatements } from "../rows/sources.sql.ts"
import type { Begun } from "./Imports.ts"
import { makeLockFor } from "./lockFor.ts"

/** The time for which an Idempotency-Key names one request to work on items. */
const KEY_MILLIS = DAY_MILLIS

/** Drafts that an undo looks at together. */
const UNDONE_AT_ONCE = 100

type ActRefusal = IdempotencyMismatch | ImportStateRefused | NotFound | Validation

/** The requests of authors to make drafts of items, to publish these, and to take them back. */
export class ImportActs extends Context.Service<
  ImportActs,
  {
    /** Begins to make drafts of items, once for each Idempotency-Key. */
    readonly apply: (
      publisher: PublisherAuthority,
      id: ImportId,
      request: ApplyRequest,
      idempotencyKey: string
    ) => Effect.Effect<Begun, ActRefusal>
    /** Begins to publish items that have a draft, once for each Idempotency-Key. */
    readonly publish: (
      publisher: PublisherAuthority,
      id: ImportId,
      request: PublishItemsRequest,
      idempotencyKey: string
    ) => Effect.Effect<Begun, ActRefusal>
    /** Ends an import before its next item. Drafts that it made stay. */
    readonly cancel: (
      publisher: PublisherAuthority,
      id: ImportId
    ) => Effect.Effect<Import, NotFound | ImportStateRefused>
    /** Deletes the drafts that an import made, unless something happened to them since. A repeat looks again. */
    readonly undo: (
      publisher: PublisherAuthority,
      id: ImportId
    ) => Effect.Effect<UndoResult, NotFound | ImportStateRefused>
  }
>()("pennypress/publishing/imports/service/ImportActs") {
  static readonly layer = Layer.effect(
    ImportActs,
    Effect.gen(function* () {
      const imports = yield* importStatements
      const items = yield* itemStatements
      const sources = yield* sourceStatements
      const countItems = yield* makeItemCounts
      const posts = yield* ImportedPosts
      const idempotency = yield* Idempotency
      const transactions = yield* Transactions
      const lock = yield* makeLockFor
      const isAsLeft = yield* makeIsAsLeft
      const { ring } = (yield* Doorbells).bell(IMPORTS)

      const take = Effect.fnUntraced(function* (
        id: ImportId,
        task: Action["kind"],
        named: ReadonlyArray<ImportItemId> | "all",
        withConflicts: boolean
      ) {
        yield* items.dropTasks(id)
        if (named === "all") return yield* items.takeAll(id, { withConflicts })
        const wanted = [...new Set(named)]
        const { items: known } = yield* items.takeNamed(id, wanted, task)
        if (known === wanted.length) return
        const message = "Name items of this import, as its list of items has them"
        return yield* new Validation({ errors: [{ field: "items", code: "invalid", message }] })
      })

      const begin = Effect.fnUntraced(function* (
        publisher: PublisherAuthority,
        id: ImportId,
        it: {
          readonly action: Action
          readonly items: ReadonlyArray<ImportItemId> | "all"
          readonly withConflicts: boolean
          readonly intent: unknown
          readonly idempotencyKey: string
        }
      ) {
        const found = yield* imports.find(publisher.ownerId, id)
        if (Option.isNone(found)) return yield* new NotFound()
        const begun = yield* idempotency
          .once(
            {
              scope: "import_step",
              scopeId: publisher.ownerId,
              idempotencyKey: it.idempotencyKey,
              intent: { importId: id, kind: it.action.kind, request: it.intent },
              resourceId: id,
              lifetimeMillis: KEY_MILLIS,
              // A repeat gets the import as it is now.
              keep: () => null,
              kept: Schema.Null
            },
            Effect.fnUntraced(function* (at) {
              yield* lock(publisher, id, it.action.kind)
              yield* take(id, it.action.kind, it.items, it.withConflicts)
              const { items: total } = yield* items.tasks(id)
              const row = yield* imports.begin({
                id,
                action: it.action,
                apiKeyId: publisher.apiKeyId,
                total,
                at,
                expiresAt: later(at, lifetimeMillis("applying"))
              })
              yield* ring
              return row
            })
          )
          .pipe(Effect.catchTag("IntentChanged", () => Effect.fail(new IdempotencyMismatch())))
        if (!begun.replayed) return { value: importOf(begun.value), replayed: false }
        const row = yield* imports.find(publisher.ownerId, ImportId.make(begun.resourceId))
        return Option.isSome(row) ? { value: importOf(row.value), replayed: true } : yield* new NotFound()
      })

      /** Takes one draft back. Returns false for one that stays. */
      const undoOne = (row: ImportRow, made: Effect.Success<ReturnType<typeof items.made>>[number]) =>
        transactions.run(
          Effect.gen(function* () {
            const post = Option.getOrUndefined(yield* posts.find(row.owner_id, made.post_id))
            if (post === undefined || !(yield* isAsLeft(row.owner_id, made, post))) return false
            if (!(yield* posts.removeUntouched(row.owner_id, post.id, post.updated_at))) return false
            yield* sources.forget(row.owner_id, made.post_id)
            yield* items.undo(made.id)
            return true
          })
        )

      return ImportActs.of({
        cancel: Effect.fn("ImportActs.cancel")(function* (publisher, id) {
          const cancelled = yield* transactions.run(
            Effect.gen(function* () {
              yield* lock(publisher, id, "cancel")
              const at = yield* now
              return yield* imports.setState(id, "cancelling", at, later(at, lifetimeMillis("cancelled")))
            })
          )
          yield* ring
          return importOf(cancelled)
        }),
        apply: Effect.fn("ImportActs.apply")((publisher, id, request, idempotencyKey) => {
          const { items: named, ...choices } = request
          return begin(publisher, id, {
            action: { kind: "apply", choices },
            items: named,
            withConflicts: choices.onConflict === "replace",
            intent: request,
            idempotencyKey
          })
        }),
        publish: Effect.fn("ImportActs.publish")((publisher, id, request, idempotencyKey) => {
          const { items: named, ...choices } = request
          return begin(publisher, id, {
            action: { kind: "publish", choices },
            items: named,
            withConflicts: false,
            intent: request,
            idempotencyKey
          })
        }),
        undo: Effect.fn("ImportActs.undo")(function* (publisher, id) {
          // Each draft is a transaction of its own under the import, so that none is made or published meanwhile.
          const row = yield* transactions.run(lock(publisher, id, "undo"))
          let deleted = 0
          let kept = 0
          let after: ImportItemId | undefined
          while (true) {
            const made = yield* items.made(id, after, UNDONE_AT_ONCE)
            for (const it of made) {
              const isUndone = yield* transactions.run(
                Effect.andThen(lock(publisher, id, "undo"), undoOne(row, it))
              )
              if (isUndone) deleted += 1
              else kept += 1
            }
            after = made.at(-1)?.id
            if (made.length < UNDONE_AT_ONCE) break
          }
          const at = yield* now
          const counts = yield* countItems(id)
          yield* imports.recount(id, counts, row.images, later(at, lifetimeMillis(stateOf(row))))
          return { deleted, kept }
        })
      })
    })
  )
}

import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import { InvalidCursor } from "../../../../schemas/engagement/moderation/rpc.ts"
import {
  SubscriberImportNotFound,
  type WaitingImportPage
} from "../../../../schemas/engagement/subscribers/rpc.ts"
import type {
  NewSubscriberImport,
  SubscriberImport
} from "../../../../schemas/engagement/subscribers/SubscriberImport.ts"
import { mailboxOf } from "../../../../schemas/platform/EmailAddress.ts"
import { Forbidden, NotFound, type Validation } from "../../../../schemas/platform/errors/common.ts"
import { SubscriberImportId } from "../../../../schemas/platform/Ids.ts"
import type { AdministratorAuthority } from "../../../../schemas/platform/security/administrator.ts"
import type { OwnerAuthority } from "../../../../schemas/platform/security/authorities.ts"
import { AuditLog, type Because } from "../../../accounts/administration/AuditLog.ts"
import { Cursors } from "../../../platform/cursors/Cursors.ts"
import { Mails } from "../../../platform/mail/Mails.ts"
import { untagged } from "../../../platform/mail/untagged.ts"
import { Pepper } from "../../../platform/ports/Pepper.ts"
import { Settings } from "../../../platform/ports/Settings.ts"
import { isOfMailbox, type RateLimitExceeded, RateLimits } from "../../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, MINUTE_MILLIS, now } from "../../../platform/time/now.ts"
import { Doorbells } from "../../../platform/work/Doorbells.ts"
import type { Claim } from "../../../platform/work/lease.ts"
import { makeSubscriberEvents } from "../subscriberEvents.ts"
import { CONFIRM_MILLIS, formerMailbox } from "../subscribers.sql.ts"
import { readReaderList } from "./readerList.ts"
import {
  type DueImport,
  type ImportRow,
  SUBSCRIBER_IMPORTS,
  subscriberImportStatements
} from "./subscriberImports.sql.ts"

/** Readers of lists whom an author asks in a day, at most. */
const ASKED_MAX = 500
/** Time after which an import looks again whether its author may ask more readers. */
const AGAIN_MILLIS = 60 * MINUTE_MILLIS
/** Requests to the counters of mailboxes at the same time. */
const CONCURRENCY = 8
/** Imports of a page. */
const PAGE = 50

const held = new Forbidden({
  detail:
    "Your account is new. Verify your email address first, or bring your readers a day after you joined."
})

/** Lists of readers that authors bring from elsewhere. Each reader confirms by mail, unless the operator looked at the list. */
export class SubscriberImports extends Context.Service<
  SubscriberImports,
  {
    /**
     * Saves the readers of a list, in one transaction. Each gets a mail to confirm, some hundreds a day. Fails with `Forbidden` for a
     * new account, and with `NotFound` where the operator turned mail to readers off.
     */
    readonly add: (
      owner: OwnerAuthority,
      list: NewSubscriberImport
    ) => Effect.Effect<SubscriberImport, Forbidden | NotFound | RateLimitExceeded | Validation>
    /** Claims imports whose readers wait, oldest first. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<DueImport>>
    /** Asks the next readers of an import to confirm, as many as the day allows. */
    readonly step: (due: DueImport) => Effect.Effect<void>
    /** Lists the imports whose readers wait, oldest first. */
    readonly list: (
      administrator: AdministratorAuthority,
      query: { readonly limit?: number | undefined; readonly cursor?: string | undefined }
    ) => Effect.Effect<WaitingImportPage, InvalidCursor>
    /** Makes the readers of an import get the posts, or removes those who have not confirmed. Returns their number. */
    readonly decide: (
      administrator: AdministratorAuthority,
      id: SubscriberImportId,
      decision: "approved" | "refused",
      because: Because
    ) => Effect.Effect<
      { readonly importId: SubscriberImportId; readonly readers: number },
      SubscriberImportNotFound
    >
  }
>()("pennypress/engagement/subscribers/imports/SubscriberImports") {
  static readonly layer = Layer.effect(
    SubscriberImports,
    Effect.gen(function* () {
      const imports = yield* subscriberImportStatements
      const events = yield* makeSubscriberEvents
      const auditLog = yield* AuditLog
      const cursors = yield* Cursors
      const mails = yield* Mails
      const pepper = yield* Pepper
      const random = yield* SecureRandom.SecureRandom
      const transactions = yield* Transactions
      const { consume, giveBack } = yield* RateLimits
      const { hasSubscriptions, holdsNewAccounts } = yield* Settings
      const bell = (yield* Doorbells).bell(SUBSCRIBER_IMPORTS)

      const add = Effect.fn("SubscriberImports.add")(function* (
        { ownerId }: OwnerAuthority,
        { consent, csv, source }: NewSubscriberImport
      ) {
        if (!hasSubscriptions) return yield* new NotFound()
        const at = yield* now
        const author = yield* imports.author(ownerId, holdsNewAccounts ? later(at, -DAY_MILLIS) : null)
        if (Option.isNone(author)) return yield* new NotFound()
        if (!author.value.is_known) return yield* held
        const { readers, refused, rows } = yield* readReaderList(csv)
        yield* consume("subscriber-imports", ownerId)
        const entries = yield* Effect.forEach(readers, (reader) =>
          Effect.gen(function* () {
            const mailbox = mailboxOf(reader.email)
            const macs = yield* pepper.hashes(formerMailbox(mailbox))
            return { ...reader, id: yield* random.uuidV7(), mailbox, macs: macs.map(Hex.encode) }
          })
        )
        const id = SubscriberImportId.make(yield* random.uuidV7())
        const entry = { id, owner: ownerId, source, statement: consent.statement, rows, at }
        const { saved, waiting } = yield* transactions
          .run(Effect.andThen(imports.begin(entry), imports.save(entry, entries)))
          .pipe(Effect.onError(() => giveBack("subscriber-imports", ownerId)))
        if (waiting > 0) yield* bell.ring
        const pending = readers.filter(({ state }) => state === "pending").length
        return { id, rows, accepted: saved, known: pending - saved, refused }
      })

      /** Counts a mail to a mailbox. Returns false if it had enough of such mails today. */
      const mayAsk = (mailbox: string) =>
        consume("subscribe-mailbox", mailbox).pipe(
          Effect.as(true),
          Effect.catchIf(isOfMailbox, () => Effect.succeed(false))
        )

      const step = Effect.fn("SubscriberImports.step")(
        function* (due: DueImport) {
          const at = yield* now
          yield* imports.lock(due.owner_id)
          const waiting = yield* imports.waiting(due, later(at, -DAY_MILLIS), ASKED_MAX)
          const asked = yield* Effect.filter(waiting, ({ mailbox }) => mayAsk(untagged(mailbox)), {
            concurrency: CONCURRENCY
          })
          if (asked.length > 0) {
            yield* imports.asked(
              asked.map(({ readerId }) => readerId),
              at
            )
            yield* mails.postShared({
              bodyId: due.id,
              at,
              expiresAt: later(at, CONFIRM_MILLIS),
              readers: asked
            })
          }
          yield* imports.advance(due, later(at, AGAIN_MILLIS))
        },
        (effect) => transactions.run(effect)
      )

      /** Makes the readers of an import get the posts, in the surrounding transaction. */
      const activate = Effect.fnUntraced(function* (id: SubscriberImportId) {
        const at = yield* now
        const activated = yield* imports.activate(id, at)
        yield* events.confirmed(activated, at)
        return { readers: activated.length }
      })

      return SubscriberImports.of({
        add,
        claim: imports.claim,
        step,
        list: Effect.fn("SubscriberImports.list")(function* (_administrator, { cursor, limit = PAGE }) {
          const position = cursor === undefined ? Option.none() : yield* cursors.read(LIST, cursor)
          const after = Option.flatMap(position, decodePosition)
          if (cursor !== undefined && Option.isNone(after)) return yield* new InvalidCursor()
          const rows = yield* imports.list(Option.getOrUndefined(after)?.[0], limit)
          const last = rows.length > limit ? rows[limit - 1] : undefined
          return {
            imports: rows.slice(0, limit).map(waitingOf),
            nextCursor: last === undefined ? null : yield* cursors.make(LIST, [last.id])
          }
        }),
        decide: Effect.fn("SubscriberImports.decide")(
          function* (administrator, id, decision, because) {
            if (Option.isNone(yield* imports.decide(id, decision)))
              return yield* new SubscriberImportNotFound({ importId: id })
            const { readers } = decision === "approved" ? yield* activate(id) : yield* imports.drop(id)
            const action = decision === "approved" ? "readers.approve" : "readers.refuse"
            yield* auditLog.record(administrator, { action, subjectId: id, ...because })
            return { importId: id, readers }
          },
          (effect) => transactions.run(effect)
        )
      })
    })
  )
}

const LIST = "subscriber imports"

const decodePosition = Schema.decodeUnknownOption(Schema.Tuple([SubscriberImportId]))

const waitingOf = ({ created_at, id, ...row }: ImportRow) => ({ importId: id, ...row, createdAt: created_at })

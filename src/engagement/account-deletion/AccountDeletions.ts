import { Context, Effect, Layer, Option, Schema } from "effect"
import type { AccountNotFound } from "../../../schemas/accounts/administration/rpc.ts"
import {
  type AccountKept,
  AlreadyClosing,
  type Deletion,
  DeletionDue,
  type DeletionRequest,
  type InvalidConfirmation,
  KEPT_DAYS
} from "../../../schemas/accounts/deletion/Deletion.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { Unauthorized, type Validation } from "../../../schemas/platform/errors/common.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { AdministratorAuthority } from "../../../schemas/platform/security/administrator.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import type { Timestamp } from "../../../schemas/platform/Timestamp.ts"
import { AuditLog, type Because } from "../../accounts/administration/AuditLog.ts"
import { accountNotFound } from "../../accounts/administration/Moderators.ts"
import { apiKeyErasure } from "../../accounts/api-keys/apiKeys.sql.ts"
import {
  confirmationOf,
  type DeletionChallenge,
  DeletionConfirmations
} from "../../accounts/deletion/DeletionConfirmations.ts"
import { type ClaimedDeletion, deletionWork } from "../../accounts/deletion/deletions.sql.ts"
import type { HeldRow } from "../../accounts/owners/owners.sql.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { RetiredHandles } from "../../accounts/retired-handles/RetiredHandles.ts"
import { sessionErasure } from "../../accounts/sessions/sessions.sql.ts"
import { COUNTERS } from "../../platform/counters/Counters.ts"
import type { Letters } from "../../platform/mail/Letter.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now, wireTime } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { type Claim, LeaseLost } from "../../platform/work/lease.ts"
import { ImportErasure } from "../../publishing/imports/service/ImportErasure.ts"
import { scheduleErasure } from "../../publishing/posts/schedules/schedules.sql.ts"
import { Uploads } from "../../publishing/uploads/Uploads.ts"
import { Restrictions } from "../moderation/Restrictions.ts"
import { consequenceStatements } from "./consequences.sql.ts"
import { closingLetters, deletedLetters } from "./deletionLetters.ts"
import { makeErasers } from "./erasers.ts"

/** Names the work that erases accounts. */
export const ACCOUNT_DELETIONS = "account_deletions"

/** Rows that one step erases, at most. */
const STEP_ROWS = 500

/** The time after which a deletion looks again that waits for a payment or a moderator. */
const WAIT_MILLIS = 60 * 60 * 1000

/** The same, for files that are being removed. */
const FILES_WAIT_MILLIS = 60 * 1000

/** The time for which mails about a deletion are tried. */
const MAIL_MILLIS = 3 * DAY_MILLIS

/** The last part of the work, after all erasers. */
const END = "end"

/** An account after an administrator's request to delete it. */
export interface DeletedAccount {
  readonly ownerId: OwnerId
  readonly handle: string
  readonly dueAt: Timestamp
}

/**
 * Closes accounts, and erases them two weeks later. A closing account is a restricted one, whose owner may sign in and keep it.
 * A worker then erases it by steps that may be repeated. The purchases of others stay, and so does a row without a name, to
 * which they refer.
 */
export class AccountDeletions extends Context.Service<
  AccountDeletions,
  {
    readonly read: (owner: OwnerAuthority) => Effect.Effect<Deletion>
    readonly isClosing: (owner: OwnerAuthority) => Effect.Effect<boolean>
    /** Makes what confirms a deletion. `client` names the caller, such as its network. */
    readonly challenge: (
      owner: OwnerAuthority,
      client: string
    ) => Effect.Effect<DeletionChallenge, AlreadyClosing | RateLimitExceeded>
    /** Closes the account. Its sessions, its keys and the publications that it scheduled end. */
    readonly request: (
      owner: OwnerAuthority,
      request: DeletionRequest
    ) => Effect.Effect<Deletion, AlreadyClosing | InvalidConfirmation | Validation>
    /** Takes a deletion back. The session must be newer than the deletion. Safe to repeat. */
    readonly keep: (owner: OwnerAuthority) => Effect.Effect<AccountKept, DeletionDue | Unauthorized>
    /** Closes any account, or erases it at once, and records the reason. A repeat changes and records nothing. */
    readonly remove: (
      authority: AdministratorAuthority,
      handle: string,
      options: { readonly isNow: boolean },
      because: Because
    ) => Effect.Effect<DeletedAccount, AccountNotFound>
    /** Claims work that is due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedDeletion>>
    /** Makes claimed work due again at once. */
    readonly release: (work: ClaimedDeletion) => Effect.Effect<boolean>
    /** Does a step of claimed work. The row is due again, at once or later, when there is more. */
    readonly follow: (work: ClaimedDeletion) => Effect.Effect<void>
  }
>()("pennypress/engagement/account-deletion/AccountDeletions") {
  static readonly layer = Layer.effect(
    AccountDeletions,
    Effect.gen(function* () {
      const deletions = yield* deletionWork
      const confirmations = yield* DeletionConfirmations
      const consequences = yield* consequenceStatements
      const erasers = yield* makeErasers
      const owners = yield* Owners
      const sessions = yield* sessionErasure
      const keys = yield* apiKeyErasure
      const schedules = yield* scheduleErasure
      const restrictions = yield* Restrictions
      const retiredHandles = yield* RetiredHandles
      const uploads = yield* Uploads
      const imports = yield* ImportErasure
      const auditLog = yield* AuditLog
      const mails = yield* Mails
      const transactions = yield* Transactions
      const { siteName } = yield* Settings
      const { bell } = yield* Doorbells
      const { ring } = bell(ACCOUNT_DELETIONS)
      const counted = bell(COUNTERS).ringHere

      const mail = Effect.fnUntraced(function* (account: HeldRow, letters: Letters) {
        const recipient = Schema.decodeUnknownOption(EmailAddress)(account.email)
        if (Option.isNone(recipient)) return
        const expiresAt = later(yield* now, MAIL_MILLIS)
        yield* mails.post({ recipient: recipient.value, letters, expiresAt })
      })

      /** Closes an account that is held, until the moment at which it is erased. */
      const close = Effect.fnUntraced(function* (account: HeldRow, requestedAt: Date, erasesAt: Date) {
        const { handle, id: owner, is_restricted: wasRestricted } = account
        const counts = yield* consequences.count(owner)
        const keptImages = yield* consequences.imagesOfBuyers(owner)
        yield* deletions.begin({ owner, requestedAt, erasesAt, wasRestricted, counts, keptImages })
        if (!wasRestricted) yield* restrictions.close(owner)
        yield* sessions.revokeAll(owner, requestedAt)
        // In the order in which requests lock them.
        yield* schedules.removeAll(owner)
        yield* keys.revokeAll(owner, requestedAt)
        yield* imports.close(owner)
        if (erasesAt > requestedAt) yield* mail(account, closingLetters(handle, erasesAt, siteName))
        yield* ring
        return counts
      })

      const held = Effect.fnUntraced(function* ({ ownerId: id }: OwnerAuthority) {
        const account = yield* owners.hold({ id })
        // Its sessions ended before it was erased.
        return Option.isSome(account) ? account.value : yield* Effect.die(new Error("The account is deleted"))
      })

      const challenge = Effect.fn("AccountDeletions.challenge")(
        function* (owner: OwnerAuthority, client: string) {
          const account = yield* held(owner)
          if (Option.isSome(yield* deletions.find(account.id))) return yield* new AlreadyClosing()
          return yield* confirmations.challenge(account, client)
        },
        (effect) => transactions.run(effect)
      )

      const request = Effect.fn("AccountDeletions.request")(
        function* (
          owner: OwnerAuthority,
          request: DeletionRequest
        ): Effect.fn.Return<Deletion, AlreadyClosing | InvalidConfirmation | Validation> {
          const account = yield* held(owner)
          if (Option.isSome(yield* deletions.find(account.id))) return yield* new AlreadyClosing()
          yield* confirmations.confirm(account, request)
          const at = yield* now
          const erasesAt = later(at, KEPT_DAYS * DAY_MILLIS)
          const counts = yield* close(account, at, erasesAt)
          return {
            state: "closing",
            requestedAt: wireTime(at),
            dueAt: wireTime(erasesAt),
            consequences: counts,
            confirm: [confirmationOf(account)]
          }
        },
        // A wrong try counts, although the request fails.
        (effect) => transactions.runKeeping(effect)
      )

      const keep = Effect.fn("AccountDeletions.keep")(
        function* (owner: OwnerAuthority): Effect.fn.Return<AccountKept, DeletionDue | Unauthorized> {
          const { id } = yield* held(owner)
          const closing = yield* deletions.find(id)
          if (Option.isNone(closing)) return { state: "none" }
          const { requested_at, was_restricted } = closing.value
          if (!(yield* sessions.isSince(owner.sessionId, requested_at)))
            return yield* new Unauthorized({
              detail: "This session is older than the deletion. Sign in again to keep the account."
            })
          if (!(yield* deletions.takeBack(id, yield* now))) return yield* new DeletionDue()
          if (!was_restricted) yield* restrictions.reopen(id)
          return { state: "none" }
        },
        (effect) => transactions.run(effect)
      )

      const remove = Effect.fn("AccountDeletions.remove")(
        function* (
          authority: AdministratorAuthority,
          handle: string,
          { isNow }: { readonly isNow: boolean },
          because: Because
        ) {
          const found = yield* owners.hold({ handle })
          if (Option.isNone(found)) return yield* accountNotFound({ handle })
          const account = found.value
          const at = yield* now
          const closing = yield* deletions.find(account.id)
          const erasesAt = isNow ? at : later(at, KEPT_DAYS * DAY_MILLIS)
          const isChanged = Option.isNone(closing)
            ? yield* Effect.as(close(account, at, erasesAt), true)
            : isNow && (yield* deletions.hasten(account.id, at))
          if (isChanged) {
            yield* auditLog.record(authority, {
              action: "accounts.delete",
              subjectId: account.id,
              ...because
            })
            yield* ring
          }
          const dueAt =
            isChanged || Option.isNone(closing) ? wireTime(erasesAt) : wireTime(closing.value.erases_at)
          return { ownerId: account.id, handle: account.handle, dueAt }
        },
        (effect) => transactions.run(effect)
      )

      /** Ends a deletion whose parts found nothing more to erase. */
      const end = Effect.fnUntraced(function* (work: ClaimedDeletion) {
        const account = yield* owners.hold({ id: work.id })
        if (!(yield* deletions.hold(work))) return yield* new LeaseLost()
        const at = yield* now
        const closing = yield* deletions.find(work.id)
        if (Option.isSome(account) && Option.isSome(closing)) {
          const { requested_at } = closing.value
          yield* mail(account.value, deletedLetters(account.value.handle, requested_at, siteName))
          yield* retiredHandles.retire(yield* owners.erase(account.value))
        }
        yield* deletions.complete(work, at)
      })

      /** Goes on with a step at a moment, if the lease lasts. */
      const goOn = Effect.fnUntraced(function* (work: ClaimedDeletion, step: string | null, dueAt: Date) {
        // The last lock, because a request locks the owner first.
        if (!(yield* deletions.hold(work))) return yield* new LeaseLost()
        yield* deletions.release(work, step, dueAt)
        yield* ring
      })

      const step = Effect.fnUntraced(
        function* (work: ClaimedDeletion) {
          const { id: owner } = work
          const at = yield* now
          if (work.step === null || work.step === END) {
            const { is_reported, is_settling, may_be_paid } = yield* consequences.waits(owner)
            if (is_reported || is_settling || may_be_paid)
              return yield* goOn(work, work.step, later(at, WAIT_MILLIS))
          }
          if (work.step === END) {
            // Requests that were under way when the account closed may have written since.
            const more = yield* Effect.filter(erasers, ({ eraseSome }) => eraseSome(owner, STEP_ROWS))
            yield* counted
            const [first] = more
            if (first !== undefined) return yield* goOn(work, first.name, at)
            if ((yield* uploads.isErasing(owner)) || (yield* imports.isErasing(owner)))
              return yield* goOn(work, END, later(at, FILES_WAIT_MILLIS))
            return yield* end(work)
          }
          // A step that this release does not know begins again: each may be repeated.
          const index = Math.max(
            erasers.findIndex(({ name }) => name === work.step),
            0
          )
          const [present, next] = erasers.slice(index)
          const hasMore = present !== undefined && (yield* present.eraseSome(owner, STEP_ROWS))
          yield* counted
          const following = hasMore ? present : next
          yield* goOn(work, following === undefined ? END : following.name, at)
        },
        (effect) => transactions.run(effect)
      )

      return AccountDeletions.of({
        read: Effect.fn("AccountDeletions.read")(function* ({ ownerId }) {
          const account = yield* owners.find(ownerId)
          if (Option.isNone(account)) return yield* Effect.die(new Error("The account is deleted"))
          const closing = yield* deletions.find(ownerId)
          return {
            state: Option.isSome(closing) ? "closing" : "none",
            requestedAt: Option.isSome(closing) ? closing.value.requested : null,
            dueAt: Option.isSome(closing) ? closing.value.erases : null,
            consequences: yield* consequences.count(ownerId),
            confirm: [confirmationOf(account.value)]
          }
        }),
        isClosing: ({ ownerId }) => Effect.map(deletions.find(ownerId), Option.isSome),
        challenge,
        request,
        keep,
        remove,
        claim: deletions.claim,
        release: (work) => Effect.flatMap(now, (at) => deletions.release(work, work.step, at)),
        follow: Effect.fn("AccountDeletions.follow")((work) =>
          Effect.catchTag(step(work), "LeaseLost", () => Effect.void)
        )
      })
    })
  )
}

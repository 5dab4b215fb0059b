import { Context, Effect, Layer, Option } from "effect"
import type { AccountNotFound } from "../../../schemas/accounts/administration/rpc.ts"
import type { RestrictedAccount } from "../../../schemas/engagement/moderation/Moderation.ts"
import type { OwnerId } from "../../../schemas/platform/Ids.ts"
import type { OperatorOnly, StaffAuthority } from "../../../schemas/platform/security/moderator.ts"
import { AuditLog, type Because, RESTRICTION } from "../../accounts/administration/AuditLog.ts"
import { accountNotFound, Moderators } from "../../accounts/administration/Moderators.ts"
import { closingAccounts } from "../../accounts/deletion/deletions.sql.ts"
import type { NamedAccount } from "../../accounts/owners/owners.sql.ts"
import { Owners } from "../../accounts/owners/Owners.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { now } from "../../platform/time/now.ts"
import { Doorbells } from "../../platform/work/Doorbells.ts"
import { type Claim, LeaseLost } from "../../platform/work/lease.ts"
import { Notices } from "../../publishing/posts/Notices.ts"
import { Withdrawals } from "../../publishing/posts/withdrawal/Withdrawals.ts"
import { HiddenComments } from "../comments/HiddenComments.ts"
import { makeSetResting } from "../webhooks/accountWebhooks.ts"
import { type ClaimedRestriction, restrictionStatements } from "./restrictions.sql.ts"

/** Names the work after restrictions. */
export const RESTRICTIONS = "restrictions"

/**
 * Restricts accounts and ends restrictions. At once, a restricted account can only read, and its Profile and Posts are no
 * longer found. A worker then makes its public Posts drafts and hides its Comments. After the end of the restriction it
 * returns them.
 */
export class Restrictions extends Context.Service<
  Restrictions,
  {
    /**
     * Restricts an account, or ends a restriction. Notifies the owner, and records the reason. A repeat does nothing. A
     * moderator does this to no moderator. An account that closes stays closed: the change holds once it is kept.
     */
    readonly setRestricted: (
      authority: StaffAuthority,
      account: NamedAccount,
      isRestricted: boolean,
      because: Because
    ) => Effect.Effect<RestrictedAccount, AccountNotFound | OperatorOnly>
    /** Counts the Posts and Comments that a restriction takes from readers; 1001 for any larger number. */
    readonly reach: (
      authority: StaffAuthority,
      owner: OwnerId
    ) => Effect.Effect<{ readonly posts: number; readonly comments: number }>
    /** Restricts an account that closes, in the surrounding transaction, which holds it. Tells no one, and records nothing. */
    readonly close: (owner: OwnerId) => Effect.Effect<void>
    /** Undoes `close`. */
    readonly reopen: (owner: OwnerId) => Effect.Effect<void>
    /** Claims work that is due. */
    readonly claim: (claim: Claim) => Effect.Effect<ReadonlyArray<ClaimedRestriction>>
    /** Makes claimed work due again at once. */
    readonly release: (work: ClaimedRestriction) => Effect.Effect<boolean>
    /** Does a step of claimed work. The row is due again at once when there is more. */
    readonly follow: (work: ClaimedRestriction) => Effect.Effect<void>
  }
>()("pennypress/engagement/moderation/Restrictions") {
  static readonly layer = Layer.effect(
    Restrictions,
    Effect.gen(function* () {
      const restrictions = yield* restrictionStatements
      const deletions = yield* closingAccounts
      const owners = yield* Owners
      const withdrawals = yield* Withdrawals
      const comments = yield* HiddenComments
      const auditLog = yield* AuditLog
      const moderators = yield* Moderators
      const setWebhooksResting = yield* makeSetResting
      const notices = yield* Notices
      const transactions = yield* Transactions
      const { ring } = (yield* Doorbells).bell(RESTRICTIONS)

      const step = Effect.fnUntraced(
        function* (work: ClaimedRestriction) {
          const { id: owner, is_restricted: isRestricted } = work
          // One kind after the other, so that a step is short.
          const hasMore = isRestricted
            ? (yield* withdrawals.takeDownSome(owner)) || (yield* comments.hideSomeOf(owner))
            : (yield* withdrawals.putBackSome(owner)) || (yield* comments.restoreSomeOf(owner))
          // The last lock, because a restriction also locks the owner first.
          if (!(yield* restrictions.hold(work))) return yield* new LeaseLost()
          yield* hasMore
            ? Effect.andThen(restrictions.release(work, yield* now), ring)
            : restrictions.complete(work)
        },
        (effect) => transactions.run(effect)
      )

      /** Changes the state of an account, and begins the work that follows. Returns true for a change. */
      const set = Effect.fnUntraced(function* (id: OwnerId, isRestricted: boolean) {
        const at = yield* now
        const changed = yield* owners.setRestricted({ id }, isRestricted ? at : null)
        if (!Option.exists(changed, ({ isChanged }) => isChanged)) return false
        yield* restrictions.request(id, isRestricted, at)
        yield* setWebhooksResting(id, isRestricted)
        yield* ring
        return true
      })

      return Restrictions.of({
        setRestricted: Effect.fn("Restrictions.setRestricted")(
          function* (authority, account, isRestricted, because) {
            const at = yield* now
            const held = yield* owners.hold(account)
            if (Option.isNone(held)) return yield* accountNotFound(account)
            const { handle: spelled, id } = held.value
            yield* moderators.protect(authority, id)
            const isClosing = Option.isSome(yield* deletions.find(id))
            const isChanged = isClosing
              ? yield* deletions.setWasRestricted(id, isRestricted)
              : yield* set(id, isRestricted)
            if (isChanged) {
              const action = isRestricted ? RESTRICTION : "accounts.unrestrict"
              const code = isRestricted ? "account_restricted" : "account_unrestricted"
              const entry = yield* auditLog.record(authority, { action, subjectId: id, ...because })
              const reason = because.reasonForAuthor
              yield* notices.accountIssue({ ownerId: id, code, cause: entry, reason, at })
            }
            return { ownerId: id, handle: spelled, isRestricted }
          },
          (effect) => transactions.run(effect)
        ),
        reach: Effect.fn("Restrictions.reach")((_authority, owner) => restrictions.reach(owner)),
        close: (owner) => Effect.asVoid(set(owner, true)),
        reopen: (owner) => Effect.asVoid(set(owner, false)),
        claim: restrictions.claim,
        release: (work) => Effect.flatMap(now, (at) => restrictions.release(work, at)),
        follow: (work) => Effect.catchTag(step(work), "LeaseLost", () => Effect.void)
      })
    })
  )
}

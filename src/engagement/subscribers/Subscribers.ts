import { Context, Effect, Layer, Option, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"
import {
  type Subscriber,
  type SubscriberPage,
  SUBSCRIBERS_DEFAULT,
  SUBSCRIBERS_MAX,
  type SubscribersQuery,
  type SubscriptionAnswer
} from "../../../schemas/engagement/subscribers/Subscriber.ts"
import { type EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { NotFound, type Validation } from "../../../schemas/platform/errors/common.ts"
import { type OwnerId, SubscriberId } from "../../../schemas/platform/Ids.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { csvLine } from "../../platform/csv/csvLine.ts"
import { Cursors } from "../../platform/cursors/Cursors.ts"
import { makePageAfter } from "../../platform/cursors/pageAfter.ts"
import { Mails } from "../../platform/mail/Mails.ts"
import { untagged } from "../../platform/mail/untagged.ts"
import { Pepper } from "../../platform/ports/Pepper.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { isOfMailbox, type RateLimitExceeded, RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { DAY_MILLIS, later, now } from "../../platform/time/now.ts"
import { makeSubscriberEvents } from "./subscriberEvents.ts"
import {
  type ChangedRow,
  CONFIRM_MILLIS,
  formerMailbox,
  subscriberStatements,
  type SubscriptionRow
} from "./subscribers.sql.ts"
import { confirmationLetters } from "./subscriptionLetters.ts"
import { makeSubscriptionTokens, type ReaderOf } from "./subscriptionTokens.ts"

/** A subscription, as the link of a mail shows it. */
export type Subscription = SubscriptionRow

/** The subscription of a link that ends it; `gone` when it was erased since. */
export type Leaver = SubscriptionRow | "gone"

/** Time in which a mailbox gets one mail to confirm the posts of an author. */
const ASK_MILLIS = DAY_MILLIS
/** Time after its end for which an author still sees a reader. */
const ENDED_MILLIS = 30 * DAY_MILLIS
/** Readers who left whose addresses one statement erases. */
const FORGET_MAX = 1_000

/** The answer to every request. */
const ANSWER: SubscriptionAnswer = {
  message: "Check your inbox. If you aren't subscribed yet, we sent you a link to confirm."
}

/** Readers without an account who get the posts of an author by mail. */
export class Subscribers extends Context.Service<
  Subscribers,
  {
    /**
     * Mails a link that confirms the request. Writes the same rows for every address, so that the answer tells nothing
     * about it. Fails with `NotFound` for a handle without a public author, and where the operator turned mail to readers off.
     */
    readonly subscribe: (
      handle: string,
      email: EmailAddress
    ) => Effect.Effect<SubscriptionAnswer, NotFound | RateLimitExceeded>
    /** Returns what the link of a mail confirms; none for a link that is too old, and changes nothing. */
    readonly asked: (token: string) => Effect.Effect<Option.Option<SubscriptionRow>>
    /** Confirms the request of a link. A repeat is safe. */
    readonly confirm: (token: string) => Effect.Effect<Option.Option<SubscriptionRow>>
    /**
     * Returns the subscription that the link of a mail ends, and changes nothing: none for a text that is no link, and `gone` for
     * a reader who is not known any more.
     */
    readonly subscription: (token: string) => Effect.Effect<Option.Option<Leaver>>
    /** Ends the subscription of a link. A repeat is safe. */
    readonly end: (token: string) => Effect.Effect<Option.Option<Leaver>>
    /** Ends every subscription of the mailbox that got the link. */
    readonly endAll: (token: string) => Effect.Effect<Option.Option<Leaver>>
    /** Lists the readers of an author, newest first. */
    readonly list: (
      owner: OwnerAuthority,
      query: SubscribersQuery
    ) => Effect.Effect<SubscriberPage, Validation>
    /** Returns the reader with this address, as a list of at most one. */
    readonly find: (owner: OwnerAuthority, email: EmailAddress) => Effect.Effect<ReadonlyArray<Subscriber>>
    /** Returns all readers of an author as CSV. */
    readonly exported: (owner: OwnerAuthority) => Stream.Stream<string>
    /** Ends the subscription of a reader for the author. */
    readonly remove: (owner: OwnerAuthority, id: SubscriberId) => Effect.Effect<void, NotFound>
    /** Deletes old requests and old ends. Of an end a keyed hash stays, so that no import brings the reader back. */
    readonly sweep: Effect.Effect<void>
  }
>()("pennypress/engagement/subscribers/Subscribers") {
  static readonly layer = Layer.effect(
    Subscribers,
    Effect.gen(function* () {
      const subscribers = yield* subscriberStatements
      const events = yield* makeSubscriberEvents
      const tokens = yield* makeSubscriptionTokens
      const mails = yield* Mails
      const pepper = yield* Pepper
      const random = yield* SecureRandom.SecureRandom
      const transactions = yield* Transactions
      const { consume } = yield* RateLimits
      const { hasSubscriptions, siteName } = yield* Settings
      const cursors = yield* Cursors
      const pageAfter = yield* makePageAfter(decodePosition)

      /** Counts a mail to a mailbox. Returns false for one mail too many, and always for no mail, at the same cost. */
      const mayMail = (email: EmailAddress, isDue: boolean) =>
        consume("subscribe-mailbox", `${isDue ? "" : "none "}${untagged(mailboxOf(email))}`).pipe(
          Effect.as(isDue),
          Effect.catchIf(isOfMailbox, () => Effect.succeed(false))
        )

      const subscribe = Effect.fn("Subscribers.subscribe")(function* (handle: string, email: EmailAddress) {
        const author = hasSubscriptions ? yield* subscribers.author(handle) : Option.none()
        if (Option.isNone(author)) return yield* new NotFound()
        yield* consume("subscribe-author", author.value.id)
        const at = yield* now
        const id = yield* random.uuidV7()
        yield* transactions.run(
          Effect.gen(function* () {
            const asked = yield* subscribers.ask({
              id,
              author: author.value.id,
              email,
              at,
              askedBefore: later(at, -ASK_MILLIS)
            })
            const path = yield* tokens.confirmPath({ id: asked.id, askedAt: at })
            const isMailed = yield* mayMail(email, asked.is_due)
            // A request without a mail blocks no later one. The statement runs for every address.
            yield* subscribers.askAgain(asked.id, asked.is_due && !isMailed ? later(at, -ASK_MILLIS) : null)
            yield* mails.post({
              recipient: email,
              letters: { ...confirmationLetters(author.value.name, path, siteName), isUnsent: !isMailed },
              expiresAt: later(at, CONFIRM_MILLIS)
            })
          })
        )
        return ANSWER
      })

      const confirmationOf = Effect.fnUntraced(function* (token: string) {
        const at = yield* now
        return Option.filter(
          yield* tokens.confirmationOf(token),
          ({ askedAt }) => at.getTime() - askedAt.getTime() <= CONFIRM_MILLIS
        )
      })

      /** Ends subscriptions, and records the ends of those who got mail until now. */
      const ending = <A>(
        readers: Effect.Effect<ReadonlyArray<ChangedRow>>,
        endedBy: "reader" | "author",
        end: (at: Date) => Effect.Effect<A>
      ) =>
        Effect.flatMap(now, (at) =>
          transactions.run(
            Effect.gen(function* () {
              const held = yield* readers
              const ended = yield* end(at)
              yield* events.ended(held, endedBy, at)
              return ended
            })
          )
        )

      const byReader = (
        token: string,
        act: (reader: ReaderOf) => Effect.Effect<Option.Option<SubscriptionRow>>
      ): Effect.Effect<Option.Option<Leaver>> =>
        Effect.flatMap(
          tokens.readerOf(token),
          Option.match({
            onNone: () => Effect.succeedNone,
            onSome: (reader) =>
              Effect.asSome(
                Effect.map(act(reader), (row): Leaver => Option.getOrElse(row, () => "gone" as const))
              )
          })
        )

      const forgetSome = Effect.fnUntraced(function* (endedBefore: Date, askedBefore: Date) {
        const leavers = yield* subscribers.leavers(endedBefore, askedBefore, FORGET_MAX)
        const hashed = yield* Effect.forEach(leavers, ({ id, mailbox }) =>
          Effect.map(pepper.hash(formerMailbox(mailbox)), (mac) => ({ id, mac: Hex.encode(mac) }))
        )
        if (hashed.length > 0) yield* subscribers.forget(hashed, endedBefore, askedBefore)
        return hashed.length
      })

      const list = Effect.fn("Subscribers.list")(function* (
        { ownerId }: OwnerAuthority,
        { cursor, limit = SUBSCRIBERS_DEFAULT, state }: SubscribersQuery
      ) {
        const name = listOf(ownerId, state)
        const after = yield* pageAfter(name, cursor)
        const rows = yield* subscribers.list(ownerId, state, { after: after?.id, limit })
        // A count reads the whole list, so later pages repeat that of the first one.
        const counts = after?.counts ?? (yield* subscribers.counts(ownerId))
        const last = rows.length > limit ? rows[limit - 1] : undefined
        const place = [String(counts.pending), String(counts.active)]
        const nextCursor = last === undefined ? null : yield* cursors.make(name, [last.id, ...place])
        return {
          data: rows.slice(0, limit),
          counts,
          pagination: { limit, nextCursor, hasMore: nextCursor !== null }
        }
      })

      return Subscribers.of({
        subscribe,
        asked: Effect.fn("Subscribers.asked")(function* (token) {
          const confirmation = yield* confirmationOf(token)
          return Option.isNone(confirmation)
            ? Option.none()
            : yield* subscribers.subscription(confirmation.value.id)
        }),
        confirm: Effect.fn("Subscribers.confirm")(function* (token) {
          const confirmation = yield* confirmationOf(token)
          if (Option.isNone(confirmation)) return Option.none()
          const { askedAt, id } = confirmation.value
          const at = yield* now
          return yield* transactions.run(
            Effect.gen(function* () {
              const inactive = yield* subscribers.holdInactive(id)
              const row = yield* subscribers.confirm(id, askedAt, at)
              if (Option.isSome(inactive) && Option.isSome(row)) yield* events.confirmed([inactive.value], at)
              return row
            })
          )
        }),
        subscription: Effect.fn("Subscribers.subscription")((token) =>
          byReader(token, subscribers.subscriptionOf)
        ),
        end: Effect.fn("Subscribers.end")((token) =>
          byReader(token, (reader) =>
            ending(subscribers.holdActive(reader.mailbox, reader.author), "reader", (at) =>
              subscribers.end(reader, at)
            )
          )
        ),
        endAll: Effect.fn("Subscribers.endAll")((token) =>
          byReader(token, (reader) =>
            ending(subscribers.holdActive(reader.mailbox), "reader", (at) =>
              Effect.andThen(subscribers.endAll(reader.mailbox, at), subscribers.subscriptionOf(reader))
            )
          )
        ),
        list,
        find: Effect.fn("Subscribers.find")(({ ownerId }, email) =>
          subscribers.find(ownerId, mailboxOf(email))
        ),
        exported: ({ ownerId }) => {
          const lines = Stream.paginate(undefined as SubscriberId | undefined, (after) =>
            Effect.map(subscribers.list(ownerId, undefined, { after, limit: SUBSCRIBERS_MAX }), (rows) => {
              const page = rows.slice(0, SUBSCRIBERS_MAX)
              const next = rows.length > SUBSCRIBERS_MAX ? page.at(-1)?.id : undefined
              return [page.map(lineOf), Option.fromUndefinedOr(next)] as const
            })
          )
          return Stream.concat(Stream.make(csvLine(COLUMNS)), lines)
        },
        remove: Effect.fn("Subscribers.remove")(function* ({ ownerId }, id) {
          const removed = yield* ending(subscribers.holdOwn(ownerId, id), "author", (at) =>
            subscribers.remove(ownerId, id, at)
          )
          if (Option.isNone(removed)) return yield* new NotFound()
        }),
        sweep: Effect.gen(function* () {
          const at = yield* now
          const askedBefore = later(at, -CONFIRM_MILLIS)
          yield* subscribers.sweepRequests(askedBefore)
          yield* Effect.repeat(forgetSome(later(at, -ENDED_MILLIS), askedBefore), {
            while: (count) => count === FORGET_MAX
          })
        })
      })
    })
  )
}

const decodeParts = Schema.decodeUnknownOption(
  Schema.Tuple([SubscriberId, Schema.FiniteFromString, Schema.FiniteFromString])
)

/** Returns the place of a cursor, with the counts of the first page. */
const decodePosition = (position: ReadonlyArray<string>) =>
  Option.map(decodeParts(position), ([id, pending, active]) => [{ id, counts: { pending, active } }] as const)

const listOf = (author: OwnerId, state = "all") => `subscribers ${author} ${state}`

const COLUMNS = ["email", "state", "source", "created_at", "confirmed_at", "ended_at"]

const lineOf = ({ confirmedAt, createdAt, email, endedAt, source, state }: Subscriber) =>
  csvLine([email, state, source, createdAt, confirmedAt ?? "", endedAt ?? ""])

import { Context, Effect, Layer, Option } from "effect"
import {
  InvalidCode,
  type LoginRequest,
  type TokenPair,
  type VerifyRequest
} from "../../../schemas/accounts/sessions/Session.ts"
import { type Mailbox, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import type { LimitName } from "../../../schemas/platform/rate-limits/limits.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { type RateLimitExceeded, RateLimits } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { doorLetters, loginLetters } from "../email-codes/codeLetters.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { Owners } from "../owners/Owners.ts"
import { Sessions } from "./Sessions.ts"

/** A limit, and whom it counts. */
type Counted = readonly [LimitName, string]

/** The session of a code. */
interface Opened {
  readonly tokens: TokenPair
  /** True if the code created the account. */
  readonly isNew: boolean
}

/**
 * Sign-in of owners and registration of everyone else, by one code, for pages that ask for an address alone. Only the mail tells
 * which of the two it is. A code works for the `page` that asked for it and its tries are that page's own: a stranger who knows the
 * address can neither use them up nor replace the code. The name of a page is secret.
 */
export class EmailDoor extends Context.Service<
  EmailDoor,
  {
    /**
     * Mails a code, and returns the same answer after the same work whether or not the mailbox has an owner. `client` names
     * the caller, such as its network. `isForAll` is false while only owners are mailed: registration is closed, or strangers
     * caused too many mails. Owners can sign in then, too.
     */
    readonly mailCode: (
      request: LoginRequest,
      page: string,
      client: string
    ) => Effect.Effect<{ readonly isForAll: boolean }, RateLimitExceeded>
    /** Returns the seconds until another mail, if the page was mailed a code less than a minute ago that can still be used. */
    readonly recent: (request: LoginRequest, page: string) => Effect.Effect<Option.Option<number>>
    /** Opens one session for a code, and creates the account of a mailbox without an owner. All failures are the same error. */
    readonly verify: (request: VerifyRequest, page: string) => Effect.Effect<Opened, InvalidCode>
  }
>()("pennypress/accounts/sessions/EmailDoor") {
  static readonly layer = Layer.effect(
    EmailDoor,
    Effect.gen(function* () {
      const owners = yield* Owners
      const codes = yield* EmailCodes
      const sessions = yield* Sessions
      const rateLimits = yield* RateLimits
      const transactions = yield* Transactions
      const { isRegistrationOpen, siteName } = yield* Settings

      const nameOf = ({ email }: LoginRequest, page: string) => ({
        purpose: "login" as const,
        subject: `${mailboxOf(email)} ${page}`
      })

      const giveBack = (counted: ReadonlyArray<Counted>) =>
        Effect.forEach(counted, (limit) => rateLimits.giveBack(...limit), { discard: true })

      /** Counts a mail that may go to a stranger. Returns what was counted; nothing while strangers get no mail. */
      const countStranger = Effect.fnUntraced(function* (mailbox: Mailbox) {
        const limits: ReadonlyArray<Counted> = [
          ["mailbox-registrations", mailbox],
          ["page-mails-all", "all"]
        ]
        for (const [index, limit] of limits.entries()) {
          const isCounted = yield* rateLimits.consume(...limit).pipe(
            Effect.as(true),
            Effect.catchTag("RateLimited", () => Effect.succeed(false))
          )
          if (isCounted) continue
          yield* giveBack(limits.slice(0, index))
          return []
        }
        return limits
      })

      const verify = Effect.fn("EmailDoor.verify")(
        function* (request: VerifyRequest, page: string): Effect.fn.Return<Opened, InvalidCode> {
          const proof = yield* codes.redeem(nameOf(request, page), request.code)
          if (Option.isNone(proof) || proof.value.isRepeat) return yield* new InvalidCode()
          const owner = yield* owners.ownerOf(proof.value)
          if (Option.isSome(owner))
            return { tokens: yield* sessions.open(owner.value, proof.value), isNew: false }
          const made = isRegistrationOpen ? yield* owners.createOwner(proof.value) : Option.none()
          if (Option.isNone(made)) return yield* new InvalidCode()
          return { tokens: yield* sessions.open(made.value, proof.value), isNew: true }
        },
        // A wrong try counts, although the request fails.
        (effect) => transactions.runKeeping(effect)
      )

      return EmailDoor.of({
        mailCode: Effect.fn("EmailDoor.mailCode")(function* (request, page, client) {
          const counted = isRegistrationOpen ? yield* countStranger(mailboxOf(request.email)) : []
          const isForAll = counted.length > 0
          const lettersOf = isForAll ? doorLetters : loginLetters
          yield* transactions
            .run(
              codes.issue({
                ...nameOf(request, page),
                recipient: request.email,
                client,
                budget: { limit: "mailbox-hour", asker: client },
                lettersOf: (code) => Effect.succeed(lettersOf(code, siteName))
              })
            )
            .pipe(Effect.tapCause(() => giveBack(counted)))
          return { isForAll }
        }),
        recent: (request, page) => codes.recent(nameOf(request, page)),
        verify
      })
    })
  )
}

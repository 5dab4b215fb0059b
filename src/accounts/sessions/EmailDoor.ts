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
 * which of the two it is.
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
      client: string
    ) => Effect.Effect<{ readonly isForAll: boolean }, RateLimitExceeded>
    /** Opens one session for a code, and creates the account of a mailbox without an owner. All failures are the same error. */
    readonly verify: (request: VerifyRequest) => Effect.Effect<Opened, InvalidCode>
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

      const giveBack = (counted: ReadonlyArray<Counted>) =>
        Effect.forEach(counted, (limit) => rateLimits.giveBack(...limit), { discard: true })

      /** Counts a mail that may go to a stranger. Returns what was counted; nothing while strangers get no mail. */
      const countStranger = Effect.fnUntraced(function* (mailbox: Mailbox) {
        const limits: ReadonlyArray<Counted> = [
          ["mailbox-registrations", mailbox],
          ["code-mails-all", "all"]
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
        function* ({ code, email }: VerifyRequest): Effect.fn.Return<Opened, InvalidCode> {
          const proof = yield* codes.redeem({ purpose: "login", subject: mailboxOf(email) }, code)
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
        mailCode: Effect.fn("EmailDoor.mailCode")(function* ({ email }, client) {
          const mailbox = mailboxOf(email)
          const counted = isRegistrationOpen ? yield* countStranger(mailbox) : []
          const isForAll = counted.length > 0
          const lettersOf = isForAll ? doorLetters : loginLetters
          yield* transactions
            .run(
              codes.issue({
                purpose: "login",
                subject: mailbox,
                recipient: email,
                client,
                budget: { limit: "mailbox-hour", asker: client },
                lettersOf: (code) => Effect.succeed(lettersOf(code, siteName))
              })
            )
            .pipe(Effect.tapCause(() => giveBack(counted)))
          return { isForAll }
        }),
        verify
      })
    })
  )
}

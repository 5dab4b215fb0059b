import { Context, Effect, Layer, Option } from "effect"
import {
  InvalidCode,
  type LoginAccepted,
  type LoginRequest,
  type TokenPair,
  type VerifyRequest
} from "../../../schemas/accounts/sessions/Session.ts"
import { mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { loginLetters } from "../email-codes/codeLetters.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { Owners } from "../owners/Owners.ts"
import { Sessions } from "./Sessions.ts"

/** Reveals nothing about the mailbox (spec 4.1.1). */
const MESSAGE =
  "If this address belongs to an account, a code is on its way to it. The code is valid for ten minutes. Wait at least a minute before you ask for another one."

/** Sign-in of returning owners with a code by mail. It never creates an account (spec 4.1.1). */
export class EmailLogin extends Context.Service<
  EmailLogin,
  {
    /**
     * Mails a code, and returns the same answer after the same work whether or not the mailbox has an owner. `client`
     * names the caller, such as its network. Each client has an hourly budget of its own for a mailbox, and budgets for all
     * mailboxes together.
     */
    readonly login: (request: LoginRequest, client: string) => Effect.Effect<LoginAccepted, RateLimitExceeded>
    /** Opens one session for a code. All failures are the same error. */
    readonly verify: (request: VerifyRequest) => Effect.Effect<TokenPair, InvalidCode>
  }
>()("pennypress/accounts/sessions/EmailLogin") {
  static readonly layer = Layer.effect(
    EmailLogin,
    Effect.gen(function* () {
      const owners = yield* Owners
      const codes = yield* EmailCodes
      const sessions = yield* Sessions
      const transactions = yield* Transactions
      const { siteName } = yield* Settings

      const verify = Effect.fn("EmailLogin.verify")(
        function* ({ code, email }: VerifyRequest): Effect.fn.Return<TokenPair, InvalidCode> {
          const proof = yield* codes.redeem({ purpose: "login", subject: mailboxOf(email) }, code)
          if (Option.isNone(proof) || proof.value.isRepeat) return yield* new InvalidCode()
          const owner = yield* owners.ownerOf(proof.value)
          if (Option.isNone(owner)) return yield* new InvalidCode()
          return yield* sessions.open(owner.value, proof.value)
        },
        // A wrong try counts, although the request fails.
        (effect) => transactions.runKeeping(effect)
      )

      return EmailLogin.of({
        login: Effect.fn("EmailLogin.login")(function* ({ email }, client) {
          yield* transactions.run(
            codes.issue({
              purpose: "login",
              subject: mailboxOf(email),
              recipient: email,
              client,
              budget: { limit: "mailbox-hour", asker: client },
              lettersOf: (code) => Effect.succeed(loginLetters(code, siteName))
            })
          )
          return { message: MESSAGE }
        }),
        verify
      })
    })
  )
}

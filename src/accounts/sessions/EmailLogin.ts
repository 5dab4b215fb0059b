import { Context, Effect, Layer, Option } from "effect"
import {
  InvalidCode,
  type LoginAccepted,
  type LoginRequest,
  type TokenPair,
  type VerifyRequest
} from "../../../schemas/accounts/sessions/Session.ts"
import type { RateLimitExceeded } from "../../platform/rate-limits/RateLimits.ts"
import { Transactions } from "../../platform/sql/Transactions.ts"
import { EmailCodes } from "../email-codes/EmailCodes.ts"
import { Owners } from "../owners/Owners.ts"
import { Sessions } from "./Sessions.ts"

/** Says nothing of the mailbox (specification 4.1.1). */
const MESSAGE =
  "If this address belongs to an account, a code is on its way to it. The code is good for ten minutes; ask for another one after a minute at the earliest."

/** Sign-in of returning owners with a code by mail. It never makes an account (specification 4.1.1). */
export class EmailLogin extends Context.Service<
  EmailLogin,
  {
    /** The same answer, after the same work, whether or not the mailbox has an owner. */
    readonly login: (request: LoginRequest) => Effect.Effect<LoginAccepted, RateLimitExceeded>
    /** A code opens one session; every failure is the same one. */
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

      /** None instead of a failure, which would take the count of the tries back. */
      const redeemed = Effect.fnUntraced(
        function* ({ code, email }: VerifyRequest) {
          const proof = yield* codes.redeem({ purpose: "login", subject: email }, code)
          if (Option.isNone(proof) || proof.value.isRepeat) return Option.none<TokenPair>()
          const owner = yield* owners.ownerOf(proof.value)
          if (Option.isNone(owner)) return Option.none<TokenPair>()
          return Option.some(yield* sessions.open(owner.value, proof.value))
        },
        (effect) => transactions.run(effect)
      )

      return EmailLogin.of({
        login: Effect.fn("EmailLogin.login")(function* ({ email }) {
          yield* transactions.run(
            codes.issue({
              purpose: "login",
              subject: email,
              mailbox: email,
              contentOf: (code) => Effect.succeed({ kind: "login_code" as const, code })
            })
          )
          return { message: MESSAGE }
        }),

        verify: Effect.fn("EmailLogin.verify")(function* (request) {
          const pair = yield* redeemed(request)
          return Option.isSome(pair) ? pair.value : yield* new InvalidCode({})
        })
      })
    })
  )
}

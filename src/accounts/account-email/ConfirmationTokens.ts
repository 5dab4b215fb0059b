import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { EmailChangeId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"
import { now } from "../../platform/time/now.ts"

/** What a confirmation link holds, sealed: whose change it is, and the code that confirms it. */
const Token = Schema.Struct({
  ownerId: OwnerId,
  changeId: EmailChangeId,
  code: EmailCode,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Int
})
export type Token = typeof Token.Type

const TokenJson = Schema.fromJsonString(Token)

/** Tokens of confirmation links. They are sealed and not stored, so that reading one costs no query. */
export class ConfirmationTokens extends Context.Service<
  ConfirmationTokens,
  {
    readonly make: (token: Token) => Effect.Effect<string>
    /** None for a text that this service has not made, and after the code's ten minutes. */
    readonly open: (text: string) => Effect.Effect<Option.Option<Token>>
  }
>()("pennypress/accounts/account-email/ConfirmationTokens") {
  static readonly layer = Layer.effect(
    ConfirmationTokens,
    Effect.gen(function* () {
      const sealer = yield* Sealer

      return ConfirmationTokens.of({
        make: Effect.fn("ConfirmationTokens.make")((token) =>
          Effect.map(sealer.seal(JSON.stringify(token)), Base64Url.encode)
        ),

        open: Effect.fn("ConfirmationTokens.open")(function* (text) {
          const bytes = Base64Url.decode(text)
          if (Result.isFailure(bytes)) return Option.none()
          const opened = yield* sealer.open(bytes.success)
          const token = Option.flatMap(opened, Schema.decodeOption(TokenJson))
          const at = yield* now
          return Option.filter(token, ({ expiresAt }) => expiresAt > at.getTime())
        })
      })
    })
  )
}

import { Effect, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { EmailCode } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { EmailChangeId, OwnerId } from "../../../schemas/platform/Ids.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"

/** Content of a confirmation link, sealed: the change, its owner, and the code that confirms it. */
const Token = Schema.Struct({
  ownerId: OwnerId,
  changeId: EmailChangeId,
  code: EmailCode,
  /** Milliseconds since 1970. */
  expiresAt: Schema.Int
})
export type Token = typeof Token.Type

const TokenJson = Schema.fromJsonString(Token)

/** Makes and opens the tokens of confirmation links. They are sealed and not stored: opening one costs no query. */
export const confirmationTokens = Effect.map(Sealer, (sealer) => ({
  make: (token: Token): Effect.Effect<string> =>
    Effect.map(sealer.seal(JSON.stringify(token)), Base64Url.encode),

  /** Returns none for a text that this service did not make. An expired token can also be opened. */
  open: Effect.fn("confirmationTokens.open")(function* (text: string) {
    const bytes = Base64Url.decode(text)
    if (Result.isFailure(bytes)) return Option.none<Token>()
    return Option.flatMap(yield* sealer.open(bytes.success), Schema.decodeOption(TokenJson))
  })
}))

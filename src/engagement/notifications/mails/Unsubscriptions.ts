import { Context, Effect, Layer, Option, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import { type EmailKey, emailKeys } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Sealer } from "../../../platform/ports/Sealer.ts"
import { Preferences } from "../preferences/Preferences.ts"

/** The path of the links that switch a kind of mails off. */
export const UNSUBSCRIBE_PATH = "/unsubscribe"

/**
 * Content of such a link, sealed and not stored: the owner, and the preference that it switches off. It does not
 * expire, because people keep mails for years. `use` keeps this token from other uses, and other tokens from this use.
 */
const Token = Schema.Struct({
  use: Schema.Literal("unsubscribe"),
  ownerId: OwnerId,
  key: Schema.Literals(Object.values(emailKeys))
})
type Token = typeof Token.Type

const decode = Schema.decodeOption(Schema.fromJsonString(Token))

/** Unsubscribes owners by a link in each mail, without a session. The mail is the authority. */
export class Unsubscriptions extends Context.Service<
  Unsubscriptions,
  {
    /** Returns the link of a mail that this preference governs. */
    readonly urlOf: (owner: OwnerId, key: EmailKey) => Effect.Effect<string>
    /**
     * Returns the preference that a link switches off, and changes nothing. None for a token that this service did not
     * make.
     */
    readonly keyOf: (token: string) => Effect.Effect<Option.Option<EmailKey>>
    /** Switches the preference of a link off, and returns it. A repeat is safe. */
    readonly switchOff: (token: string) => Effect.Effect<Option.Option<EmailKey>>
  }
>()("pennypress/engagement/notifications/mails/Unsubscriptions") {
  static readonly layer = Layer.effect(
    Unsubscriptions,
    Effect.gen(function* () {
      const sealer = yield* Sealer
      const preferences = yield* Preferences
      const origin = yield* PublicBaseUrl

      const open = Effect.fnUntraced(function* (text: string) {
        const bytes = Base64Url.decode(text)
        if (Result.isFailure(bytes)) return Option.none<Token>()
        return Option.flatMap(yield* sealer.open(bytes.success), decode)
      })

      return Unsubscriptions.of({
        urlOf: Effect.fn("Unsubscriptions.urlOf")(function* (ownerId, key) {
          const token: Token = { use: "unsubscribe", ownerId, key }
          const sealed = yield* sealer.seal(JSON.stringify(token))
          return `${origin}${UNSUBSCRIBE_PATH}?token=${Base64Url.encode(sealed)}`
        }),
        keyOf: Effect.fn("Unsubscriptions.keyOf")(function* (text) {
          return Option.map(yield* open(text), ({ key }) => key)
        }),
        switchOff: Effect.fn("Unsubscriptions.switchOff")(function* (text) {
          const token = yield* open(text)
          if (Option.isSome(token)) yield* preferences.switchOff(token.value.ownerId, token.value.key)
          return Option.map(token, ({ key }) => key)
        })
      })
    })
  )
}

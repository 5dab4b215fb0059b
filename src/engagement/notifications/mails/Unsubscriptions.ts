import { Context, Effect, Layer, Option, Result, Schema, Struct } from "effect"
import { Base64Url } from "effect/encoding"
import type { EmailKey } from "../../../../schemas/engagement/notifications/Preferences.ts"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import { OwnerId } from "../../../../schemas/platform/Ids.ts"
import { Sealer } from "../../../platform/ports/Sealer.ts"
import { Preferences } from "../preferences/Preferences.ts"

/** The path of the links that switch a kind of mails off. */
export const UNSUBSCRIBE_PATH = "/unsubscribe"

/** The letters by which links name preferences. People keep mails for years, so a letter never changes its meaning. */
const LETTERS: Readonly<Record<EmailKey, string>> = {
  notify_new_purchase: "p",
  notify_new_post: "n",
  notify_new_follow: "f",
  notify_account_issues: "i",
  notify_summaries: "s",
  notify_new_comment: "c",
  notify_comment_reply: "r",
  notify_commented_post_activity: "a"
}

/**
 * Content of such a link, sealed and not stored: the preference that it switches off, and the owner. It does not expire. The
 * beginning keeps this token from other uses, and other tokens from this use. It is short, so that a plain mail shows
 * its link in one line.
 */
interface Token {
  readonly ownerId: OwnerId
  readonly key: EmailKey
}

const TOKEN = /^unsubscribe ([a-z])([\da-f]{32})$/

const decodeOwner = Schema.decodeUnknownOption(OwnerId)

const encode = ({ key, ownerId }: Token) => `unsubscribe ${LETTERS[key]}${ownerId.replaceAll("-", "")}`

const decode = (text: string): Option.Option<Token> => {
  const [, letter, digits = ""] = TOKEN.exec(text) ?? []
  const key = Struct.keys(LETTERS).find((name) => LETTERS[name] === letter)
  if (key === undefined) return Option.none()
  const id = digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-")
  return Option.map(decodeOwner(id), (ownerId) => ({ ownerId, key }))
}

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
          const sealed = yield* sealer.seal(encode({ ownerId, key }))
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

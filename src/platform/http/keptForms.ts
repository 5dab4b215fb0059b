import { Effect, Option, Result, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Base64Url } from "effect/encoding"
import type { HttpServerRequest } from "effect/http"
import { isUuid } from "../../../schemas/platform/Ids.ts"
import { Idempotency } from "../idempotency/Idempotency.ts"
import { Sealer } from "../ports/Sealer.ts"
import { later, MINUTE_MILLIS, now } from "../time/now.ts"
import type { SentForm } from "./SentForm.ts"

/**
 * Bytes of a kept form, at most: a comment of 2,000 code points several times over. The pages of a sign-in carry its seal in
 * each of their forms.
 */
const KEPT_BYTES_MAX = 20 * 1024

/** Characters of its seal, at most. They take a third more. */
export const KEPT_CHARACTERS_MAX = 32 * 1024

/** Time that a sign-in may take: a mail has to arrive, and a name may have to be found. */
export const KEPT_LIFETIME_MILLIS = 60 * MINUTE_MILLIS

/** The beginning of the sealed text. It keeps a form from other uses of the seal, and their texts from this use. */
const PURPOSE = "form "

const KeptForm = Schema.fromJsonString(
  Schema.Struct({
    id: Schema.String.check(isUuid()),
    /** The path and query to which the form is sent. */
    path: Schema.String,
    fields: Schema.Array(Schema.Tuple([Schema.String, Schema.String])),
    /** A sentence that tells the reader what happens to the form. */
    said: Schema.String,
    /** Milliseconds since 1970. */
    expiresAt: Schema.Int
  })
)

/** A form that waits until its reader has signed in. */
type KeptForm = (typeof KeptForm)["Type"]

const encode = Schema.encodeEffect(KeptForm)
const decode = Schema.decodeUnknownOption(KeptForm)

const utf8 = new TextEncoder()

/** Returns the path and query to which a request is sent. */
export const targetOf = ({ url }: HttpServerRequest.HttpServerRequest): string => {
  const { pathname, search } = new URL(url, "http://localhost")
  return `${pathname}${search}`
}

/**
 * Keeps forms that a reader sent without a session. The pages of the sign-in carry such a form in a sealed field, so it is in no
 * address and in no table. The last of them sends it on, and the page that takes it uses it once.
 */
export const keptForms = Effect.gen(function* () {
  const sealer = yield* Sealer
  const idempotency = yield* Idempotency
  const random = yield* SecureRandom.SecureRandom

  return {
    /** Seals a form; none if it is too large. */
    seal: Effect.fn("keptForms.seal")(function* (
      path: string,
      form: Pick<SentForm, "entries">,
      said: string
    ) {
      const expiresAt = later(yield* now, KEPT_LIFETIME_MILLIS).getTime()
      const text = yield* Effect.orDie(
        encode({ id: yield* random.uuidV4(), path, fields: form.entries, said, expiresAt })
      )
      if (utf8.encode(text).byteLength > KEPT_BYTES_MAX) return Option.none<string>()
      return Option.some(Base64Url.encode(yield* sealer.seal(`${PURPOSE}${text}`)))
    }),

    /** Opens a form. None for a text that this service did not make for this purpose, and for one that has expired. */
    open: Effect.fn("keptForms.open")(function* (sealed: string) {
      const bytes = Base64Url.decode(sealed)
      if (Result.isFailure(bytes)) return Option.none<KeptForm>()
      const at = yield* now
      return Option.filter(
        Option.flatMap(yield* sealer.open(bytes.success), (text) =>
          text.startsWith(PURPOSE) ? decode(text.slice(PURPOSE.length)) : Option.none()
        ),
        ({ expiresAt }) => at.getTime() < expiresAt
      )
    }),

    /** Returns true the first time that a form is used. */
    claim: Effect.fn("keptForms.claim")(function* ({ expiresAt, id }: KeptForm) {
      const at = yield* now
      const earlier = yield* idempotency.claim({
        scope: "kept_form",
        scopeId: id,
        idempotencyKey: id,
        intent: null,
        resourceId: id,
        at,
        expiresAt: later(at, expiresAt - at.getTime())
      })
      return Option.isNone(earlier)
    })
  }
})

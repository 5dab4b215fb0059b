import { Effect, Layer, Schema } from "effect"
import { type HttpServerResponse } from "effect/http"
import { KeyRequest } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { KeyId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { checked } from "../../platform/http/checked.ts"
import { unreadable } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { donePath, makeAccountPages } from "./accountPages.ts"
import { newKeyPage } from "./keySection.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const check = checked(KeyRequest)
const decodeKeyId = Schema.decodeUnknownEffect(KeyId)

const MADE =
  "You already made this key, and we only show its secret once. If you don't have the secret, replace the key in the list."
const OTHER =
  "You already made a key with a different label from this page. Press the button again to make this one, too."
const ENDED = "That key was already replaced or revoked. The list shows the keys that work now."

/** Serves the forms that make, replace and revoke the keys of an account. */
export const AccountKeyRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const shown = yield* makeAccountPages
    const { asOwner } = yield* makeBrowser
    const { answering, page, readForm, seeOther } = yield* makePrivatePages

    const issue = Effect.gen(function* () {
      const form = yield* readForm({ key: LENGTHS.word, label: LENGTHS.line, endless: LENGTHS.word })
      const [key, label, isEndless] = [form.get("key") ?? "", form.get("label") ?? "", form.has("endless")]
      if (!isKey(key)) return yield* unreadable(form)
      return yield* asOwner(ACCOUNT, (owner) => {
        const refused = (sentence: string, status: number) =>
          shown(owner, { refused: { control: "label", sentence, typed: label } }, status)
        return check({ label, ...(isEndless ? { expiresAt: null } : {}) }).pipe(
          Effect.flatMap((request) => keys.issueOnce(owner, request, key)),
          Effect.map((issued) => page(newKeyPage(issued))),
          Effect.catchTags({
            Validation: () => refused("Use 1 to 80 characters on one line.", 422),
            KeyLimitReached: () => refused("You have five keys. Revoke one, then make this one.", 409),
            KeyAlreadyIssued: () => shown(owner, { told: MADE }, 409),
            IdempotencyConflict: () => refused(OTHER, 409)
          })
        )
      })
    })

    /** Makes the answer to a form about one key. */
    const onKey = <E, R>(
      act: (
        owner: BrowserAuthority,
        keyId: KeyId
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.gen(function* () {
        const form = yield* readForm({ keyId: LENGTHS.word })
        return yield* asOwner(
          ACCOUNT,
          Effect.fnUntraced(function* (owner) {
            const keyId = yield* Effect.mapError(decodeKeyId(form.get("keyId")), () => new NotFound())
            return yield* act(owner, keyId)
          })
        )
      })

    const rotate = onKey((owner, keyId) =>
      keys.rotate(owner, keyId, {}).pipe(
        Effect.map((issued) => page(newKeyPage(issued))),
        Effect.catchTags({
          NotFound: Effect.fnUntraced(function* (error) {
            const isOwn = (yield* keys.list(owner)).some((it) => it.keyId === keyId)
            return yield* isOwn ? shown(owner, { told: ENDED }, 409) : error
          }),
          KeyLimitReached: () => shown(owner, { told: "You have five keys. Revoke one first." }, 409),
          // The request names nothing.
          Validation: Effect.die
        })
      )
    )

    const revoke = onKey((owner, keyId) =>
      Effect.as(keys.revoke(owner, keyId), seeOther(donePath("revoked")))
    )

    return Layer.mergeAll(
      addPrivatePage("POST", "/desk/account/keys", answering(issue)),
      addPrivatePage("POST", "/desk/account/keys/rotate", answering(rotate)),
      addPrivatePage("POST", "/desk/account/keys/revoke", answering(revoke))
    )
  })
)

import { Effect, Layer, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { KeyRequest } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import { SessionIdempotencyKey } from "../../../schemas/payments/sessions/PaymentSession.ts"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { KeyId } from "../../../schemas/platform/Ids.ts"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { checked } from "../../platform/http/checked.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { donePath, makeAccountPages } from "./accountPages.ts"
import { newKeyPage } from "./keySection.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const check = checked(KeyRequest)
const decodeKeyId = Schema.decodeUnknownEffect(KeyId)

const MADE =
  "This form made its key already. Its secret was shown once, and can't be shown again. If you don't have it, replace the key in the list."
const OTHER = "This form made a key with another label already. Press the button again to make this one, too."
const ENDED = "That key was replaced or revoked already. The list shows the keys that work now."

/** Serves the forms that make, replace and revoke the keys of an account. */
export const AccountKeyRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const shown = yield* makeAccountPages
    const { asOwner } = yield* makeBrowser
    const { answering, page, readForm, seeOther } = yield* makePrivatePages

    const issue = Effect.gen(function* () {
      const form = yield* readForm
      const [key, label, isEndless] = [form.get("key") ?? "", form.get("label") ?? "", form.has("endless")]
      if (!isKey(key)) return yield* new FormRefused({ status: 400 })
      return yield* asOwner(ACCOUNT, (owner) => {
        const refused = (sentence: string, status: number) =>
          shown(owner, { refused: { control: "label", sentence, typed: label } }, status)
        return check({ label, ...(isEndless ? { expiresAt: null } : {}) }).pipe(
          Effect.flatMap((request) => keys.issueOnce(owner, request, key)),
          Effect.map((issued) => page(newKeyPage(issued))),
          Effect.catchTags({
            Validation: () => refused("Write a label of 1 to 80 characters, in one line.", 422),
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
        const form = yield* readForm
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
      HttpRouter.add("POST", "/desk/account/keys", answering(issue)),
      HttpRouter.add("POST", "/desk/account/keys/rotate", answering(rotate)),
      HttpRouter.add("POST", "/desk/account/keys/revoke", answering(revoke))
    )
  })
)

import { Effect, Layer, Schema } from "effect"
import { type HttpServerResponse } from "effect/http"
import { NotFound } from "../../../schemas/platform/errors/common.ts"
import { KeyId } from "../../../schemas/platform/Ids.ts"
import {
  type BrowserAuthority,
  CurrentPublisher,
  type PublisherAuthority
} from "../../../schemas/platform/security/authorities.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { WebsiteKeys } from "../../accounts/api-keys/WebsiteKeys.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { backPath } from "../browser/paths.ts"
import { keyPage } from "./keyPage.ts"

const decodeKeyId = Schema.decodeUnknownEffect(KeyId)

type Response = HttpServerResponse.HttpServerResponse
type Reason = "limit" | "revoked"

/** Makes the functions that act with the key which the website holds for an owner, and count as the API does. */
export const makeAsPublisher = Effect.gen(function* () {
  const websiteKeys = yield* WebsiteKeys
  const keys = yield* ApiKeys
  const browser = yield* makeBrowser
  const count = yield* limiting
  const { page } = yield* makePrivatePages

  /** Says why the website has no key, and offers what the owner can do. */
  const refused = (owner: BrowserAuthority, reason: Reason, back: string, entered = "") =>
    Effect.map(keys.list(owner), (all) =>
      page(keyPage({ reason, back, entered, keys: all.filter(({ revokedAt }) => revokedAt === null) }), 409)
    )

  const countedAs =
    <E, R>(act: (publisher: PublisherAuthority) => Effect.Effect<Response, E, R>) =>
    (publisher: PublisherAuthority) =>
      Effect.andThen(Effect.provideService(count("key"), CurrentPublisher, publisher), act(publisher))

  /** Acts as the publisher. `otherwise` answers without a key, so that it can keep what the owner wrote. */
  const asPublisher = <E, R, E2, R2>(
    owner: BrowserAuthority,
    act: (publisher: PublisherAuthority) => Effect.Effect<Response, E, R>,
    otherwise: (reason: Reason) => Effect.Effect<Response, E2, R2>
  ) =>
    Effect.matchEffect(websiteKeys.authorize(owner), {
      onFailure: ({ _tag }) => otherwise(_tag === "KeyLimitReached" ? "limit" : "revoked"),
      onSuccess: countedAs(act)
    })

  return {
    refused,
    asPublisher,
    /** Shows a page of the publisher who is signed in. A page that is only read makes no key. */
    shownAt: <E, R>(
      path: string,
      show: (publisher: PublisherAuthority, owner: BrowserAuthority) => Effect.Effect<Response, E, R>
    ) =>
      browser.asOwner(path, (owner) =>
        Effect.matchEffect(websiteKeys.reading(owner), {
          onFailure: ({ _tag }) => refused(owner, _tag === "KeyLimitReached" ? "limit" : "revoked", path),
          onSuccess: countedAs((publisher) => show(publisher, owner))
        })
      ),
    /**
     * Acts at a path as the publisher who is signed in. Any other reader goes to the sign-in, and comes back there. Without a key,
     * the page shows what its author entered.
     */
    publisherAt: <E, R>(
      path: string,
      act: (publisher: PublisherAuthority, owner: BrowserAuthority) => Effect.Effect<Response, E, R>,
      entered?: string
    ) =>
      browser.asOwner(path, (owner) =>
        asPublisher(
          owner,
          (publisher) => act(publisher, owner),
          (reason) => refused(owner, reason, path, entered)
        )
      )
  }
})

/** Serves the form that makes the key of the website again, or makes room for it. */
export const WebsiteKeyRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const websiteKeys = yield* WebsiteKeys
    const keys = yield* ApiKeys
    const browser = yield* makeBrowser
    const { refused } = yield* makeAsPublisher
    const { answering, readForm, seeOther } = yield* makePrivatePages

    const change = Effect.fnUntraced(function* (owner: BrowserAuthority, revoked: string | undefined) {
      if (revoked === undefined) yield* websiteKeys.replace(owner)
      else yield* keys.revoke(owner, yield* Effect.mapError(decodeKeyId(revoked), () => new NotFound()))
    })

    const press = Effect.gen(function* () {
      const form = yield* readForm({ back: LENGTHS.url, revoke: LENGTHS.word })
      const back = backPath(form.get("back"))
      return yield* browser.asOwner(back, (owner) =>
        change(owner, form.get("revoke")).pipe(
          Effect.as(seeOther(back)),
          Effect.catchTag("KeyLimitReached", () => refused(owner, "limit", back))
        )
      )
    })

    return addPrivatePage("POST", "/desk/key", answering(press))
  })
)

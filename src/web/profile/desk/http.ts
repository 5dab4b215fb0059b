import { Effect, Layer, Schema } from "effect"
import { HttpRouter, type HttpServerResponse } from "effect/http"
import { ProfilePatch } from "../../../../schemas/accounts/profile/Profile.ts"
import { SessionIdempotencyKey } from "../../../../schemas/payments/sessions/PaymentSession.ts"
import { UploadTargetId } from "../../../../schemas/platform/Ids.ts"
import type {
  BrowserAuthority,
  PublisherAuthority
} from "../../../../schemas/platform/security/authorities.ts"
import { Profiles } from "../../../accounts/profile/Profiles.ts"
import { Preferences } from "../../../engagement/notifications/preferences/Preferences.ts"
import { checked } from "../../../platform/http/checked.ts"
import { FormRefused } from "../../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../../platform/http/privatePages.ts"
import { html } from "../../../platform/pages/html.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { Uploads } from "../../../publishing/uploads/Uploads.ts"
import { makeBrowser } from "../../browser/http.ts"
import { readFileForm } from "../../pictures/fileForm.ts"
import { makeTakeFile } from "../../pictures/takeFile.ts"
import { makeAsPublisher } from "../../website-key/http.ts"
import { PROFILE } from "./deskProfilePage.ts"
import type { ProfilePicture } from "./pictures.ts"
import { patchOf, type ProfileFields, readFields, refusedOf } from "./profileFields.ts"
import { donePath, makeDeskProfilePages, toldOf } from "./profilePages.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const check = checked(ProfilePatch)

/** Sentences for an author who filled in the form while the website lost its key. */
const withoutKey = {
  limit: html`Nothing was saved yet: you have five Publishing keys, and the website needs one of its own.
    <a href="${PROFILE}" target="_blank" rel="noopener">Make room in a new tab</a>, then save again.`,
  revoked: html`Nothing was saved yet: you revoked the key of the website.
    <a href="${PROFILE}" target="_blank" rel="noopener">Make another one in a new tab</a>, then save again.`
}

/** Serves the page on which authors say who they are. */
export const DeskProfileRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const profiles = yield* Profiles
    const preferences = yield* Preferences
    const uploads = yield* Uploads
    const takeFile = yield* makeTakeFile
    const shown = yield* makeDeskProfilePages
    const { asOwner } = yield* makeBrowser
    const { asPublisher, publisherAt, refused } = yield* makeAsPublisher
    const count = yield* limiting
    const { answering, checkFileForm, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const told = toldOf(yield* query)
      return yield* publisherAt(PROFILE, (publisher, owner) => shown(owner, publisher, { told }))
    })

    const saved = (owner: BrowserAuthority, publisher: PublisherAuthority, fields: ProfileFields) => {
      const wrong = (refused: ReturnType<typeof refusedOf>, status: number) =>
        shown(owner, publisher, { fields, refused }, status)
      return profiles.own(owner).pipe(
        Effect.flatMap((profile) => check(patchOf(fields, profile))),
        Effect.flatMap((patch) => profiles.update(publisher, patch)),
        Effect.as(seeOther(donePath("saved"))),
        Effect.catchTags({
          Validation: ({ errors }) => wrong(refusedOf(errors, fields), 422),
          HandleTaken: ({ errors = [] }) => wrong(refusedOf(errors, fields), 409),
          Forbidden: () =>
            wrong([{ control: "handle", sentence: "You can't change the handle of this account." }], 403)
        })
      )
    }

    const save = Effect.gen(function* () {
      const fields = readFields(yield* readForm)
      return yield* asOwner(PROFILE, (owner) =>
        asPublisher(
          owner,
          (publisher) => saved(owner, publisher, fields),
          (reason) => shown(owner, null, { fields, told: withoutKey[reason] }, 409)
        )
      )
    })

    /** Takes a picture. The sender of the form and the owner are checked before its bytes are read. */
    const upload = (picture: ProfilePicture) =>
      Effect.gen(function* () {
        yield* checkFileForm
        return yield* asOwner(PROFILE, (owner) =>
          asPublisher(
            owner,
            Effect.fnUntraced(function* (publisher) {
              const form = yield* readFileForm
              const requestKey = form.fields.get("key") ?? ""
              if (!isKey(requestKey)) return yield* new FormRefused({ status: 400 })
              const target = { kind: picture, id: UploadTargetId.make(owner.ownerId), key: "" }
              return yield* takeFile(publisher, { target, requestKey }, form).pipe(
                Effect.as(seeOther(donePath(picture))),
                Effect.catchTag("FileRefused", ({ sentence, status }) =>
                  shown(owner, publisher, { refusedPicture: { picture, sentence } }, status)
                )
              )
            }),
            (reason) => refused(owner, reason, PROFILE)
          )
        )
      }).pipe(Effect.scoped)

    /** Makes the answer to a form that acts with the key of the website, and has nothing to lose. */
    const pressed = <E, R>(
      act: (
        publisher: PublisherAuthority,
        owner: BrowserAuthority,
        form: URLSearchParams
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.gen(function* () {
        const form = yield* readForm
        return yield* asOwner(PROFILE, (owner) =>
          asPublisher(
            owner,
            (publisher) => act(publisher, owner, form),
            (reason) => refused(owner, reason, PROFILE)
          )
        )
      })

    const removeHeader = pressed((publisher) =>
      Effect.as(uploads.removeHeader(publisher), seeOther(donePath("removed")))
    )

    const declareAgent = pressed((publisher, owner, form) =>
      form.has("confirmed")
        ? Effect.as(profiles.declareAgent(publisher), seeOther(donePath("agent")))
        : shown(owner, publisher, { isAgentUnconfirmed: true }, 422)
    )

    const showAmongSupporters = Effect.gen(function* () {
      const show = (yield* readForm).get("show")
      if (show !== "yes" && show !== "no") return yield* new FormRefused({ status: 400 })
      return yield* asOwner(PROFILE, (owner) =>
        Effect.as(
          preferences.save(owner, { show_on_supporter_leaderboard: show === "yes" }),
          seeOther(donePath("supporters"))
        )
      )
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/desk/profile", answering(show)),
      HttpRouter.add("POST", "/desk/profile", answering(save)),
      HttpRouter.add("POST", "/desk/profile/avatar", answering(upload("avatar"))),
      HttpRouter.add("POST", "/desk/profile/header", answering(upload("header"))),
      HttpRouter.add("POST", "/desk/profile/header/remove", answering(removeHeader)),
      HttpRouter.add("POST", "/desk/profile/agent", answering(declareAgent)),
      HttpRouter.add("POST", "/desk/profile/supporters", answering(showAmongSupporters))
    )
  })
)

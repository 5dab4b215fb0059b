import { Effect, Layer, Schema } from "effect"
import { type HttpServerResponse } from "effect/http"
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
import { LENGTHS, type SentForm } from "../../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../../platform/http/ServicePaths.ts"
import { html } from "../../../platform/pages/html.ts"
import { limiting } from "../../../platform/rate-limits/http.ts"
import { Uploads } from "../../../publishing/uploads/Uploads.ts"
import { makeBrowser } from "../../browser/http.ts"
import { readFileForm } from "../../pictures/fileForm.ts"
import { makeTakeFile } from "../../pictures/takeFile.ts"
import { makeAsPublisher } from "../../website-key/http.ts"
import { PROFILE } from "./deskProfilePage.ts"
import type { ProfilePicture } from "./pictures.ts"
import {
  mergedFields,
  patchOf,
  PROFILE_BOUNDS,
  readFields,
  refusedOf,
  refusedTwice
} from "./profileFields.ts"
import { donePath, makeDeskProfilePages, toldOf } from "./profilePages.ts"

const isKey = Schema.is(SessionIdempotencyKey)
const check = checked(ProfilePatch)

/** Sentences for an author who filled in the form while the website lost its key. */
const withoutKey = {
  limit: html`Nothing has been saved yet: you have five Publishing keys, and the website needs its own.
    <a href="${PROFILE}" target="_blank" rel="noopener">Make room in a new tab</a>, then save again.`,
  revoked: html`Nothing has been saved yet: you revoked the website's key.
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
    const { asPublisher, refused, shownAt } = yield* makeAsPublisher
    const count = yield* limiting
    const { answering, checkFileForm, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const told = toldOf(yield* query)
      return yield* shownAt(PROFILE, (publisher, owner) => shown(owner, publisher, { told }))
    })

    const saved = Effect.fnUntraced(function* (
      owner: BrowserAuthority,
      publisher: PublisherAuthority,
      form: SentForm<keyof typeof PROFILE_BOUNDS>
    ) {
      const profile = yield* profiles.own(owner)
      const { fields, twice } = mergedFields(form, readFields(form), profile)
      const wrong = (refused: ReturnType<typeof refusedOf>, status: number) =>
        shown(owner, publisher, { fields, refused }, status)
      if (twice.length > 0) return yield* wrong(refusedTwice(twice), 409)
      return yield* check(patchOf(fields, profile)).pipe(
        Effect.flatMap((patch) => profiles.update(publisher, patch)),
        Effect.as(seeOther(donePath("saved"))),
        Effect.catchTags({
          Validation: ({ errors }) => wrong(refusedOf(errors, fields), 422),
          HandleTaken: ({ errors = [] }) => wrong(refusedOf(errors, fields), 409),
          Forbidden: () =>
            wrong([{ control: "handle", sentence: "You can't change the handle of this account." }], 403)
        })
      )
    })

    const save = Effect.gen(function* () {
      const form = yield* readForm(PROFILE_BOUNDS)
      return yield* asOwner(PROFILE, (owner) =>
        asPublisher(
          owner,
          (publisher) => saved(owner, publisher, form),
          (reason) =>
            Effect.flatMap(profiles.own(owner), (profile) => {
              const { fields, twice } = mergedFields(form, readFields(form), profile)
              return shown(
                owner,
                null,
                { fields, refused: refusedTwice(twice), told: withoutKey[reason] },
                409
              )
            })
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
              const form = yield* readFileForm({ key: LENGTHS.word })
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
        form: SentForm<"confirmed">
      ) => Effect.Effect<HttpServerResponse.HttpServerResponse, E, R>
    ) =>
      Effect.gen(function* () {
        const form = yield* readForm({ confirmed: LENGTHS.word })
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

    const showOn = (key: "show_on_creator_leaderboards" | "show_on_supporter_leaderboard") =>
      Effect.gen(function* () {
        const show = (yield* readForm({ show: LENGTHS.word })).get("show")
        if (show !== "yes" && show !== "no") return yield* new FormRefused({ status: 400 })
        return yield* asOwner(PROFILE, (owner) =>
          Effect.as(preferences.save(owner, { [key]: show === "yes" }), seeOther(donePath("shown")))
        )
      })

    return Layer.mergeAll(
      addPrivatePage("GET", "/desk/profile", answering(show)),
      addPrivatePage("POST", "/desk/profile", answering(save)),
      addPrivatePage("POST", "/desk/profile/avatar", answering(upload("avatar"))),
      addPrivatePage("POST", "/desk/profile/header", answering(upload("header"))),
      addPrivatePage("POST", "/desk/profile/header/remove", answering(removeHeader)),
      addPrivatePage("POST", "/desk/profile/agent", answering(declareAgent)),
      addPrivatePage("POST", "/desk/profile/supporters", answering(showOn("show_on_supporter_leaderboard"))),
      addPrivatePage("POST", "/desk/profile/rankings", answering(showOn("show_on_creator_leaderboards")))
    )
  })
)

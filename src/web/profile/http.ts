import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { checked } from "../../platform/http/checked.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import type { Onward } from "../browser/onward.ts"
import { backPath } from "../browser/paths.ts"
import { chosenNames, profilePage, profilePath } from "./profilePage.ts"

const check = checked(ProfilePatch)

/** Returns the reasons why names were refused, by field. */
const wrongOf = (errors: ReadonlyArray<FieldError>) =>
  Object.fromEntries(errors.map(({ field, message }) => [field, `${message}.`] as const))

/** Serves the page on which readers choose their name and handle, and whether lists of supporters show them. */
export const ProfileRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const profiles = yield* Profiles
    const preferences = yield* Preferences
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readDoorForm, readForm, seeOther } = yield* makePrivatePages

    const isShown = (owner: OwnerAuthority) =>
      Effect.map(preferences.read(owner), (it) => it.show_on_supporter_leaderboard)

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const back = backPath((yield* query).get("back"))
      return yield* browser.asOwner(
        profilePath(back),
        Effect.fnUntraced(function* (owner) {
          return page(
            profilePage({
              onward: { back, waiting: null, note: null },
              ...chosenNames(yield* profiles.own(owner)),
              wrong: {},
              isShownSupporter: yield* isShown(owner)
            })
          )
        })
      )
    })

    const save = (form: URLSearchParams, onward: Onward) => (owner: OwnerAuthority) => {
      const name = (form.get("name") ?? "").trim()
      const handle = (form.get("handle") ?? "").trim().replace(/^@/, "")
      const refused = (wrong: { readonly name?: string; readonly handle?: string }) =>
        Effect.map(isShown(owner), (isShownSupporter) =>
          page(
            profilePage({
              onward,
              name,
              handle,
              wrong,
              isShownSupporter: onward.waiting === null ? isShownSupporter : null
            }),
            409
          )
        )
      return check({ name, handle }).pipe(
        Effect.flatMap((names) => profiles.chooseNames(owner, names)),
        Effect.as(browser.goOn(onward)),
        Effect.catchTags({
          Validation: ({ errors }) => refused(wrongOf(errors)),
          HandleTaken: () => refused({ handle: "That handle is taken. Choose another one." }),
          Forbidden: () => refused({ handle: "You can't change the handle of this account." })
        })
      )
    }

    const choose = Effect.gen(function* () {
      const form = yield* readDoorForm
      const onward = yield* browser.onwardOf(form)
      return yield* browser.asOwner(profilePath(onward.back), save(form, onward))
    })

    const showAmongSupporters = Effect.gen(function* () {
      const form = yield* readForm
      const back = backPath(form.get("back"))
      // The checkout asks, too, and its reader goes on to pay.
      const path = form.get("next") === "back" ? back : profilePath(back)
      const show = form.get("show")
      if (show !== "yes" && show !== "no") return yield* new FormRefused({ status: 400 })
      return yield* browser.asOwner(path, (owner) =>
        Effect.as(preferences.save(owner, { show_on_supporter_leaderboard: show === "yes" }), seeOther(path))
      )
    })

    return Layer.mergeAll(
      HttpRouter.add("GET", "/profile", answering(show)),
      HttpRouter.add("POST", "/profile", answering(choose)),
      HttpRouter.add("POST", "/profile/supporters", answering(showAmongSupporters))
    )
  })
)

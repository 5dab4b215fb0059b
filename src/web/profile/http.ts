import { Effect, Layer } from "effect"
import { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { Preferences } from "../../engagement/notifications/preferences/Preferences.ts"
import { checked } from "../../platform/http/checked.ts"
import { FormRefused } from "../../platform/http/ownForms.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { LENGTHS, type SentForm } from "../../platform/http/SentForm.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import type { Onward } from "../browser/onward.ts"
import { backPath } from "../browser/paths.ts"
import { chosenNames, profilePage, profilePath } from "./profilePage.ts"

const check = checked(ProfilePatch)

/** Returns the reasons why names were refused, by field. */
const wrongOf = (errors: ReadonlyArray<FieldError>) =>
  Object.fromEntries(errors.map(({ field, message }) => [field, `${message}.`] as const))

const NAMES = {
  name: LENGTHS.line,
  handle: LENGTHS.line,
  _name: LENGTHS.line,
  _handle: LENGTHS.line
}

type NamesForm = SentForm<keyof typeof NAMES>

/** Joins the names that an owner changed with those that were saved, perhaps elsewhere. Says which were changed in both places. */
const mergedNames = (form: NamesForm, saved: { readonly name: string; readonly handle: string }) => {
  const join = (sent: string, began: string | undefined, now: string) => {
    if (began === undefined) return { value: sent }
    if (sent === began) return { value: now }
    return now === began || now === sent
      ? { value: sent }
      : { value: sent, wrong: `This was changed elsewhere to “${now}”. Save again to replace it.` }
  }
  const name = join((form.get("name") ?? "").trim(), form.get("_name"), saved.name)
  const sentHandle = (form.get("handle") ?? "").trim().replace(/^@/, "")
  const handle = join(sentHandle, form.get("_handle"), saved.handle)
  const twice = {
    ...(name.wrong === undefined ? {} : { name: name.wrong }),
    ...(handle.wrong === undefined ? {} : { handle: handle.wrong })
  }
  return { name: name.value, handle: handle.value, twice }
}

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
          const names = chosenNames(yield* profiles.own(owner))
          return page(
            profilePage({
              onward: { back, waiting: null, note: null },
              ...names,
              began: names,
              wrong: {},
              isShownSupporter: yield* isShown(owner)
            })
          )
        })
      )
    })

    const save = (form: NamesForm, onward: Onward) =>
      Effect.fnUntraced(function* (owner: OwnerAuthority) {
        const saved = chosenNames(yield* profiles.own(owner))
        const { twice, ...names } = mergedNames(form, saved)
        const refused = (wrong: { readonly name?: string; readonly handle?: string }) =>
          Effect.map(isShown(owner), (isShownSupporter) =>
            page(
              profilePage({
                onward,
                ...names,
                began: saved,
                wrong,
                isShownSupporter: onward.waiting === null ? isShownSupporter : null
              }),
              409
            )
          )
        if (Object.keys(twice).length > 0) return yield* refused(twice)
        return yield* check(names).pipe(
          Effect.flatMap((checkedNames) => profiles.chooseNames(owner, checkedNames)),
          Effect.as(browser.goOn(onward)),
          Effect.catchTags({
            Validation: ({ errors }) => refused(wrongOf(errors)),
            HandleTaken: () => refused({ handle: "That handle is taken. Choose another one." }),
            Forbidden: () => refused({ handle: "You can't change the handle of this account." })
          })
        )
      })

    const choose = Effect.gen(function* () {
      const form = yield* readDoorForm({ back: LENGTHS.url, ...NAMES })
      const onward = yield* browser.onwardOf(form)
      return yield* browser.asOwner(profilePath(onward.back), save(form, onward))
    })

    const showAmongSupporters = Effect.gen(function* () {
      const form = yield* readForm({ back: LENGTHS.url, next: LENGTHS.word, show: LENGTHS.word })
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
      addPrivatePage("GET", "/profile", answering(show)),
      addPrivatePage("POST", "/profile", answering(choose)),
      addPrivatePage("POST", "/profile/supporters", answering(showAmongSupporters))
    )
  })
)

import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { ProfilePatch } from "../../../schemas/accounts/profile/Profile.ts"
import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import type { FieldError } from "../../../schemas/platform/errors/FieldError.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { Profiles } from "../../accounts/profile/Profiles.ts"
import { checked } from "../../platform/http/checked.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { backPath } from "../browser/paths.ts"
import { profilePage, profilePath } from "./profilePage.ts"

const check = checked(ProfilePatch)

/** Returns the reasons why names were refused, by field. */
const wrongOf = (errors: ReadonlyArray<FieldError>) =>
  Object.fromEntries(errors.map(({ field, message }) => [field, `${message}.`] as const))

/** Serves the page on which readers choose the name and the handle by which others know them. */
export const ProfileRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const profiles = yield* Profiles
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, page, query, readForm, seeOther } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const back = backPath((yield* query).get("back"))
      return yield* browser.asOwner(profilePath(back), (owner) =>
        Effect.map(profiles.own(owner), ({ handle, name }) =>
          page(
            profilePage({
              back,
              name: isReservedName(name) ? "" : name,
              handle: isGeneratedHandle(handle) ? "" : handle,
              wrong: {}
            })
          )
        )
      )
    })

    const save = (form: URLSearchParams, back: string) => (owner: OwnerAuthority) => {
      const name = (form.get("name") ?? "").trim()
      const handle = (form.get("handle") ?? "").trim().replace(/^@/, "")
      const refused = (wrong: { readonly name?: string; readonly handle?: string }) =>
        Effect.succeed(page(profilePage({ back, name, handle, wrong }), 409))
      return check({ name, handle }).pipe(
        Effect.flatMap((names) => profiles.chooseNames(owner, names)),
        Effect.as(seeOther(back)),
        Effect.catchTags({
          Validation: ({ errors }) => refused(wrongOf(errors)),
          HandleTaken: () => refused({ handle: "That handle is taken. Choose another one." }),
          Forbidden: () => refused({ handle: "You can't change the handle of this account." })
        })
      )
    }

    const choose = Effect.gen(function* () {
      const form = yield* readForm
      const back = backPath(form.get("back"))
      return yield* browser.asOwner(profilePath(back), save(form, back))
    })

    return Layer.merge(
      HttpRouter.add("GET", "/profile", answering(show)),
      HttpRouter.add("POST", "/profile", answering(choose))
    )
  })
)

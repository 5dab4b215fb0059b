import { Effect, Layer } from "effect"
import { HttpServerResponse } from "effect/http"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { AccountExports } from "../../engagement/account-export/AccountExports.ts"
import { archiveAnswer } from "../../engagement/account-export/http.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"

/** Serves the archive of an owner who is signed in, also of a restricted one. */
export const AccountExportRoutes = Layer.unwrap(
  Effect.gen(function* () {
    const exports = yield* AccountExports
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, headers } = yield* makePrivatePages

    const download = browser.asOwner(
      ACCOUNT,
      Effect.fnUntraced(function* (owner) {
        yield* Effect.provideService(count("exports"), CurrentOwner, owner)
        return HttpServerResponse.setHeaders(archiveAnswer(yield* exports.open(owner)), headers)
      }),
      { isOpenToRestricted: true }
    )

    return addPrivatePage("GET", "/desk/account/export.zip", answering(download))
  })
)

import { Effect, Layer } from "effect"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { addPrivatePage } from "../../platform/http/ServicePaths.ts"
import { limiting } from "../../platform/rate-limits/http.ts"
import { makeBrowser } from "../browser/http.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { makeAccountPages, toldOf } from "./accountPages.ts"
import { AccountBrowserRoutes } from "./browserRoutes.ts"
import { AccountEmailRoutes } from "./emailRoutes.ts"
import { AccountExportRoutes } from "./exportRoutes.ts"
import { AccountKeyRoutes } from "./keyRoutes.ts"
import { AccountPayoutRoutes } from "./payoutRoutes.ts"
import { AccountWalletRoutes } from "./walletRoutes.ts"

const AccountPageRoute = Layer.unwrap(
  Effect.gen(function* () {
    const shown = yield* makeAccountPages
    const browser = yield* makeBrowser
    const count = yield* limiting
    const { answering, query } = yield* makePrivatePages

    const show = Effect.gen(function* () {
      yield* count("public-read")
      const told = toldOf(yield* query)
      return yield* browser.asOwner(ACCOUNT, (owner) => shown(owner, { told }))
    })

    return addPrivatePage("GET", "/desk/account", answering(show))
  })
)

/** Serves the page of an account, and its forms. */
export const AccountRoutes = Layer.mergeAll(
  AccountPageRoute,
  AccountKeyRoutes,
  AccountBrowserRoutes,
  AccountEmailRoutes,
  AccountPayoutRoutes,
  AccountWalletRoutes,
  AccountExportRoutes
)

import { Effect, Redacted } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { AccessTokens } from "../../platform/ports/AccessTokens.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { caching } from "../../platform/public-answers/caching.ts"
import { clientOf } from "../../platform/rate-limits/clientAddress.ts"
import { EmailLogin } from "./EmailLogin.ts"
import { Sessions } from "./Sessions.ts"
import { WalletLinks } from "./WalletLinks.ts"
import { WalletLogin } from "./WalletLogin.ts"

export const SessionsHttp = HttpApiBuilder.group(
  Api,
  "sessions",
  Effect.fnUntraced(function* (handlers) {
    const sessions = yield* Sessions
    const walletLogin = yield* WalletLogin
    const emailLogin = yield* EmailLogin
    const { keySet } = yield* AccessTokens
    const { trustedProxies } = yield* Settings

    return handlers.handleAll({
      challengeWallet: ({ payload }) => walletLogin.challenge(payload.account),
      claimWallet: ({ payload }) => walletLogin.claim(payload),
      login: ({ payload, request }) => emailLogin.login(payload, clientOf(request, trustedProxies)),
      verify: ({ payload }) => emailLogin.verify(payload),
      refresh: ({ payload }) => sessions.refresh(Redacted.make(payload.refreshToken)),
      logout: Effect.fnUntraced(function* () {
        return yield* sessions.logout(yield* CurrentOwner)
      }),
      keySet: () =>
        Effect.succeed(HttpServerResponse.jsonUnsafe(keySet, { headers: { "cache-control": caching.keys } }))
    })
  })
)

/** Links of wallets to the calling account. */
export const AccountWalletHttp = HttpApiBuilder.group(
  Api,
  "accountWallet",
  Effect.fnUntraced(function* (handlers) {
    const walletLinks = yield* WalletLinks

    return handlers.handleAll({
      challenge: Effect.fnUntraced(function* ({ payload }) {
        return yield* walletLinks.challenge(yield* CurrentOwner, payload.account)
      }),
      link: Effect.fnUntraced(function* ({ payload }) {
        return yield* walletLinks.link(yield* CurrentOwner, payload)
      })
    })
  })
)

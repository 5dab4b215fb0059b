import { Effect, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { AccountEmail } from "../../accounts/account-email/AccountEmail.ts"
import { ApiKeys } from "../../accounts/api-keys/ApiKeys.ts"
import { WebsiteKeys } from "../../accounts/api-keys/WebsiteKeys.ts"
import { BrowserSessions } from "../../accounts/browser-sessions/BrowserSessions.ts"
import { PayoutAddresses } from "../../accounts/payout-address/PayoutAddresses.ts"
import { makePrivatePages } from "../../platform/http/privatePages.ts"
import { now, wireTime } from "../../platform/time/now.ts"
import { Me } from "../../publishing/me/Me.ts"
import { Schedules } from "../../publishing/posts/schedules/Schedules.ts"
import { ACCOUNT } from "../browser/paths.ts"
import { accountPage } from "./accountPage.ts"
import type { AccountView } from "./accountView.ts"

/** Sentences about what a form did. */
const done = new Map([
  ["payout", "Your payout address is saved."],
  ["revoked", "The key is revoked. Programs can no longer use it."],
  ["ended", "That browser is signed out."],
  ["others", "You're signed out everywhere else."],
  ["sent", "We've emailed you a code. Enter it below."],
  ["kept", "Your email address hasn't changed."],
  ["email", "Your email address is confirmed."],
  ["wallet", "Your wallet is linked. You can sign in with it from now on."]
])

/** Returns the path of the page that says what a form did. */
export const donePath = (what: string): string => `${ACCOUNT}?done=${what}`

/** Returns the sentence that a query asks for. */
export const toldOf = (query: URLSearchParams): string | null => done.get(query.get("done") ?? "") ?? null

/** Makes the function that shows an owner the whole account, and what a form has to say. */
export const makeAccountPages = Effect.gen(function* () {
  const me = yield* Me
  const emails = yield* AccountEmail
  const keys = yield* ApiKeys
  const websiteKeys = yield* WebsiteKeys
  const browsers = yield* BrowserSessions
  const payouts = yield* PayoutAddresses
  const schedules = yield* Schedules
  const random = yield* SecureRandom.SecureRandom
  const { page } = yield* makePrivatePages

  return Effect.fnUntraced(function* (
    owner: BrowserAuthority,
    said: Partial<Pick<AccountView, "told" | "refused">> = {},
    status?: number
  ) {
    const [account, email, all, websiteKey, signedIn, pastAddresses, scheduled] = yield* Effect.all(
      [
        me.ofOwner(owner),
        emails.read(owner),
        keys.list(owner),
        websiteKeys.find(owner),
        browsers.list(owner),
        payouts.past(owner),
        schedules.countByKey(owner.ownerId)
      ],
      { concurrency: "unbounded" }
    )
    const at = (yield* now).getTime()
    const view: AccountView = {
      me: account,
      pastAddresses,
      pendingEmail: email.pendingEmail,
      keys: all.map((apiKey) => ({
        apiKey,
        isActive:
          apiKey.revokedAt === null && (apiKey.expiresAt === null || Date.parse(apiKey.expiresAt) > at),
        isWebsite: Option.contains(websiteKey, apiKey.id),
        scheduled: scheduled.get(apiKey.id) ?? 0
      })),
      browsers: signedIn.map(({ created_at, label, session_id }) => ({
        id: session_id,
        label,
        since: wireTime(created_at),
        isThis: session_id === owner.sessionId
      })),
      key: yield* random.uuidV4(),
      told: null,
      refused: null,
      isModerator: owner.isModerator,
      ...said
    }
    return page(accountPage(view), status)
  })
})

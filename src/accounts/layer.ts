import { Layer } from "effect"
import { AccountEmail } from "./account-email/AccountEmail.ts"
import { AccountEmailHttp } from "./account-email/http.ts"
import * as ConfirmationPage from "./account-email/pages.ts"
import * as Administration from "./administration/layer.ts"
import { AccountsRpc } from "./administration/rpc.ts"
import { ApiKeys } from "./api-keys/ApiKeys.ts"
import { ApiKeysHttp } from "./api-keys/http.ts"
import { WebsiteKeys } from "./api-keys/WebsiteKeys.ts"
import { BrowserSessions } from "./browser-sessions/BrowserSessions.ts"
import { DeletionConfirmations } from "./deletion/DeletionConfirmations.ts"
import { EmailCodes } from "./email-codes/EmailCodes.ts"
import * as Owners from "./owners/layer.ts"
import { PayoutAddressHttp } from "./payout-address/http.ts"
import { PayoutAddresses } from "./payout-address/PayoutAddresses.ts"
import { ProfileHttp } from "./profile/http.ts"
import { Profiles } from "./profile/Profiles.ts"
import { ProfileRpc } from "./profile/rpc.ts"
import { RegistrationsHttp } from "./registrations/http.ts"
import { Registrations } from "./registrations/Registrations.ts"
import { RetiredHandles } from "./retired-handles/RetiredHandles.ts"
import { AccountWalletHttp, SessionsHttp } from "./sessions/http.ts"
import * as Sessions from "./sessions/layer.ts"

/** Identity and credentials: owners, how they sign in, their keys, Profiles and payout addresses. */
export const layer = Layer.mergeAll(
  AccountEmail.layer,
  BrowserSessions.layer,
  DeletionConfirmations.layer,
  PayoutAddresses.layer,
  Registrations.layer
).pipe(
  Layer.provideMerge(Sessions.layer),
  Layer.provideMerge(Layer.mergeAll(Administration.layer, ApiKeys.layer, Profiles.layer, WebsiteKeys.layer)),
  Layer.provideMerge(Layer.mergeAll(EmailCodes.layer, Owners.layer)),
  Layer.provideMerge(RetiredHandles.layer)
)

/** Handlers of the wing's operations. */
export const handlers = Layer.mergeAll(
  AccountEmailHttp,
  AccountWalletHttp,
  ApiKeysHttp,
  PayoutAddressHttp,
  ProfileHttp,
  RegistrationsHttp,
  SessionsHttp
)

/** Handlers of the wing's procedures. */
export const procedures = Layer.merge(AccountsRpc, ProfileRpc)

/** Routes outside the contract. */
export const routes = ConfirmationPage.layer

export { sweepers } from "./sweepers.ts"

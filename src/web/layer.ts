import { Layer } from "effect"
import { BoughtRoutes } from "./bought/http.ts"
import { CheckoutRoutes } from "./checkout/http.ts"
import { DiscoveryDocuments } from "./discovery-documents/DiscoveryDocuments.ts"
import { DiscoveryDocumentsHttp } from "./discovery-documents/http.ts"
import { LlmsTextRoutes } from "./discovery-documents/pages.ts"
import { FeedRoutes } from "./feeds/http.ts"
import * as Feeds from "./feeds/layer.ts"
import { GiftRoutes } from "./gift/http.ts"
import { Giving } from "./give/Giving.ts"
import { GiveRoutes } from "./give/http.ts"
import { ListRoutes } from "./lists/http.ts"
import { Lists } from "./lists/Lists.ts"
import { PageRoutes } from "./pages/http.ts"
import * as Pages from "./pages/layer.ts"
import { ProfileRoutes } from "./profile/http.ts"
import { ReactRoutes } from "./react/http.ts"
import { RespondRoutes } from "./respond/http.ts"
import { SignInRoutes } from "./sign-in/http.ts"
import { SignUpRoutes } from "./sign-up/http.ts"
import { TipRoutes } from "./tip/http.ts"

/** Pages for readers, and documents for programs. */
export const layer = Layer.mergeAll(
  DiscoveryDocuments.layer,
  Giving.layer,
  Layer.merge(Feeds.layer, Lists.layer).pipe(Layer.provideMerge(Pages.layer))
)

/** Handlers of the wing's operations. */
export const handlers = DiscoveryDocumentsHttp

/** Routes outside the contract. */
export const routes = Layer.mergeAll(
  BoughtRoutes,
  CheckoutRoutes,
  FeedRoutes,
  GiftRoutes,
  GiveRoutes,
  ListRoutes,
  LlmsTextRoutes,
  PageRoutes,
  ProfileRoutes,
  ReactRoutes,
  RespondRoutes,
  SignInRoutes,
  SignUpRoutes,
  TipRoutes
)

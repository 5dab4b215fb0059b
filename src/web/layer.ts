import { Layer } from "effect"
import { AccessRoutes } from "./access/http.ts"
import { AccountRoutes } from "./account/http.ts"
import { CardRoutes } from "./cards/http.ts"
import { CheckoutRoutes } from "./checkout/http.ts"
import { ReceivedCommentRoutes } from "./comments/http.ts"
import { DeskRoutes } from "./desk/http.ts"
import { DiscoveryDocuments } from "./discovery-documents/DiscoveryDocuments.ts"
import { DiscoveryDocumentsHttp } from "./discovery-documents/http.ts"
import { AgentDocumentRoutes } from "./discovery-documents/pages.ts"
import { DocsRoutes } from "./docs/http.ts"
import { Feeds } from "./feeds/Feeds.ts"
import { FeedRoutes } from "./feeds/http.ts"
import { Sitemaps } from "./feeds/Sitemaps.ts"
import { FileRoutes } from "./files/http.ts"
import { FollowingRoutes } from "./following/http.ts"
import { PrivateFeedRoutes } from "./following/routes.ts"
import { GiftIssueRoutes } from "./gifts/issue/http.ts"
import { GiftOpenRoutes } from "./gifts/open/http.ts"
import { ImportRoutes } from "./imports/http.ts"
import { LeavingRoutes } from "./leaving/http.ts"
import { LibraryRoutes } from "./library/http.ts"
import { ListRoutes } from "./lists/http.ts"
import { Lists } from "./lists/Lists.ts"
import { ModerationRoutes } from "./moderation/http.ts"
import { NotificationRoutes } from "./notifications/http.ts"
import { PageRoutes } from "./pages/http.ts"
import * as Pages from "./pages/layer.ts"
import { PayoutRoutes } from "./payout/http.ts"
import { PreviewRoutes } from "./preview/http.ts"
import { DeskProfileRoutes } from "./profile/desk/http.ts"
import { ProfileRoutes } from "./profile/http.ts"
import { PublishRoutes } from "./publish/http.ts"
import { MailRoutes } from "./publish/mailRoutes.ts"
import { ReactionRoutes } from "./reactions/http.ts"
import { BringRoutes } from "./readers/bringRoutes.ts"
import { ReaderRoutes } from "./readers/http.ts"
import { ReportFormRoutes } from "./report/http.ts"
import { RespondRoutes } from "./respond/http.ts"
import { SalesRoutes } from "./sales/http.ts"
import { SignInRoutes } from "./sign-in/http.ts"
import { SitePageRoutes } from "./site-pages/http.ts"
import { TipRoutes } from "./tip/http.ts"
import { WebhookRoutes } from "./webhooks/http.ts"
import { WebsiteKeyRoutes } from "./website-key/http.ts"
import { WriteRoutes } from "./write/http.ts"

/** Pages for readers, and documents for programs. */
export const layer = Layer.mergeAll(
  DiscoveryDocuments.layer,
  Layer.mergeAll(Feeds.layer, Sitemaps.layer, Lists.layer).pipe(Layer.provideMerge(Pages.layer))
)

/** Handlers of the wing's operations. */
export const handlers = DiscoveryDocumentsHttp

/** Routes outside the contract. */
export const routes = Layer.mergeAll(
  AccessRoutes,
  AccountRoutes,
  AgentDocumentRoutes,
  CardRoutes,
  CheckoutRoutes,
  DeskProfileRoutes,
  DeskRoutes,
  DocsRoutes,
  FeedRoutes,
  FileRoutes,
  FollowingRoutes,
  GiftOpenRoutes,
  GiftIssueRoutes,
  ImportRoutes,
  LeavingRoutes,
  LibraryRoutes,
  MailRoutes,
  ListRoutes,
  ModerationRoutes,
  NotificationRoutes,
  PageRoutes,
  PayoutRoutes,
  PreviewRoutes,
  PrivateFeedRoutes,
  ProfileRoutes,
  PublishRoutes,
  ReactionRoutes,
  BringRoutes,
  ReaderRoutes,
  ReceivedCommentRoutes,
  ReportFormRoutes,
  RespondRoutes,
  SalesRoutes,
  SignInRoutes,
  SitePageRoutes,
  TipRoutes,
  WebhookRoutes,
  WebsiteKeyRoutes,
  WriteRoutes
)

import { HttpApi, OpenApi } from "effect/http-api"
import { AccountEmailApi } from "./accounts/account-email/http.ts"
import { ApiKeysApi } from "./accounts/api-keys/http.ts"
import { AccountDeletionApi } from "./accounts/deletion/http.ts"
import { MeApi } from "./accounts/me/http.ts"
import { PayoutAddressApi } from "./accounts/payout-address/http.ts"
import { ProfileApi } from "./accounts/profile/http.ts"
import { RegistrationsApi } from "./accounts/registrations/http.ts"
import { SessionsApi } from "./accounts/sessions/http.ts"
import { AccountWalletApi } from "./accounts/sessions/walletLinkApi.ts"
import { AccountExportApi } from "./engagement/account-export/http.ts"
import { ActivityApi } from "./engagement/activity/http.ts"
import { CommentsApi, PublicCommentsApi } from "./engagement/comments/http.ts"
import { EventsApi } from "./engagement/events/http.ts"
import { FollowsApi } from "./engagement/follows/http.ts"
import { FollowListsApi } from "./engagement/follows/listsApi.ts"
import { LeaderboardsApi } from "./engagement/leaderboards/http.ts"
import { NotificationsApi } from "./engagement/notifications/http.ts"
import { PublicReactionsApi, ReactionsApi } from "./engagement/reactions/http.ts"
import { ReadStatsApi } from "./engagement/reads/http.ts"
import { ReportsApi } from "./engagement/reports/http.ts"
import { SubscribersApi, SubscriptionsApi } from "./engagement/subscribers/http.ts"
import { SubscriberImportsApi } from "./engagement/subscribers/importsApi.ts"
import { MailingsApi } from "./engagement/subscribers/mailingsApi.ts"
import { WebhooksApi } from "./engagement/webhooks/http.ts"
import { ToolServerApi } from "./mcp/http.ts"
import { AccessApi, PostFilesApi } from "./payments/access/http.ts"
import { FinanceApi } from "./payments/finance/http.ts"
import { GiftsApi } from "./payments/gifts/http.ts"
import { PurchaseByReceiptApi, PurchasesApi } from "./payments/purchases/http.ts"
import { PaymentSessionsApi } from "./payments/sessions/http.ts"
import { TippingApi, TipsApi } from "./payments/tips/http.ts"
import { describeForTools } from "./platform/openapi.ts"
import { OptionalOwner, PublicRead } from "./platform/security/middleware.ts"
import { AttachmentsApi } from "./publishing/attachments/http.ts"
import { DiscoveryApi } from "./publishing/discovery/http.ts"
import { ImportsApi } from "./publishing/imports/http.ts"
import { PostsApi } from "./publishing/posts/http.ts"
import { SchedulesApi } from "./publishing/schedules/http.ts"
import { UploadsApi } from "./publishing/uploads/http.ts"
import { DiscoveryDocumentsApi } from "./web/discovery-documents/http.ts"

/** The whole HTTP contract: the server implements it and clients derive from it. */
export class Api extends HttpApi.make("pennypress")
  .add(SessionsApi)
  .add(RegistrationsApi)
  .add(ApiKeysApi)
  .add(AccountEmailApi)
  .add(AccountWalletApi)
  .add(AccountDeletionApi)
  .add(MeApi)
  .add(PayoutAddressApi)
  .add(ProfileApi)
  .add(PostsApi)
  .add(SchedulesApi)
  .add(UploadsApi)
  .add(AttachmentsApi)
  .add(ImportsApi)
  .add(DiscoveryApi)
  .add(ActivityApi)
  .add(NotificationsApi)
  .add(FollowsApi)
  .add(FollowListsApi)
  .add(LeaderboardsApi)
  .add(PublicReactionsApi)
  .add(ReactionsApi)
  .add(TipsApi)
  .add(CommentsApi)
  .add(PublicCommentsApi)
  .add(ReadStatsApi)
  .add(ReportsApi)
  .add(WebhooksApi)
  .add(EventsApi)
  .add(SubscriptionsApi)
  .add(SubscribersApi)
  .add(SubscriberImportsApi)
  .add(MailingsApi)
  .add(AccountExportApi)
  .add(DiscoveryDocumentsApi)
  .add(ToolServerApi)
  .add(AccessApi)
  .add(PostFilesApi)
  .add(FinanceApi)
  .add(GiftsApi)
  .add(PaymentSessionsApi)
  .add(PurchasesApi)
  .add(PurchaseByReceiptApi)
  .add(TippingApi)
  // Unknown members are refused everywhere and every offending member is named,
  // except among headers, where a request always carries some that no endpoint declares.
  .annotate(HttpApi.ParseOptions, { onExcessProperty: "error", errors: "all" })
  .annotate(HttpApi.HeadersParseOptions, { errors: "all" })
  .annotateMerge(
    OpenApi.annotations({
      title: "Pennypress",
      version: "1.0.0",
      description:
        "A publishing platform on which people and AI agents sell writing for pennies of Nano (XNO).",
      servers: [{ url: "/", description: "The origin that this document is from" }],
      license: { name: "MIT", url: "https://opensource.org/license/mit" },
      transform: (document): Record<string, unknown> =>
        describeForTools(document, Api, { publicRead: PublicRead, optionalOwner: OptionalOwner })
    })
  ) {}

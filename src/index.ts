// The library for other Effect services: the domain as services, the routes, and the ports to provide.
export { background, domain, http, routes } from "./app.ts"
export { AccountEmail } from "./accounts/account-email/AccountEmail.ts"
export { AuthorKinds } from "./accounts/owners/AuthorKinds.ts"
export { Guests, NotAGuest } from "./accounts/owners/Guests.ts"
export { Owners } from "./accounts/owners/Owners.ts"
export { AccountAdministration } from "./accounts/administration/AccountAdministration.ts"
export { AuditLog, type StaffAction } from "./accounts/administration/AuditLog.ts"
export { Administrators } from "./accounts/administration/Administrators.ts"
export { ApiKeys } from "./accounts/api-keys/ApiKeys.ts"
export { makeAdminClient } from "./client/AdminClient.ts"
export {
  type ApiClient,
  PennypressClient,
  makeClient,
  type ClientOptions
} from "./client/PennypressClient.ts"
export type { RpcClientOptions } from "./client/rpcConnection.ts"
export { makeServiceClient, onBehalfOf, type ServiceClient } from "./client/ServiceClient.ts"
export { renderHtml } from "./publishing/content/html/renderHtml.ts"
export { Discovery } from "./publishing/discovery/Discovery.ts"
export { type NamedImage, type PublicImage, PublicImages } from "./publishing/public-images/PublicImages.ts"
export { Me } from "./publishing/me/Me.ts"
export { Activities } from "./engagement/activity/Activities.ts"
export { Comments } from "./engagement/comments/Comments.ts"
export { FollowLists } from "./engagement/follows/FollowLists.ts"
export { Follows } from "./engagement/follows/Follows.ts"
export { Leaderboards } from "./engagement/leaderboards/Leaderboards.ts"
export { Moderation } from "./engagement/moderation/Moderation.ts"
export { Notifications } from "./engagement/notifications/feed/Notifications.ts"
export { Reactions } from "./engagement/reactions/Reactions.ts"
export { Reports } from "./engagement/reports/Reports.ts"
export { PayoutAddresses } from "./accounts/payout-address/PayoutAddresses.ts"
export { AccessTokens, type AccessClaims } from "./platform/ports/AccessTokens.ts"
export {
  ImageDecoder,
  type ImageInspection,
  type Representation,
  type ScaledImage
} from "./platform/ports/ImageDecoder.ts"
export { KnownMaterial, type KnownMaterialVerdict, type Material } from "./platform/ports/KnownMaterial.ts"
export { Mailer } from "./platform/ports/Mailer.ts"
export { ObjectStorage } from "./platform/ports/ObjectStorage.ts"
export { Pepper } from "./platform/ports/Pepper.ts"
export { QuoteMac } from "./platform/ports/QuoteMac.ts"
export { Readiness } from "./platform/ports/Readiness.ts"
export { Scanner, type ScannerDefinitions, type ScanVerdict } from "./platform/ports/Scanner.ts"
export { Sealer } from "./platform/ports/Sealer.ts"
export { Offload, TaskTooExpensive } from "./platform/ports/Offload.ts"
export { tasksOf, type Task, type TaskPool } from "./platform/ports/tasks.ts"
export { ImageReferences, type RejectedImage } from "./publishing/posts/ImageReferences.ts"
export { OgImages, type OgImage } from "./publishing/posts/OgImages.ts"
export { NativeContents, type NativeContent, type NativePatch } from "./publishing/posts/NativeContents.ts"
export { authoring, authoringWorkers } from "./publishing/layer.ts"
export { Notices, withoutNotices } from "./publishing/posts/Notices.ts"
export { withoutMailBodies } from "./platform/mail/MailBodies.ts"
export { withoutComments } from "./publishing/posts/postAuthorKinds.ts"
export { PostFinance, withoutPayments } from "./publishing/posts/PostFinance.ts"
export { Posts } from "./publishing/posts/Posts.ts"
export { Publishing } from "./publishing/posts/Publishing.ts"
export { Schedules, type ScheduleRefusal } from "./publishing/posts/schedules/Schedules.ts"
export { type Published } from "./publishing/posts/oncePerKey.ts"
export { Profiles } from "./accounts/profile/Profiles.ts"
export { Settings, withSettings } from "./platform/ports/Settings.ts"
export { RateLimits } from "./platform/rate-limits/RateLimits.ts"
export { Registrations } from "./accounts/registrations/Registrations.ts"
export { EmailLogin } from "./accounts/sessions/EmailLogin.ts"
export { Sessions } from "./accounts/sessions/Sessions.ts"
export { WalletLinks } from "./accounts/sessions/WalletLinks.ts"
export { WalletLogin } from "./accounts/sessions/WalletLogin.ts"
export { Screening } from "./publishing/screening/Screening.ts"
export type { OpenFile } from "./publishing/uploads/admission/receive.ts"
export type { UploadRequest } from "./publishing/uploads/admission/uncertain.ts"
export { BodyBrokenOff, type FormRefusal, type SentFile } from "./publishing/uploads/admission/uploadForm.ts"
export type { UploadTarget } from "./publishing/uploads/operation/target.ts"
export { UploadAdministration } from "./publishing/uploads/UploadAdministration.ts"
export { type AdmissionRefusal, Uploads } from "./publishing/uploads/Uploads.ts"
export {
  NativeDocument,
  type NativeMark,
  type NativeNode
} from "../schemas/publishing/posts/NativeDocument.ts"
export {
  ApiKeyId,
  CategoryId,
  OwnerId,
  PostId,
  UploadOperationId,
  UploadTargetId
} from "../schemas/platform/Ids.ts"
export type { GuestAuthority, PublisherAuthority } from "../schemas/platform/security/authorities.ts"
export { type Profile, ProfilePatch } from "../schemas/accounts/profile/Profile.ts"
export type { Post, PostPage, PublishResult, UnpublishResult } from "../schemas/publishing/posts/Post.ts"
export { PostDraft, PostPatch } from "../schemas/publishing/posts/PostDraft.ts"
export { SummaryQuery } from "../schemas/publishing/discovery/query.ts"
export type { OperationsQuery } from "../schemas/publishing/uploads/OperationsQuery.ts"
export type { UploadReceipt } from "../schemas/publishing/uploads/Upload.ts"
export type { Created } from "./publishing/posts/createPost.ts"
export type { EditRefusal } from "./publishing/posts/editPost.ts"
export { NanoAddress } from "../schemas/platform/Nano.ts"
export { PublicBaseUrl } from "../schemas/platform/errors/PublicBaseUrl.ts"
export { VERSION } from "./version.ts"

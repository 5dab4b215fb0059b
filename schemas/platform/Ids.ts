import { Schema, SchemaTransformation } from "effect"

/** Matches a UUID of any version and variant. */
export const UUID = /^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$/u

/** Checks that a text is a UUID of any version and variant. */
export const isUuid = (expected = "a UUID such as 0190f3c2-7b1e-7c4a-9d52-3f6a8b0c1d2e") =>
  Schema.isPattern(UUID, { expected, toJsonSchema: () => ({ format: "uuid", pattern: UUID.source }) })

/** A UUID of any version, in any case, as lower-case text. */
const uuid = Schema.String.check(isUuid()).pipe(
  Schema.decodeTo(Schema.String.check(isUuid()), SchemaTransformation.toLowerCase())
)

/** The id of an account. */
export const OwnerId = uuid.pipe(Schema.brand("OwnerId"))
export type OwnerId = typeof OwnerId.Type

/** The id of a session of an owner. */
export const SessionId = uuid.pipe(Schema.brand("SessionId"))
export type SessionId = typeof SessionId.Type

/** The id of a challenge for a wallet. */
export const ChallengeId = uuid.pipe(Schema.brand("ChallengeId"))
export type ChallengeId = typeof ChallengeId.Type

/** The id of a registration by e-mail. */
export const RegistrationId = uuid.pipe(Schema.brand("RegistrationId"))
export type RegistrationId = typeof RegistrationId.Type

/** The id of a change of an account's e-mail address. */
export const EmailChangeId = uuid.pipe(Schema.brand("EmailChangeId"))
export type EmailChangeId = typeof EmailChangeId.Type

/** The id of a Publishing key's record; `KeyId` is the one that its owner uses. */
export const ApiKeyId = uuid.pipe(Schema.brand("ApiKeyId"))
export type ApiKeyId = typeof ApiKeyId.Type

/** The id of a Post. */
export const PostId = uuid.pipe(Schema.brand("PostId"))
export type PostId = typeof PostId.Type

/** The id of an upload operation, and the name of its public copy (spec 2.8). */
export const UploadOperationId = uuid.pipe(Schema.brand("UploadOperationId"))
export type UploadOperationId = typeof UploadOperationId.Type

/** The id of the Post or of the Profile's owner that an image belongs to. */
export const UploadTargetId = uuid.pipe(Schema.brand("UploadTargetId"))
export type UploadTargetId = typeof UploadTargetId.Type

/** The public part of a Publishing key, between the prefix and the secret: 16 base62 characters. */
export const KeyId = Schema.String.check(Schema.isPattern(/^[0-9A-Za-z]{16}$/u)).pipe(Schema.brand("KeyId"))
export type KeyId = typeof KeyId.Type

/** The bounds of the ids of categories. */
export const CATEGORY_ID_RANGE = { minimum: 1, maximum: 2_147_483_647 } as const

/** The id of a category. */
export const CategoryId = Schema.Int.check(Schema.isBetween(CATEGORY_ID_RANGE)).pipe(
  Schema.brand("CategoryId")
)
export type CategoryId = typeof CategoryId.Type

/** The id of an import: one file that an author sends to get drafts of its posts. */
export const ImportId = uuid.pipe(Schema.brand("ImportId"))
export type ImportId = typeof ImportId.Type

/** The id of an item of an import. */
export const ImportItemId = uuid.pipe(Schema.brand("ImportItemId"))
export type ImportItemId = typeof ImportItemId.Type

/** The id of a tip. */
export const TipId = uuid.pipe(Schema.brand("TipId"))
export type TipId = typeof TipId.Type

/** The id of a Comment. */
export const CommentId = uuid.pipe(Schema.brand("CommentId"))
export type CommentId = typeof CommentId.Type

/** The id of a report of a Post or of a Comment. */
export const ReportId = uuid.pipe(Schema.brand("ReportId"))
export type ReportId = typeof ReportId.Type

/** The id of a follow: one owner follows another (spec 2.9.3). */
export const FollowId = uuid.pipe(Schema.brand("FollowId"))
export type FollowId = typeof FollowId.Type

/** The id of a private feed. Another address is another feed. */
export const FollowingFeedId = uuid.pipe(Schema.brand("FollowingFeedId"))
export type FollowingFeedId = typeof FollowingFeedId.Type

/** The id of a notification. */
export const NotificationId = uuid.pipe(Schema.brand("NotificationId"))
export type NotificationId = typeof NotificationId.Type

/** The id of a purchase. */
export const PurchaseId = uuid.pipe(Schema.brand("PurchaseId"))
export type PurchaseId = typeof PurchaseId.Type

/** The id of a settlement: one block of the ledger that pays one thing. */
export const SettlementId = uuid.pipe(Schema.brand("SettlementId"))
export type SettlementId = typeof SettlementId.Type

/** The id of a payment session. */
export const PaymentSessionId = uuid.pipe(Schema.brand("PaymentSessionId"))
export type PaymentSessionId = typeof PaymentSessionId.Type

/** The id of an obligation of the platform to an author. */
export const ObligationId = uuid.pipe(Schema.brand("ObligationId"))
export type ObligationId = typeof ObligationId.Type

/** The id of a gift. */
export const GiftId = uuid.pipe(Schema.brand("GiftId"))
export type GiftId = typeof GiftId.Type

/** The id of a redemption of a gift. */
export const GiftRedemptionId = uuid.pipe(Schema.brand("GiftRedemptionId"))
export type GiftRedemptionId = typeof GiftRedemptionId.Type

/** The id of a reader who gets the Posts of an author by mail. */
export const SubscriberId = uuid.pipe(Schema.brand("SubscriberId"))
export type SubscriberId = typeof SubscriberId.Type

/** The id of a list of readers that an author brought from elsewhere. */
export const SubscriberImportId = uuid.pipe(Schema.brand("SubscriberImportId"))
export type SubscriberImportId = typeof SubscriberImportId.Type

/** The id of a webhook: a server that an owner wants to be told of events. */
export const WebhookId = uuid.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type

/** The id of a secret with which deliveries are signed. */
export const WebhookSecretId = uuid.pipe(Schema.brand("WebhookSecretId"))
export type WebhookSecretId = typeof WebhookSecretId.Type

/** The id of the delivery of an event to a webhook. */
export const WebhookDeliveryId = uuid.pipe(Schema.brand("WebhookDeliveryId"))
export type WebhookDeliveryId = typeof WebhookDeliveryId.Type

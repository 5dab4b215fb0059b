import { Schema } from "effect"
import { ApiKey } from "../../accounts/api-keys/ApiKey.ts"
import { PayoutAddress } from "../../accounts/payout-address/PayoutAddress.ts"
import { Profile } from "../../accounts/profile/Profile.ts"
import { Obligation } from "../../payments/finance/Finance.ts"
import { ReceivedTip, Sale } from "../../payments/finance/Sale.ts"
import { Gift } from "../../payments/gifts/Gift.ts"
import { Purchase } from "../../payments/purchases/Purchase.ts"
import { CommentId, ImportId, OwnerId, PostId, ReportId, SessionId, TipId } from "../../platform/Ids.ts"
import { NanoAddress, RawDigits } from "../../platform/Nano.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { ImportCounts, ImportKind, ImportState } from "../../publishing/imports/Import.ts"
import { PostStatus } from "../../publishing/posts/Post.ts"
import { ScheduleFailure } from "../../publishing/posts/Schedule.ts"
import { DeletedByRole } from "../comments/Comment.ts"
import { Event } from "../events/Event.ts"
import { OwnFollow } from "../follows/OwnFollows.ts"
import { NotificationPreferences } from "../notifications/Preferences.ts"
import { Reaction } from "../reactions/Reaction.ts"
import { Subscriber } from "../subscribers/Subscriber.ts"

/** The path of a file within the archive. */
const Path = Schema.String.annotate({ description: "The path of a file in this archive" })

const Sha256 = Schema.String.annotate({ description: "SHA-256 of the file, in hex" })

/** The account, as its owner signs in with it and is paid. */
const Account = Schema.Struct({
  profile: Profile,
  createdAt: Timestamp,
  walletAddress: Schema.NullOr(NanoAddress),
  email: Schema.NullOr(Schema.String),
  payout: Schema.Struct({
    ...PayoutAddress.fields,
    past: Schema.Array(Schema.Struct({ address: Schema.String, until: Schema.NullOr(Timestamp) }))
  })
})

/** A Post with the path of its file. `url` is null for a draft. */
export const PostEntry = Schema.Struct({
  id: PostId,
  path: Path,
  revision: Timestamp,
  status: PostStatus,
  url: Schema.NullOr(Schema.String),
  counts: Schema.Struct({
    comments: Schema.Int,
    reactions: Schema.Int,
    purchases: Schema.Int,
    tips: Schema.Int
  })
})
export type PostEntry = typeof PostEntry.Type

/** A picture. Two pictures with the same bytes have one file. */
export const PictureEntry = Schema.Struct({
  url: Schema.String.annotate({ description: "The address of the picture on the site" }),
  path: Path,
  usedFor: Schema.Literals(["inline", "og", "avatar", "header"])
})
export type PictureEntry = typeof PictureEntry.Type

/** A ZIP for the buyers of a Post. `fileName` is its name on the site. */
export const AttachmentEntry = Schema.Struct({
  postId: PostId,
  fileName: Schema.String,
  path: Path,
  byteSize: Schema.Int,
  sha256: Sha256
})
export type AttachmentEntry = typeof AttachmentEntry.Type

/** A Comment that the account wrote. Its content is null once it is deleted. */
export const WrittenComment = Schema.Struct({
  id: CommentId,
  postId: PostId,
  parentCommentId: Schema.NullOr(CommentId),
  content: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  deletedAt: Schema.NullOr(Timestamp),
  deletedByRole: Schema.NullOr(DeletedByRole),
  hidden: Schema.Boolean.annotate({ description: "True while moderation keeps it from readers" })
})
export type WrittenComment = typeof WrittenComment.Type

/** A Comment of another account on a Post of this one. */
const ReceivedComment = Schema.Struct({
  postId: PostId,
  content: Schema.NullOr(Schema.String),
  createdAt: Timestamp,
  author: Schema.Struct({ name: Schema.String, handle: Schema.String })
})

/** A reaction to a Post, or to a Comment. */
export const GivenReaction = Schema.Struct({
  postId: Schema.NullOr(PostId),
  commentId: Schema.NullOr(CommentId),
  reaction: Reaction,
  createdAt: Timestamp
})
export type GivenReaction = typeof GivenReaction.Type

/** An account that follows this one. */
export const Follower = Schema.Struct({
  id: OwnerId,
  name: Schema.String,
  handle: Schema.String,
  followedAt: Timestamp
})
export type Follower = typeof Follower.Type

/** A tip to a Post, to a Comment on a Post, or to the Profile of an author. */
export const GivenTip = Schema.Struct({
  id: TipId,
  amountRaw: RawDigits,
  postId: Schema.NullOr(PostId),
  commentId: Schema.NullOr(CommentId),
  recipient: Schema.Struct({ name: Schema.String, handle: Schema.String }),
  transaction: Schema.String.annotate({ description: "The hash of the block that paid" }),
  createdAt: Timestamp
})
export type GivenTip = typeof GivenTip.Type

/** A report of a Post or a Comment. */
export const MadeReport = Schema.Struct({
  id: ReportId,
  target: Schema.Literals(["post", "comment", "account"]),
  targetId: Schema.String,
  reason: Schema.String,
  createdAt: Timestamp
})
export type MadeReport = typeof MadeReport.Type

/** A decision of moderators about the account or one of its Posts. */
export const ModerationDecision = Schema.Struct({
  action: Schema.String,
  subjectId: Schema.String.annotate({ description: "The account or the Post" }),
  reason: Schema.NullOr(Schema.String).annotate({
    description: "The sentence that was written for its owner"
  }),
  createdAt: Timestamp
})
export type ModerationDecision = typeof ModerationDecision.Type

const ExportedWebhook = Schema.Struct({ url: Schema.String, events: Schema.Array(Schema.String) })

/** A file of posts that the account brought, and the end of its import. */
export const ExportedImport = Schema.Struct({
  id: ImportId,
  state: ImportState,
  kind: Schema.NullOr(ImportKind),
  fileName: Schema.String,
  byteSize: Schema.Int,
  sha256: Schema.NullOr(Sha256),
  counts: ImportCounts,
  createdAt: Timestamp,
  readAt: Schema.NullOr(Timestamp),
  finishedAt: Schema.NullOr(Timestamp)
})
export type ExportedImport = typeof ExportedImport.Type

/** The moment at which a draft becomes public, or was to become so. */
export const ExportedSchedule = Schema.Struct({
  postId: PostId,
  publishAt: Timestamp,
  onlyRevision: Schema.Boolean,
  scheduledAt: Timestamp,
  failure: Schema.NullOr(ScheduleFailure)
})
export type ExportedSchedule = typeof ExportedSchedule.Type

/** A session that has not ended. */
export const LiveSession = Schema.Struct({
  id: SessionId,
  method: Schema.Literals(["nano", "email"]),
  browser: Schema.NullOr(Schema.String).annotate({ description: "The browser; null for a program" }),
  createdAt: Timestamp,
  expiresAt: Timestamp
})
export type LiveSession = typeof LiveSession.Type

/**
 * Something that the archive does not have, or has in another form.
 *
 * - `picture_missing`, `attachment_missing`: the file disappeared while the archive was made.
 * - `picture_elsewhere`: a text has a picture that is not in the archive, so its address stays.
 * - `attachment_unchecked`: the file is still being checked.
 * - `native_section`: Markdown cannot say all of a section; `native/` has it as it was written.
 * - `open_section`: everyone may read the second section of the Post, which is in `paid/` nevertheless.
 * - `file_renamed`: another file has the name that this one would have.
 */
export const ExportNote = Schema.Struct({
  code: Schema.Literals([
    "picture_missing",
    "picture_elsewhere",
    "attachment_missing",
    "attachment_unchecked",
    "native_section",
    "open_section",
    "file_renamed"
  ]),
  postId: Schema.NullOr(PostId),
  about: Schema.String.annotate({ description: "The path or the address of the file" })
})
export type ExportNote = typeof ExportNote.Type

/** The version of `account.json`. A reader refuses a higher one. */
export const EXPORT_VERSION = 1

/** The file `account.json` of an export: everything about an account that is not a file of its own. */
export const AccountExport = Schema.Struct({
  format: Schema.Literal("pennypress-account"),
  version: Schema.Literal(EXPORT_VERSION),
  service: Schema.String.annotate({ description: "The origin of the site" }),
  exportedAt: Timestamp,
  account: Account,
  posts: Schema.Array(PostEntry),
  media: Schema.Array(PictureEntry),
  attachments: Schema.Array(AttachmentEntry),
  comments: Schema.Struct({
    written: Schema.Array(WrittenComment),
    received: Schema.Array(ReceivedComment)
  }),
  reactions: Schema.Struct({ given: Schema.Array(GivenReaction) }),
  follows: Schema.Struct({ following: Schema.Array(OwnFollow), followers: Schema.Array(Follower) }),
  notifications: Schema.Struct({ preferences: NotificationPreferences, mutes: Schema.Array(PostId) }),
  /** The events of the last 30 days that programs could list. */
  events: Schema.Array(Event),
  keys: Schema.Array(ApiKey),
  sessions: Schema.Array(LiveSession),
  gifts: Schema.Array(Gift),
  purchases: Schema.Array(Purchase),
  tips: Schema.Struct({ given: Schema.Array(GivenTip), received: Schema.Array(ReceivedTip) }),
  sales: Schema.Array(Sale),
  obligations: Schema.Array(Obligation),
  reports: Schema.Struct({ made: Schema.Array(MadeReport) }),
  moderation: Schema.Array(ModerationDecision),
  scheduled: Schema.Array(ExportedSchedule),
  subscribers: Schema.Array(Subscriber),
  webhooks: Schema.Array(ExportedWebhook),
  imports: Schema.Array(ExportedImport),
  notes: Schema.Array(ExportNote)
}).annotate({
  identifier: "AccountExport",
  description: "Everything about an account of Pennypress that is not a file of its own in the archive"
})
export type AccountExport = typeof AccountExport.Type

const document = Schema.toJsonSchemaDocument(AccountExport)

/** The JSON Schema of {@link AccountExport}, of the draft 2020-12. */
export const accountExportJsonSchema = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  ...document.schema,
  $defs: document.definitions
}

import { Schema } from "effect"
import { EmailAddress } from "../../platform/EmailAddress.ts"
import { KeyId, OwnerId } from "../../platform/Ids.ts"
import { NanoAddress } from "../../platform/Nano.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { AuthorKind } from "../profile/Profile.ts"

/** An obstacle to publishing any Post. */
export const PublicationBlocker = Schema.Struct({
  code: Schema.Literals([
    "profile_name_required",
    "profile_handle_required",
    "payout_address_required",
    "account_restricted"
  ])
}).annotate({ identifier: "PublicationBlocker" })
export type PublicationBlocker = typeof PublicationBlocker.Type

/** Use of a limit. */
const Usage = Schema.Struct({ used: Schema.Int, max: Schema.Int })

const common = {
  owner: Schema.Struct({
    id: OwnerId,
    name: Schema.String,
    handle: Schema.String,
    authorKind: AuthorKind,
    profileUrl: Schema.String,
    createdAt: Timestamp
  }),
  authority: Schema.Struct({ account: Schema.Boolean, publish: Schema.Boolean, read: Schema.Boolean }),
  limits: Schema.Struct({
    activeKeys: Usage,
    openUploads: Usage,
    transfersToday: Usage,
    /** Bytes of the texts of Posts and of uploads. */
    storedBytes: Usage
  }),
  publication: Schema.Struct({ ready: Schema.Boolean, blockers: Schema.Array(PublicationBlocker) })
}

/** The owner's whole view of themselves (spec 2.6). */
export const OwnerMe = Schema.Struct({
  ...common,
  credential: Schema.Struct({
    kind: Schema.Literal("owner_session"),
    method: Schema.Literals(["nano", "email"]),
    scopes: Schema.Array(Schema.String),
    keyId: Schema.Null,
    label: Schema.Null,
    /** The final end of the session; refreshes do not move it. */
    expiresAt: Timestamp
  }),
  identity: Schema.Struct({
    durable: Schema.Boolean,
    walletLinked: Schema.Boolean,
    walletAddress: Schema.NullOr(NanoAddress),
    email: Schema.NullOr(EmailAddress),
    emailVerified: Schema.Boolean
  }),
  payout: Schema.Struct({
    configured: Schema.Boolean,
    payoutAddress: Schema.NullOr(NanoAddress),
    revision: Schema.Int
  })
}).annotate({ identifier: "OwnerMe" })
export type OwnerMe = typeof OwnerMe.Type

/** The view of a Publishing key: no e-mail, no wallet, no full receiving address (spec 2.6). */
export const PublisherMe = Schema.Struct({
  ...common,
  credential: Schema.Struct({
    kind: Schema.Literal("publishing_key"),
    method: Schema.Null,
    scopes: Schema.Array(Schema.Literal("posts:publish")),
    keyId: KeyId,
    label: Schema.NullOr(Schema.String),
    /** The expiry of the key; null for a key without one. */
    expiresAt: Schema.NullOr(Timestamp)
  }),
  identity: Schema.Struct({
    durable: Schema.Boolean,
    walletLinked: Schema.Boolean,
    emailVerified: Schema.Boolean
  }),
  /** `addressHint` shows the first and last characters, `nano_3nom…b8mn`. */
  payout: Schema.Struct({ configured: Schema.Boolean, addressHint: Schema.NullOr(Schema.String) })
}).annotate({ identifier: "PublisherMe" })
export type PublisherMe = typeof PublisherMe.Type

/** `credential.kind` tells the two apart. */
export const Me = Schema.Union([OwnerMe, PublisherMe]).annotate({ identifier: "Me" })
export type Me = typeof Me.Type

import { Context, Schema } from "effect"
import { ApiKeyId, KeyId, OwnerId, SessionId } from "../Ids.ts"

const OwnerFields = Schema.Struct({
  ownerId: OwnerId,
  sessionId: SessionId,
  method: Schema.Literals(["nano", "email"]),
  /** True while a moderator restricts the account. The check of the credential refuses what it may not do then. */
  isRestricted: Schema.Boolean
})
/**
 * The authority of an owner session. Only `Sessions` makes one, from a checked access
 * token, so that an operation which asks for it cannot run unchecked.
 */
export const OwnerAuthority = OwnerFields.pipe(Schema.brand("OwnerAuthority"))
export type OwnerAuthority = typeof OwnerAuthority.Type

/**
 * The authority of a browser that is signed in. Only `BrowserSessions` makes one, from a checked cookie, so that the key
 * of the website never publishes for a session of the API.
 */
export const BrowserAuthority = Schema.Struct({
  ...OwnerFields.fields,
  /** True for a moderator. Pages show the way to the room of moderators, which checks the right itself. */
  isModerator: Schema.Boolean
}).pipe(Schema.brand("OwnerAuthority"), Schema.brand("BrowserAuthority"))
export type BrowserAuthority = typeof BrowserAuthority.Type

/**
 * The authority of a Publishing key, scope `posts:publish` (spec 5). Only
 * `ApiKeys` makes one, from a checked key, and `WebsiteKeys`, from the key of the website and a checked browser.
 */
export const PublisherAuthority = Schema.Struct({
  ownerId: OwnerId,
  apiKeyId: ApiKeyId,
  keyId: KeyId,
  /** As in {@link OwnerAuthority}. */
  isRestricted: Schema.Boolean
}).pipe(Schema.brand("PublisherAuthority"))
export type PublisherAuthority = typeof PublisherAuthority.Type

/**
 * The authority of another service over a guest that it made. Only `Guests` makes one, for an account that is a guest's,
 * so that a library cannot act for owners who sign in themselves.
 */
export const GuestAuthority = Schema.Struct({ ownerId: OwnerId }).pipe(Schema.brand("GuestAuthority"))
export type GuestAuthority = typeof GuestAuthority.Type

/** The owner behind the access token of the request being served. */
export class CurrentOwner extends Context.Service<CurrentOwner, OwnerAuthority>()(
  "pennypress/schemas/platform/security/authorities/CurrentOwner"
) {}

/** The Publishing key of the request being served. */
export class CurrentPublisher extends Context.Service<CurrentPublisher, PublisherAuthority>()(
  "pennypress/schemas/platform/security/authorities/CurrentPublisher"
) {}

/** Either of the two, for operations that answer both (spec 5, rule 2). */
export class CurrentCredential extends Context.Service<
  CurrentCredential,
  | { readonly kind: "owner_session"; readonly owner: OwnerAuthority }
  | { readonly kind: "publishing_key"; readonly publisher: PublisherAuthority }
>()("pennypress/schemas/platform/security/authorities/CurrentCredential") {}

/** The reader of a public resource: an owner who sent a Bearer token, or an anonymous caller. */
export class Viewer extends Context.Service<Viewer, { readonly ownerId: OwnerId | null }>()(
  "pennypress/schemas/platform/security/authorities/Viewer"
) {}

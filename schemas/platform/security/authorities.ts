import { Context, Schema } from "effect"
import { ApiKeyId, KeyId, OwnerId, SessionId } from "../Ids.ts"

/**
 * What an owner session allows. Only `Sessions` makes one, from a checked access
 * token, so that an operation which asks for it cannot run unchecked.
 */
export const OwnerAuthority = Schema.Struct({
  ownerId: OwnerId,
  sessionId: SessionId,
  method: Schema.Literals(["nano", "email"])
}).pipe(Schema.brand("OwnerAuthority"))
export type OwnerAuthority = typeof OwnerAuthority.Type

/**
 * What a Publishing key allows, scope `posts:publish` (specification 5). Only
 * `ApiKeys` makes one, from a checked key.
 */
export const PublisherAuthority = Schema.Struct({
  ownerId: OwnerId,
  apiKeyId: ApiKeyId,
  keyId: KeyId
}).pipe(Schema.brand("PublisherAuthority"))
export type PublisherAuthority = typeof PublisherAuthority.Type

/**
 * What another service may do for a guest that it made. Only `Guests` makes one, for an account that is a guest's,
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

/** Either of the two, for operations that answer both (specification 5, rule 2). */
export class CurrentCredential extends Context.Service<
  CurrentCredential,
  | { readonly kind: "owner_session"; readonly owner: OwnerAuthority }
  | { readonly kind: "publishing_key"; readonly publisher: PublisherAuthority }
>()("pennypress/schemas/platform/security/authorities/CurrentCredential") {}

/** Who reads a public resource: an owner who sent a Bearer token, or anybody. */
export class Viewer extends Context.Service<Viewer, { readonly ownerId: OwnerId | null }>()(
  "pennypress/schemas/platform/security/authorities/Viewer"
) {}

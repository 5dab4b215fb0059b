import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { ApiKeyId, KeyId, OwnerId, PostId, SessionId } from "../../../schemas/platform/Ids.ts"
import { OwnerAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"

const uuid = (kind: string, number: number) =>
  `00000000-0000-4000-8${kind}00-${String(number).padStart(12, "0")}`

/** Returns the id of the `number`th owner of a test file. */
export const ownerId = (number: number) => OwnerId.make(uuid("0", number))
/** Returns the id of the `number`th Post of a test file. */
export const postId = (number: number) => PostId.make(uuid("1", number))

/** Returns the authority of a valid session of this owner. */
export const sessionOf = (id: OwnerId) =>
  OwnerAuthority.make({
    ownerId: id,
    sessionId: SessionId.make(id.replace("-8000-", "-8200-")),
    method: "nano",
    isRestricted: false
  })

/** Returns the authority of a valid Publishing key of this owner. */
export const keyOf = (id: OwnerId) =>
  PublisherAuthority.make({
    ownerId: id,
    apiKeyId: ApiKeyId.make(id.replace("-8000-", "-8300-")),
    keyId: KeyId.make(`key0${id.slice(-12)}`),
    isRestricted: false
  })

/** Inserts a new account as a first sign-in does; `columns` replace its defaults. */
export const insertOwner = Effect.fn(function* (number: number, columns: Record<string, unknown> = {}) {
  const sql = yield* SqlClient.SqlClient
  const id = ownerId(number)
  yield* sql`insert into owners ${sql.insert({
    id,
    kind: "wallet",
    wallet_public_key: Uint8Array.from({ length: 32 }, (_, place) => (place === 0 ? number : 7)),
    name: "New User",
    handle: `user_${number}`,
    created_at: new Date(0),
    ...columns
  })}`
  return id
})

/** The columns of an owner who registered by e-mail. */
export const emailColumns = (number: number) => ({
  kind: "email",
  wallet_public_key: null,
  email: `owner${number}@example.org`,
  mailbox: `owner${number}@example.org`,
  email_verified_at: new Date(0)
})

/** A free Post of an owner in either status. */
export const insertPost = Effect.fn(function* (
  number: number,
  owner: OwnerId,
  status: "draft" | "published"
) {
  const sql = yield* SqlClient.SqlClient
  const id = postId(number)
  yield* sql`insert into posts ${sql.insert({
    id,
    owner_id: owner,
    status,
    title: "A Post",
    description: "About it",
    free_content_markdown: "Text",
    enable_paywall: false,
    slug: `post-${number}`,
    slug_base: "post",
    slug_number: number,
    language: "en",
    comments_enabled: true,
    creation_attested: true,
    created_at: new Date(0),
    updated_at: new Date(0),
    published_at: status === "published" ? new Date(0) : null
  })}`
  if (status === "published") {
    yield* sql`insert into post_counts (post_id) values (${id})`
    yield* sql`
      insert into post_author_kinds (post_id, owner_id, author_kind, published_at)
      select p.id, o.id, o.author_kind, p.published_at from posts p join owners o on o.id = p.owner_id
      where p.id = ${id}`
  }
  return id
})

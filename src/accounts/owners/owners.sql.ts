import { Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { DELETED_NAME } from "../../../schemas/accounts/profile/reserved.ts"
import { EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import { OwnerId, type PostId } from "../../../schemas/platform/Ids.ts"
import { NanoPublicKey } from "../../../schemas/platform/Nano.ts"
import { counterTable } from "../../platform/counters/counterTable.sql.ts"
import { statements } from "../../platform/sql/statements.ts"
import { ownerTags } from "./ownerTags.ts"
import { addPublishedPosts, removePublishedPosts } from "./publishedPosts.sql.ts"

/** A new account without a wallet. */
interface NewAccount {
  readonly id: OwnerId
  readonly kind: "email" | "guest"
  readonly name: string
  readonly handle: string
  /** Null for a guest. */
  readonly email: EmailAddress | null
  readonly at: Date
}

/** The images of a Profile. */
export type ProfileImage = "avatar" | "header"

/** Names an account: by its handle in any case, or by its id, which stays when the handle goes to another account. */
export type NamedAccount = { readonly handle: string } | { readonly id: OwnerId }

/** An account that an administrator was to change, and true when the change was needed. */
const AdministeredRow = Schema.Struct({ id: OwnerId, handle: Schema.String, is_changed: Schema.Boolean })

/** An owner with more public Posts; `is_labelled` is true when these labelled the account `agent`. */
const CountedRow = Schema.Struct({ is_labelled: Schema.Boolean })

const WalletRow = Schema.Struct({ wallet: Schema.NullOr(NanoPublicKey) })

const OwnerRow = Schema.Struct({ id: OwnerId })

/** An account with the ways in which its owner signs in. */
const HeldRow = Schema.Struct({
  id: OwnerId,
  kind: Schema.Literals(["wallet", "email", "guest"]),
  handle: Schema.String,
  email: Schema.NullOr(EmailAddress),
  wallet: Schema.NullOr(NanoPublicKey),
  is_restricted: Schema.Boolean
})
export type HeldRow = typeof HeldRow.Type

const HandleRow = Schema.Struct({ handle: Schema.String })

/** Returns the condition that a row of `owners` is this account. */
export const isAccount = (sql: SqlClient.SqlClient, account: NamedAccount) =>
  "id" in account ? sql`id = ${account.id}` : sql`lower(handle) = lower(${account.handle})`

/** Returns the condition that an owner is restricted. Readers of others' work use the view `public_owners`. */
export const isRestricted = (owner: string) => `${owner}.restricted_at is not null`

/** Statements over `owners`. This folder writes it alone, except for the claim of a new wallet. */
export const ownerStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { changed, many, maybe, one, run } = statements(sql, "owners")

  const identity = sql`
    select id, kind, handle, email, encode(wallet_public_key, 'hex') as wallet,
      ${sql.literal(isRestricted("owners"))} as is_restricted
    from owners`

  return {
    /**
     * Returns false, and inserts nothing, when another account has the address or the handle. The handle is then a
     * chosen one: two generated handles do not collide.
     */
    insert: ({ at, email, handle, id, kind, name }: NewAccount) => changed("insert")`
      insert into owners (id, kind, name, handle, email, mailbox, email_verified_at, created_at)
      values (${id}, ${kind}, ${name}, ${handle}, ${email}, ${email === null ? null : mailboxOf(email)},
        ${email === null ? null : at}, ${at})
      on conflict do nothing`,

    findByEmail: (email: EmailAddress) =>
      Effect.map(
        maybe("findByEmail", OwnerRow)`select id from owners where mailbox = ${mailboxOf(email)}`,
        Option.map((row) => row.id)
      ),

    isGuest: (id: OwnerId) =>
      Effect.map(
        maybe("isGuest", OwnerRow)`select id from owners where id = ${id} and kind = 'guest'`,
        Option.isSome
      ),

    /** Locks the row until the surrounding transaction ends. References to it are not blocked. */
    lock: (id: OwnerId) => run("lock")`select from owners where id = ${id} for no key update`,

    /** Returns false when another account has the mailbox; the surrounding transaction may be broken then. */
    setEmail: Effect.fn("owners.setEmail")(
      (id: OwnerId, email: EmailAddress, at: Date) => sql`
        update owners set email = ${email}, mailbox = ${mailboxOf(email)}, email_verified_at = ${at}
        where id = ${id} returning id`,
      Effect.map((rows) => rows.length === 1),
      // The mailbox is the only unique column here.
      Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed(false)),
      Effect.orDie
    ),

    /** Returns the public key of the account's wallet in hex; null without one. */
    walletOf: (id: OwnerId) =>
      Effect.map(
        one("walletOf", WalletRow)`
          select encode(wallet_public_key, 'hex') as wallet from owners where id = ${id}`,
        (row) => row.wallet
      ),

    /** Returns false when another account has the wallet; the surrounding transaction is broken then. */
    linkWallet: Effect.fn("owners.linkWallet")(
      (id: OwnerId, publicKey: Uint8Array) => sql`
        update owners set wallet_public_key = ${publicKey}
        where id = ${id} and wallet_public_key is null returning id`,
      Effect.map((rows) => rows.length === 1),
      // The wallet is the only unique column here.
      Effect.catchReason("SqlError", "UniqueViolation", () => Effect.succeed(false)),
      Effect.orDie
    ),

    /** Returns false when the account has the label already. */
    declareAgent: (id: OwnerId) => changed("declareAgent")`
      update owners set author_kind = 'agent' where id = ${id} and author_kind <> 'agent'`,

    /** Removes the label of an account; returns none without such an account. */
    removeAgentLabel: (account: NamedAccount) => maybe("removeAgentLabel", AdministeredRow)`
      with account as (
        select id, handle from owners where ${isAccount(sql, account)} for no key update
      ), changed as (
        update owners set author_kind = 'human' from account
        where owners.id = account.id and owners.author_kind = 'agent'
        returning owners.id
      )
      select id, handle, exists (select from changed) as is_changed from account`,

    /** Restricts an account from a moment on; null ends it. Returns none without such an account. */
    setRestricted: (account: NamedAccount, at: Date | null) => maybe("setRestricted", AdministeredRow)`
      with account as (
        select id, handle, restricted_at from owners where ${isAccount(sql, account)} for no key update
      ), changed as (
        update owners set restricted_at = ${at}::timestamptz from account
        where owners.id = account.id and (account.restricted_at is null) <> (${at}::timestamptz is null)
        returning owners.id
      )
      select id, handle, exists (select from changed) as is_changed from account`,

    /** Holds an account until the surrounding transaction ends. Returns none without one, and for one that was deleted. */
    hold: (account: NamedAccount) => maybe("hold", HeldRow)`
      ${identity} where ${isAccount(sql, account)} and deleted_at is null for no key update`,

    /** As `hold`, without a lock. */
    find: (id: OwnerId) => maybe("find", HeldRow)`${identity} where id = ${id} and deleted_at is null`,

    /** Erases former payout addresses of an owner. */
    erasePastAddresses: (owner: OwnerId, limit: number) => changed("erasePastAddresses")`
      delete from payout_addresses_past where ctid = any(array(
        select ctid from payout_addresses_past where owner_id = ${owner} limit ${limit}))`,

    /** Removes the former handles of an owner, and returns them. */
    takeFormerHandles: (owner: OwnerId) =>
      Effect.map(
        many("takeFormerHandles", HandleRow)`
          delete from former_handles where owner_id = ${owner} returning handle`,
        (rows) => rows.map(({ handle }) => handle)
      ),

    /** Erases all that an account tells of its owner. The row stays for what refers to it, under a handle of its own. */
    erase: (owner: OwnerId, handle: string, at: Date) => run("erase")`
      update owners set wallet_public_key = null, email = null, mailbox = null, email_verified_at = null,
        name = ${DELETED_NAME}, handle = ${handle}, bio = null, location = null, social_links = '[]', pinned_post_id = null,
        avatar_url = null, header_image_url = null, author_kind = 'human', tip_button_label = default,
        tip_amounts = default, payout_address = null, payout_revision = 0, payout_updated_at = null,
        deleted_at = ${at}
      where id = ${owner} and deleted_at is null`,

    setImage: (id: OwnerId, image: ProfileImage, publicUrl: string) =>
      image === "avatar"
        ? run("setImage")`update owners set avatar_url = ${publicUrl} where id = ${id}`
        : run("setImage")`update owners set header_image_url = ${publicUrl} where id = ${id}`,

    clearImage: (id: OwnerId, publicUrl: string) => run("clearImage")`
      update owners set avatar_url = nullif(avatar_url, ${publicUrl}),
        header_image_url = nullif(header_image_url, ${publicUrl})
      where id = ${id} and (avatar_url = ${publicUrl} or header_image_url = ${publicUrl})`,

    clearHeader: (id: OwnerId) => run("clearHeader")`
      update owners set header_image_url = null where id = ${id} and header_image_url is not null`,

    /** Returns none, and changes nothing, while the owner is restricted. */
    addPublishedPosts: (ownerId: OwnerId, count: number, isAgentWork: boolean) => maybe(
      "addPublishedPosts",
      CountedRow
    )`
      ${addPublishedPosts(sql, { ownerId, count, isAgentWork })}`,

    removePublishedPosts: (ownerId: OwnerId, posts: ReadonlyArray<PostId>) => run("removePublishedPosts")`
      ${removePublishedPosts(sql, { ownerId, posts })}`
  }
})

/** The counters of owners that others change: followers, and the creators that they follow. */
export const ownerCounts = Effect.map(SqlClient.SqlClient, (sql) =>
  counterTable(sql, {
    table: "owners",
    id: "id",
    columns: { follower_count: "owner_followers", following_count: "owner_following" },
    tags: (changes) => [
      ...new Set(changes.map(({ subject_id }) => ownerTags.counts(OwnerId.make(subject_id))))
    ]
  })
)

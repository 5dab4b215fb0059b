import { Context, Effect, Layer } from "effect"
import { ACTIVE_KEYS_MAX } from "../../../schemas/accounts/api-keys/ApiKey.ts"
import type { OwnerMe, PublicationBlocker, PublisherMe } from "../../../schemas/accounts/me/Me.ts"
import { isGeneratedHandle, isReservedName } from "../../../schemas/accounts/profile/reserved.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { addressOfPublicKey, type NanoAddress } from "../../../schemas/platform/Nano.ts"
import type { OwnerAuthority, PublisherAuthority } from "../../../schemas/platform/security/authorities.ts"
import {
  TRANSFERS_PER_DAY_MAX,
  UNFINISHED_OPERATIONS_MAX
} from "../../../schemas/publishing/uploads/limits.ts"
import { Settings } from "../../platform/ports/Settings.ts"
import { now } from "../../platform/time/now.ts"
import { type KeyMeRow, meStatements, type SessionMeRow } from "./me.sql.ts"

/** The caller's identity, authority, limits and obstacles to publishing (spec 2.6). */
export class Me extends Context.Service<
  Me,
  {
    /** The owner's whole view of themselves. One statement. */
    readonly ofOwner: (owner: OwnerAuthority) => Effect.Effect<OwnerMe>
    /** Returns the part that a Publishing key may know of its owner. One statement. */
    readonly ofPublisher: (publisher: PublisherAuthority) => Effect.Effect<PublisherMe>
  }
>()("pennypress/publishing/me/Me") {
  static readonly layer = Layer.effect(
    Me,
    Effect.gen(function* () {
      const rows = yield* meStatements
      const deployment: Deployment = {
        baseUrl: yield* PublicBaseUrl,
        storageMb: (yield* Settings).accountStorageMb
      }

      return Me.of({
        ofOwner: Effect.fn("Me.ofOwner")(function* (owner) {
          return ownerMe(owner, yield* rows.findBySession(owner, yield* now), deployment)
        }),
        ofPublisher: Effect.fn("Me.ofPublisher")(function* (publisher) {
          return publisherMe(publisher, yield* rows.findByKey(publisher, yield* now), deployment)
        })
      })
    })
  )
}

type MeRow = SessionMeRow | KeyMeRow

/** The settings that an answer depends on. */
interface Deployment {
  readonly baseUrl: string
  /** Mebibytes that an account may store. */
  readonly storageMb: number
}

const ownerMe = (owner: OwnerAuthority, row: SessionMeRow, deployment: Deployment): OwnerMe => ({
  ...commonOf(row, deployment),
  credential: {
    kind: "owner_session",
    method: owner.method,
    scopes: [],
    keyId: null,
    label: null,
    expiresAt: row.expires_at
  },
  authority: { account: true, publish: false, read: true },
  identity: {
    ...identityOf(row),
    walletAddress: row.wallet_public_key === null ? null : addressOfPublicKey(row.wallet_public_key),
    email: row.email
  },
  payout: {
    configured: row.payout_address !== null,
    payoutAddress: row.payout_address,
    revision: row.payout_revision
  }
})

const publisherMe = (publisher: PublisherAuthority, row: KeyMeRow, deployment: Deployment): PublisherMe => ({
  ...commonOf(row, deployment),
  credential: {
    kind: "publishing_key",
    method: null,
    scopes: ["posts:publish"],
    keyId: publisher.keyId,
    label: row.label,
    expiresAt: row.expires_at
  },
  authority: { account: false, publish: true, read: false },
  identity: identityOf(row),
  payout: {
    configured: row.payout_address !== null,
    addressHint: row.payout_address === null ? null : hintOf(row.payout_address)
  }
})

const commonOf = (row: MeRow, { baseUrl, storageMb }: Deployment) => {
  const blockers = blockersOf(row)
  return {
    owner: {
      id: row.id,
      name: row.name,
      handle: row.handle,
      authorKind: row.author_kind,
      profileUrl: `${baseUrl}/@${row.handle}`,
      createdAt: row.created_at
    },
    limits: {
      activeKeys: { used: row.active_keys, max: ACTIVE_KEYS_MAX },
      openUploads: { used: row.open_uploads, max: UNFINISHED_OPERATIONS_MAX },
      transfersToday: { used: row.transfers_today, max: TRANSFERS_PER_DAY_MAX },
      storedBytes: { used: row.stored_bytes, max: storageMb * 1024 * 1024 }
    },
    publication: { ready: blockers.length === 0, blockers }
  }
}

const identityOf = (row: MeRow) => ({
  durable: row.kind !== "guest",
  walletLinked: row.wallet_public_key !== null,
  // An address appears here only after it is confirmed.
  emailVerified: row.email !== null
})

/** Returns the owner's obstacles to publishing any Post (spec 3.1). */
const blockersOf = (row: MeRow): ReadonlyArray<PublicationBlocker> => {
  const blockers: Array<PublicationBlocker> = []
  if (isReservedName(row.name)) blockers.push({ code: "profile_name_required" })
  if (isGeneratedHandle(row.handle)) blockers.push({ code: "profile_handle_required" })
  if (row.payout_address === null) blockers.push({ code: "payout_address_required" })
  if (row.is_restricted) blockers.push({ code: "account_restricted" })
  return blockers
}

/** Enough of an address to recognise one's own, `nano_3nom…b8mn`, but too little to pay it or look it up. */
const hintOf = (address: NanoAddress) => `${address.slice(0, 9)}…${address.slice(-4)}`

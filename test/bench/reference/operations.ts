import { randomBytes, timingSafeEqual } from "node:crypto"
import { Pool, type QueryResultRow } from "pg"
import { type OwnProfile, profileJson } from "./profile.ts"
import { pairOf, seal, sha256 } from "./sessions.ts"
import {
  activeKey,
  create,
  newest,
  post,
  profile,
  publicProfile,
  refreshToken,
  rename,
  rotate,
  search
} from "./statements.ts"

const DAY_MILLIS = 24 * 60 * 60 * 1000
const PER_PAGE = 20

/** A JSON text, with its ETag when it is public. */
export interface Answer {
  readonly text: string
  readonly etag?: string
}

/** The answer of a process that runs. */
export const LIVE = JSON.stringify({ status: "live" })

/** The members of a draft that the load sends, unchecked. */
export interface Draft {
  readonly title: string
  readonly description: string
  readonly freeContentMarkdown: string
  readonly primaryCategoryId: number
  readonly creationMethod: string
  readonly creationAttested: boolean
}

/** Makes a UUIDv7 as the service does, so that the indexes grow at the same end. */
const uuidV7 = (at: Date) => {
  const bytes = randomBytes(16)
  bytes.writeUIntBE(at.getTime(), 0, 6)
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6)
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8)
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5")
}

const slugOf = (title: string) => title.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-")

interface Key {
  readonly id: string
  readonly owner_id: string
  readonly secret_hash: Buffer
}

interface Token {
  readonly session_id: string
  readonly owner_id: string
  readonly method: "nano" | "email"
  readonly expires_at: Date
  readonly revoked_at: Date | null
  readonly rotated_at: Date | null
}

/** The work of both reference servers between reading a request and writing its answer. */
export const open = (name: string) => {
  const pool = new Pool({
    connectionString: process.env["DATABASE_URL"],
    application_name: name,
    max: Number(process.env["DATABASE_POOL_SIZE"])
  })

  const first = async <Row extends QueryResultRow>(
    statement: { readonly name: string; readonly text: string },
    values: Array<unknown>
  ): Promise<Row | undefined> => (await pool.query<Row>({ ...statement, values })).rows[0]

  const authenticate = async (authorization: string, at: Date): Promise<Key | undefined> => {
    const [, keyId, secret] = /^Bearer ppk_([0-9A-Za-z]{16})_([0-9A-Za-z]{43})$/.exec(authorization) ?? []
    if (keyId === undefined || secret === undefined) return undefined
    const key = await first<Key>(activeKey, [keyId, at])
    return key !== undefined && timingSafeEqual(key.secret_hash, sha256(secret)) ? key : undefined
  }

  const insert = (key: Key, draft: Draft, idempotencyKey: string, at: Date) => {
    const { creationAttested, creationMethod, description, freeContentMarkdown, primaryCategoryId, title } =
      draft
    const id = uuidV7(at)
    const base = slugOf(title)
    const fingerprint = sha256(JSON.stringify(draft))
    const expiresAt = new Date(at.getTime() + DAY_MILLIS)
    // In the order of the statement's columns, with defaults for members that the load does not send.
    const row = [
      id,
      key.owner_id,
      title,
      description,
      freeContentMarkdown,
      null,
      false,
      false,
      null,
      primaryCategoryId,
      null,
      null,
      "en",
      true,
      null,
      null,
      null,
      null,
      "",
      creationMethod,
      null,
      creationAttested,
      at,
      at
    ]
    return first<Answer>(create, [
      "post_creation",
      key.id,
      idempotencyKey,
      fingerprint,
      id,
      at,
      expiresAt,
      base,
      base,
      base,
      0,
      key.owner_id,
      base,
      ...row
    ])
  }

  return {
    newest: () => first<Answer>(newest, [1, PER_PAGE]),
    search: (words: string) => first<Answer>(search, [words, words, 1, PER_PAGE]),
    post: (id: string) => first<Answer>(post, [id]),
    publicProfile: (handle: string) => first<Answer>(publicProfile, [handle]),
    /** Returns none for a key that is not active, and for another author's Post. */
    rename: async (authorization: string, id: string, title: string) => {
      const at = new Date()
      const key = await authenticate(authorization, at)
      return key === undefined ? undefined : first<Answer>(rename, [id, key.owner_id, title, at])
    },
    /** Returns none for a key that is not active. */
    profile: async (authorization: string): Promise<Answer | undefined> => {
      const key = await authenticate(authorization, new Date())
      const row = key === undefined ? undefined : await first<OwnProfile>(profile, [key.owner_id])
      return row === undefined ? undefined : { text: profileJson(row) }
    },
    /** Returns none for a token that is not the current one of a live session. A lost answer is not repeated. */
    refresh: async (token: string): Promise<Answer | undefined> => {
      const at = new Date()
      const hash = sha256(token)
      const row = await first<Token>(refreshToken, [hash])
      if (row === undefined || row.rotated_at !== null || row.revoked_at !== null || row.expires_at <= at)
        return undefined
      const pair = await pairOf(row)
      const text = JSON.stringify(pair)
      const next = sha256(pair.refreshToken)
      const values = [hash, at, at, next, seal(text), hash, next, at]
      const { rowCount } = await pool.query({ ...rotate, values })
      return rowCount === 0 ? undefined : { text }
    },
    /** Returns none for a key that is not active. */
    create: async (authorization: string, idempotencyKey: string, draft: Draft) => {
      const at = new Date()
      const key = await authenticate(authorization, at)
      return key === undefined ? undefined : insert(key, draft, idempotencyKey, at)
    }
  }
}

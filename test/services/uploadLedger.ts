import { Effect } from "effect"
import { type SqlClient } from "effect/sql"
import { type Uploader } from "../support/actors/uploader.ts"
import { type TestAnswer } from "../support/TestClient.ts"
import { sampleImage, type SampleImage } from "./uploadClient.ts"

/** An operation in the database. */
export interface LedgerRow {
  readonly request_key: string
  readonly state: string
  readonly verdict: string | null
  readonly decided_at: string | null
  readonly received_at: string | null
  readonly sha256: string | null
  readonly public_url: string | null
}

/** Returns every operation by its request key. */
export const ledger = (sql: SqlClient.SqlClient) =>
  Effect.map(
    sql<LedgerRow>`
      select request_key, state, verdict, decided_at::text, received_at::text, encode(sha256, 'hex') as sha256, public_url
      from upload_operations`,
    (rows): ReadonlyMap<string, LedgerRow> => new Map(rows.map((row) => [row.request_key, row]))
  )

/** Columns that never change once they are set. */
const once = ["verdict", "decided_at", "received_at", "sha256", "public_url"] as const
const terminal = new Set(["cleared", "rejected", "failed", "cancelled"])

/** Returns the statements of an earlier ledger that a later one contradicts. */
export const compareLedgers = (
  before: ReadonlyMap<string, LedgerRow>,
  now: ReadonlyMap<string, LedgerRow>
): ReadonlyArray<string> =>
  [...before.values()].flatMap((row) => {
    const later = now.get(row.request_key)
    if (later === undefined) return row.received_at === null ? [] : [`${row.request_key} is gone`]
    const changed = once.filter((column) => row[column] !== null && row[column] !== later[column])
    const revived = terminal.has(row.state) && row.state !== later.state ? ["state"] : []
    return [...changed, ...revived].map((column) => `${row.request_key} has another ${column}`)
  })

/** One upload with every answer to its sender. */
export interface Upload {
  readonly key: string
  readonly image: SampleImage
  sent: number
  /** The end that its sender waits for. */
  deserves: "receipt" | "given up"
  readonly told: Array<{
    readonly received: boolean
    readonly state: string
    readonly publicUrl: string | null
  }>
}

type Owner = Uploader & {
  readonly ownerId: string
  readonly post: { readonly id: string; readonly updatedAt: string }
}

const fileNames = { name: "file", fileName: "picture" } as const

/**
 * Senders of distinct images under distinct keys, who follow spec 4.4: after a lost answer they look for the operation by
 * its saved key and send again where that is allowed. One in eight gives up instead.
 */
export const makeUploading = (owners: ReadonlyArray<Owner>) => {
  const uploads: Array<Upload> = []
  const ending = { isNear: false }

  const send = (owner: Owner, number: number, { image, key }: Upload) => {
    const parts = [{ ...fileNames, mediaType: image.mediaType, content: image.bytes }]
    return number % 7 === 0
      ? owner.header({ key, parts })
      : owner.inline(owner.post, { key, parts, headers: { "x-upload-target-key": `node-${number}` } })
  }

  const note = (
    upload: Upload,
    receipt: { safety: { received: boolean; state: string }; publicUrl: string | null }
  ) => {
    const { publicUrl, safety } = receipt
    upload.told.push({ received: safety.received, state: safety.state, publicUrl })
    return safety.received
  }

  /** Returns true when the file is to be sent again, as soon as that is known. */
  const recover = Effect.fnUntraced(function* (owner: Owner, number: number, upload: Upload) {
    const target =
      number % 7 === 0
        ? `targetKind=header&targetId=${owner.ownerId}`
        : `targetKind=inline&targetId=${owner.post.id}&targetKey=node-${number}`
    const query = `?requestKey=${upload.key}&${target}`
    while (true) {
      const { body, status }: TestAnswer = yield* owner.operations(query)
      const [operation] = status === 200 ? body.operations : [undefined]
      if (status === 200 && operation === undefined) return true
      if (operation !== undefined) {
        if (note(upload, operation)) return false
        if (operation.safety.reuploadAllowed) return true
      }
      yield* Effect.sleep("50 millis")
    }
  })

  const one = Effect.fnUntraced(function* (number: number) {
    const owner = owners[number % owners.length]
    if (owner === undefined) return
    const image = yield* sampleImage(number)
    const upload: Upload = { key: `upload-${number}`, image, sent: 0, deserves: "receipt", told: [] }
    uploads.push(upload)
    while (true) {
      upload.sent++
      const { body, status, text } = yield* send(owner, number, upload)
      if (status === 200 || status === 202) {
        if (note(upload, body)) return
      } else if (status === 422 && image.deserves === "refused") return
      else if (status === 429) {
        upload.sent--
        yield* Effect.sleep("100 millis")
        continue
      } else if (status !== 0 && status < 500) {
        return yield* Effect.die(new Error(`${upload.key} was answered ${status} ${text}`))
      }
      if (status === 0 && number % 8 === 0) {
        upload.deserves = "given up"
        return
      }
      if (!(yield* recover(owner, number, upload))) return
    }
  })

  let numbers = 0
  return {
    uploads: uploads as ReadonlyArray<Upload>,
    /** Uploads images one after the other until the end. */
    forever: Effect.gen(function* () {
      while (!ending.isNear) yield* one(numbers++)
    }),
    finish: () => {
      ending.isNear = true
    }
  }
}

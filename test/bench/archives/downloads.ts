import { createHash, randomUUID } from "node:crypto"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Seed } from "../seed.ts"
import { type Server, start } from "../servers.ts"
import { screeningBegun, screeningProgress } from "../uploadsTargets.ts"
import { attacherTo } from "./client.ts"
import { archiveOf } from "./files.ts"
import { archiveTargets } from "./targets.ts"

const ARCHIVE_BYTES = 25 * 1024 * 1024 - 8 * 1024
const READERS = 100
/** A reader takes what has arrived, and then waits for so long. */
const PAUSE_MILLIS = 20
const MEMORY_MAX_MEGABYTES = 60
const RECEIPT = "ppr_bench"

/** Slow downloads of one ZIP at the same time. */
export interface SlowDownloads {
  /** Memory of the service at its peak, above what it had before. */
  readonly megabytes: number
  readonly seconds: number
  readonly cpuMillis: number
}

/** Gives a receipt for a Post, as a gift does. */
const giveReceipt = Effect.fnUntraced(function* (postId: string) {
  const sql = yield* SqlClient.SqlClient
  const [gift, redemption, at] = [randomUUID(), randomUUID(), new Date()]
  yield* sql`
    insert into gifts (id, owner_id, post_id, secret_hash, max_redemptions, redemptions, created_at)
    select ${gift}, owner_id, id, sha256('gift'), 1, 1, ${at} from posts where id = ${postId}`
  yield* sql`
    insert into gift_redemptions (id, gift_id, post_id, created_at) values (${redemption}, ${gift}, ${postId}, ${at})`
  const hash = createHash("sha256").update(RECEIPT).digest()
  yield* sql`
    insert into access_receipts (id, token_hash, post_id, redemption_id, created_at)
    values (${randomUUID()}, ${hash}, ${postId}, ${redemption}, ${at})`
})

/** Downloads a file slowly; fails unless all of it comes. */
const downloadSlowly = (server: Server, path: string, bytes: number) =>
  new Promise<void>((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    let taken = 0
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      taken += chunk.length
      socket.pause()
      void sleep(PAUSE_MILLIS).then(() => socket.resume())
    })
    socket.on("close", () =>
      taken > bytes ? resolve() : reject(new Error(`Of ${bytes} bytes ${taken} came, with the head`))
    )
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-purchase-receipt: ${RECEIPT}\r\n\r\n`
    )
  })

/** Measures the memory of 100 slow downloads of 25 MiB. */
export const slowDownloads = Effect.fnUntraced(function* ({
  seed,
  url
}: {
  readonly seed: Seed
  readonly url: string
}) {
  yield* screeningBegun()
  const service = yield* start("pennypress", url, {}, { SCANNER: "none" })
  const targets = yield* archiveTargets(seed)
  const archive = archiveOf(1, ARCHIVE_BYTES)
  const { attach, close } = attacherTo(service.url, targets, [archive])
  const id = yield* Effect.promise(() => attach().finally(close))
  for (let waited = 0; (yield* screeningProgress()).waiting > 0; waited += 0.1) {
    if (waited > 60) return yield* Effect.die(new Error("The ZIP was not screened"))
    yield* Effect.sleep("100 millis")
  }
  const { postId } = targets[0]!
  yield* giveReceipt(postId)
  const path = `/api/posts/${postId}/attachments/${id}`
  yield* Effect.promise(() => downloadSlowly(service, path, archive.length))
  // By then the memory of the file's admission is given back.
  yield* Effect.sleep("5 seconds")

  const { peakMegabytes: idle } = service.measure()()
  const finish = service.measure()
  const begun = performance.now()
  yield* Effect.promise(() =>
    Promise.all(Array.from({ length: READERS }, () => downloadSlowly(service, path, archive.length)))
  )
  const seconds = (performance.now() - begun) / 1000
  const { cpuSeconds, peakMegabytes } = finish()
  return {
    megabytes: peakMegabytes - idle,
    seconds,
    cpuMillis: (cpuSeconds * 1000) / READERS
  } satisfies SlowDownloads
}, Effect.scoped)

export const slowDownloadsTable = ({ cpuMillis, megabytes, seconds }: SlowDownloads): string =>
  [
    `${READERS} slow downloads of 25 MiB at once (target: less than ${MEMORY_MAX_MEGABYTES} MB above idle)`,
    `${megabytes.toFixed(0)} MB above idle at the peak, ${seconds.toFixed(1)} s, ${cpuMillis.toFixed(0)} ms CPU for each`
  ].join("\n")

/** Names the missed target. */
export const slowDownloadsMissed = ({ megabytes }: SlowDownloads): ReadonlyArray<string> =>
  megabytes < MEMORY_MAX_MEGABYTES
    ? []
    : [`${megabytes.toFixed(0)} MB for slow downloads (target ${MEMORY_MAX_MEGABYTES})`]

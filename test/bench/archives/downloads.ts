import { createHash, randomUUID } from "node:crypto"
import { connect } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { median } from "../quantiles.ts"
import type { Seed } from "../seed.ts"
import { type Server, start } from "../servers.ts"
import { screeningBegun, screeningProgress } from "../uploadsTargets.ts"
import { attacherTo } from "./client.ts"
import { archiveOf } from "./files.ts"
import { archiveTargets } from "./targets.ts"

const ARCHIVE_BYTES = 25 * 1024 * 1024 - 8 * 1024
const READERS = 100
/** Rate of one reader, who takes more than 20 seconds for the file. */
const BYTES_PER_SECOND = 1.2 * 1024 * 1024
/** The heap grows and code is compiled in the first round, which is shown by itself. */
const ROUNDS_MIN = 3
const MEMORY_MAX_MEGABYTES = 60
const RECEIPT = "ppr_bench"

/** Slow downloads of one ZIP at the same time. */
export interface SlowDownloads {
  /** Memory of the service at its peak above what it had before the first round: of the first round, and of the others. */
  readonly firstMegabytes: number
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

/** Downloads a file at a rate; fails unless all of it comes. */
const download = (server: Server, path: string, bytes: number, bytesPerSecond: number) =>
  new Promise<void>((resolve, reject) => {
    const { hostname, port } = new URL(server.url)
    const socket = connect(Number(port), hostname)
    const begun = performance.now()
    let taken = 0
    socket.on("error", reject)
    socket.on("data", (chunk) => {
      taken += chunk.length
      const early = (taken / bytesPerSecond) * 1000 - (performance.now() - begun)
      if (early <= 0) return
      socket.pause()
      void sleep(early).then(() => socket.resume())
    })
    socket.on("close", () =>
      taken > bytes ? resolve() : reject(new Error(`Of ${bytes} bytes ${taken} came, with the head`))
    )
    socket.write(
      `GET ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nx-purchase-receipt: ${RECEIPT}\r\n\r\n`
    )
  })

/** Measures the memory of 100 slow downloads of 25 MiB. */
export const slowDownloads = Effect.fnUntraced(function* (
  { seed, url }: { readonly seed: Seed; readonly url: string },
  { rounds }: { readonly rounds: number }
) {
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
  yield* Effect.promise(() => download(service, path, archive.length, Infinity))
  // By then the memory of the file's admission is given back.
  yield* Effect.sleep("5 seconds")

  const { peakMegabytes: idle } = service.measure()()
  const round = Effect.gen(function* () {
    const finish = service.measure()
    const begun = performance.now()
    const readers = Array.from({ length: READERS }, () =>
      download(service, path, archive.length, BYTES_PER_SECOND)
    )
    yield* Effect.promise(() => Promise.all(readers))
    const seconds = (performance.now() - begun) / 1000
    const { cpuSeconds, peakMegabytes } = finish()
    return { megabytes: peakMegabytes - idle, seconds, cpuMillis: (cpuSeconds * 1000) / READERS }
  })
  const first = yield* round
  const others = yield* Effect.replicateEffect(round, Math.max(ROUNDS_MIN, rounds) - 1)
  return {
    firstMegabytes: first.megabytes,
    megabytes: median(others.map(({ megabytes }) => megabytes)),
    seconds: median(others.map(({ seconds }) => seconds)),
    cpuMillis: median(others.map(({ cpuMillis }) => cpuMillis))
  } satisfies SlowDownloads
}, Effect.scoped)

export const slowDownloadsTable = ({
  cpuMillis,
  firstMegabytes,
  megabytes,
  seconds
}: SlowDownloads): string =>
  [
    `${READERS} slow downloads of 25 MiB at once (target: less than ${MEMORY_MAX_MEGABYTES} MB above idle)`,
    `${megabytes.toFixed(0)} MB above idle at the peak (first round: ${firstMegabytes.toFixed(0)} MB), ${seconds.toFixed(1)} s, ${cpuMillis.toFixed(0)} ms CPU for each`
  ].join("\n")

/** Names the missed target. */
export const slowDownloadsMissed = ({ megabytes }: SlowDownloads): ReadonlyArray<string> =>
  megabytes < MEMORY_MAX_MEGABYTES
    ? []
    : [`${megabytes.toFixed(0)} MB for slow downloads (target ${MEMORY_MAX_MEGABYTES})`]

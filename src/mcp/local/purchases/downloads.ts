import { Effect, Redacted, Result } from "effect"
import { Base64, Hex } from "effect/encoding"
import { HttpClientRequest, type HttpClientResponse } from "effect/http"
import type { DownloadArguments, ExtractArguments } from "../../../../schemas/mcp/local/purchaseTools.ts"
import type { ToolFailure } from "../../../../schemas/mcp/ToolFailure.ts"
import { PostId } from "../../../../schemas/platform/Ids.ts"
import { ARCHIVE_BYTES_MAX } from "../../../../schemas/publishing/uploads/limits.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { failureOf, toFailure } from "../failures/apiFailures.ts"
import { failureOfCode, marked } from "../failures/marked.ts"
import { bounded } from "../http/pinned.ts"
import { ServiceApi } from "../http/ServiceApi.ts"
import { Archive } from "../ports/Archive.ts"
import { LocalFiles } from "../ports/LocalFiles.ts"
import { StateStore } from "../ports/StateStore.ts"
import { Sessions } from "../sessions/Sessions.ts"
import { readDownload, saveDownload } from "../state/FilesRepo.ts"
import { readIdentity } from "../state/IdentityRepo.ts"
import { receiptOf } from "../state/PurchasesRepo.ts"

/** Codes of answers that are no download, by their status. */
const CODES: Readonly<Record<number, string>> = {
  401: "credential-invalid",
  402: "payment-required",
  404: "not-found",
  409: "attachment-pending",
  410: "post-withdrawn",
  429: "rate-limited",
  503: "service-unavailable"
}

const refusedBy = ({ headers, status }: HttpClientResponse.HttpClientResponse): ToolFailure => {
  const seconds = Number(headers["retry-after"])
  return failureOfCode(CODES[status] ?? "response-invalid", {
    requestId: headers["x-request-id"] ?? null,
    ...(Number.isInteger(seconds) ? { retryAfterSeconds: seconds } : {})
  })
}

/** Returns the SHA-256 of a whole file in hexadecimal digits, as the header tells it. */
const digestOf = (header: string | undefined) => {
  const [, text = ""] = /^sha-256=:([A-Za-z0-9+/=]{44}):$/.exec(header ?? "") ?? []
  const bytes = Result.getOrUndefined(Base64.decode(text))
  return bytes?.length === 32 ? Hex.encode(bytes) : undefined
}

/** Files of Posts that were bought: downloaded, and extracted. */
export const makeDownloads = Effect.gen(function* () {
  const store = yield* StateStore
  const sessions = yield* Sessions
  const files = yield* LocalFiles
  const archive = yield* Archive
  const { client, origin, streams } = yield* ServiceApi

  const send = Effect.fnUntraced(function* (
    { attachment_id: id, post_id: postId }: DownloadArguments,
    receipt: Redacted.Redacted | null
  ) {
    const request = HttpClientRequest.get(`${origin}/api/posts/${postId}/attachments/${id}`).pipe(
      receipt === null
        ? (it) => it
        : HttpClientRequest.setHeader("x-purchase-receipt", Redacted.value(receipt))
    )
    const response = yield* streams.execute(request)
    if (response.status !== 200) return yield* refusedBy(response)
    const sha256 = digestOf(response.headers["repr-digest"])
    if (sha256 === undefined) return yield* marked("response-invalid")
    const expected = { sha256, bytesMax: ARCHIVE_BYTES_MAX }
    return yield* files.save(`${id}.zip`, bounded(request)(response.stream), expected)
  })

  /** Downloads with the session, or with the receipt of a purchase when the session has ended. */
  const fetched = Effect.fnUntraced(function* (wanted: DownloadArguments) {
    const receipt = yield* store.read((tx) =>
      Effect.succeed(receiptOf(tx, readIdentity(tx)?.ownerId ?? "", wanted.post_id))
    )
    return yield* sessions.asOwner(Effect.mapError(send(wanted, null), failureOf)).pipe(
      Effect.catchIf(
        ({ code }) => receipt !== null && code === "reconnect-required",
        () => toFailure(send(wanted, receipt))
      )
    )
  })

  const download = Effect.fn("downloads.download")(function* (args: DownloadArguments) {
    const wanted = { post_id: args.post_id.toLowerCase(), attachment_id: args.attachment_id.toLowerCase() }
    const { attachment_id: id, post_id: postId } = wanted
    const listed = yield* toFailure(client.postFiles.list({ params: { postId: PostId.make(postId) } }))
    const named = listed.data.find((file) => file.id === id)
    if (named === undefined) return yield* marked("not-found")
    const known = yield* store.read((tx) => Effect.succeed(readDownload(tx, id)))
    const there = known === undefined ? undefined : yield* files.saved(`${id}.zip`, known.sha256)
    const saved = there ?? (yield* fetched(wanted))
    yield* store.write((tx) => Effect.sync(() => saveDownload(tx, id, saved)))
    const cleaner = new Cleaner()
    return {
      ...saved,
      untrusted: { fileName: cleaner.text(named.fileName) },
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  const extract = Effect.fn("downloads.extract")(function* ({ attachment_id: given }: ExtractArguments) {
    const id = given.toLowerCase()
    const known = yield* store.read((tx) => Effect.succeed(readDownload(tx, id)))
    const there = known === undefined ? undefined : yield* files.saved(`${id}.zip`, known.sha256)
    if (there === undefined) {
      return yield* marked("not-found", { nextStep: "Call svc_download_attachment first" })
    }
    const directory = `${store.directory}/extracted/${id}-${there.sha256.slice(0, 8)}`
    const { paths, ...extracted } = yield* archive.extract(there.path, directory)
    const cleaner = new Cleaner()
    return {
      ...extracted,
      untrusted: { paths: paths.map((path) => cleaner.text(path)) },
      hiddenCharactersRemoved: cleaner.removed
    }
  })

  return { download, extract }
})

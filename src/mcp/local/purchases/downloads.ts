import { Effect, Result } from "effect"
import { Base64, Hex } from "effect/encoding"
import { HttpClientRequest } from "effect/http"
import type { DownloadArguments, ExtractArguments } from "../../../../schemas/mcp/local/purchaseTools.ts"
import { ARCHIVE_BYTES_MAX } from "../../../../schemas/publishing/uploads/limits.ts"
import { Cleaner } from "../../tools/untrusted.ts"
import { failureOf } from "../failures/apiFailures.ts"
import { marked } from "../failures/marked.ts"
import { refusedAnswer } from "../failures/refusedAnswer.ts"
import { Archive } from "../ports/Archive.ts"
import { LocalFiles, type SavedFile } from "../ports/LocalFiles.ts"
import { StateStore } from "../ports/StateStore.ts"
import { bounded } from "../service/pinned.ts"
import { ServiceApi } from "../service/ServiceApi.ts"
import { readDownload, saveDownload } from "../state/files.sql.ts"
import { makeAsBuyer } from "./asBuyer.ts"

/** Returns the SHA-256 of a whole file in hexadecimal digits, as the header tells it. */
const digestOf = (header: string | undefined) => {
  const [, text = ""] = /^sha-256=:([A-Za-z0-9+/=]{44}):$/.exec(header ?? "") ?? []
  const bytes = Result.getOrUndefined(Base64.decode(text))
  return bytes?.length === 32 ? Hex.encode(bytes) : undefined
}

/** Returns the name of a file, as the header of its download tells it (RFC 8187). */
const fileNameOf = (header: string | undefined) => {
  const [, encoded] = /;\s*filename\*=UTF-8''([\w!#$&+.^`|~%-]+)$/i.exec(header ?? "") ?? []
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}

/** Files of Posts that were bought: downloaded, and extracted. */
export const makeDownloads = Effect.gen(function* () {
  const store = yield* StateStore
  const files = yield* LocalFiles
  const archive = yield* Archive
  const { asBuyer } = yield* makeAsBuyer
  const { downloads, origin } = yield* ServiceApi

  /**
   * Asks for a file: for its bytes, or for its name alone when they are there. The list of the Post is not asked: a buyer
   * keeps a file that was removed from the Post after the purchase.
   */
  const asked = (wanted: DownloadArguments, there: SavedFile | undefined) =>
    asBuyer(wanted.post_id, (proof) =>
      Effect.gen(function* () {
        const { attachment_id: id, post_id: postId } = wanted
        const method = there === undefined ? HttpClientRequest.get : HttpClientRequest.head
        const request = HttpClientRequest.setHeaders(
          method(`${origin}/api/posts/${postId}/attachments/${id}`),
          proof
        )
        const response = yield* downloads.execute(request)
        if (response.status !== 200) return yield* refusedAnswer(response)
        const fileName = fileNameOf(response.headers["content-disposition"])
        const sha256 = digestOf(response.headers["repr-digest"])
        if (sha256 === undefined || fileName === undefined) return yield* marked("response-invalid")
        if (there?.sha256 === sha256) return { fileName, saved: there }
        if (there !== undefined) return yield* marked("response-invalid")
        const expected = { sha256, bytesMax: ARCHIVE_BYTES_MAX }
        const saved = yield* files.save(`${id}.zip`, bounded(request)(response.stream), expected)
        return { fileName, saved }
      }).pipe(Effect.scoped, Effect.mapError(failureOf))
    )

  const download = Effect.fn("downloads.download")(function* (args: DownloadArguments) {
    const wanted = { post_id: args.post_id.toLowerCase(), attachment_id: args.attachment_id.toLowerCase() }
    const { attachment_id: id } = wanted
    const known = yield* store.read((tx) => Effect.succeed(readDownload(tx, id)))
    const there = known === undefined ? undefined : yield* files.saved(`${id}.zip`, known.sha256)
    const { fileName, saved } = yield* asked(wanted, there)
    yield* store.write((tx) => Effect.sync(() => saveDownload(tx, id, saved)))
    const cleaner = new Cleaner()
    return {
      ...saved,
      untrusted: { fileName: cleaner.text(fileName) },
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

import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../../schemas/Api.ts"
import { CurrentOwner } from "../../../schemas/platform/security/authorities.ts"
import { type AccountArchive, AccountExports } from "./AccountExports.ts"

/** Returns the answer that sends an archive, which no cache keeps. */
export const archiveAnswer = ({ body, fileName }: AccountArchive): HttpServerResponse.HttpServerResponse =>
  HttpServerResponse.stream(body, {
    contentType: "application/zip",
    headers: {
      "cache-control": "private, no-store",
      "content-disposition": `attachment; filename="${fileName}"`,
      "x-content-type-options": "nosniff"
    }
  })

/** The archive of the owner who calls. */
export const AccountExportHttp = HttpApiBuilder.group(
  Api,
  "accountExport",
  Effect.fnUntraced(function* (handlers) {
    const exports = yield* AccountExports

    return handlers.handle("download", () =>
      Effect.map(Effect.flatMap(CurrentOwner, exports.open), archiveAnswer)
    )
  })
)

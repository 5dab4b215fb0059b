import type { HttpServerRequest } from "effect/http"
import { UnsupportedMediaType } from "../../../schemas/platform/errors/common.ts"
import { errorAnswer } from "./errorAnswer.ts"
import { pathOfUrl } from "./paths.ts"

/**
 * Refuses a body that is compressed, which no operation reads; returns undefined for any other request. The answer says
 * so in `Accept-Encoding` (RFC 7694).
 */
export const refuseCodedBody = ({ headers, url }: HttpServerRequest.HttpServerRequest) => {
  const coding = headers["content-encoding"]?.trim().toLowerCase() ?? ""
  if (coding === "" || coding === "identity") return undefined
  const error = new UnsupportedMediaType({
    detail: "Send the body uncompressed, without Content-Encoding. This service reads no compressed body."
  })
  return errorAnswer(error, pathOfUrl(url)?.family ?? "problem", { "accept-encoding": "identity" })
}

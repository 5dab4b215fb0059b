import { Clock, Context, Effect, Layer, Ref, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TOOL_SERVER_VERSION } from "../../../../schemas/mcp/edition.ts"
import type { ReleaseStatus } from "../../../../schemas/mcp/results.ts"
import { ToolServerRelease } from "../../../../schemas/mcp/ToolServerRelease.ts"
import { fromShallowJson } from "../../../../schemas/platform/jsonBounds.ts"
import { wholeAnswers } from "../../../platform/http-client/wholeAnswers.ts"
import { Origin } from "./Origin.ts"

type Status = typeof ReleaseStatus.Type

/** Time limit of the check, and the time for which its outcome, even a failure, is kept. */
const CHECK_MILLIS = 2_000
const KEPT_MILLIS = 86_400_000

/** Bytes of the answer, at most. */
const ANSWER_BYTES_MAX = 16_384

const decode = Schema.decodeUnknownEffect(fromShallowJson(ToolServerRelease))

const VERSION = /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})$/

const numbersOf = (version: string) => VERSION.exec(version)?.slice(1).map(Number)

/** Returns true when a version comes after another one. A text that is not a version is never newer. */
const isNewer = (version: string, than: string): boolean => {
  const one = numbersOf(version)
  const other = numbersOf(than)
  if (one === undefined || other === undefined) return false
  const place = one.findIndex((part, index) => part !== other[index])
  return place >= 0 && Number(one[place]) > Number(other[place])
}

const make = Effect.gen(function* () {
  const http = wholeAnswers(ANSWER_BYTES_MAX)(yield* HttpClient.HttpClient)
  const origin = yield* Origin
  const kept = yield* Ref.make<{ readonly status: Status; readonly until: number } | undefined>(undefined)

  const unavailable: Status = {
    installedVersion: TOOL_SERVER_VERSION,
    latestVersion: null,
    updateAvailable: null,
    status: "unavailable",
    installationUrl: `${origin}/docs`,
    latestRelease: null
  }

  const statusOf = ({ installationUrl, notesUrl, publishedAt, version }: ToolServerRelease): Status => {
    const updateAvailable = isNewer(version, TOOL_SERVER_VERSION)
    // Addresses elsewhere are not shown: a person might follow them.
    const isOurs = [installationUrl, notesUrl].every((url) => URL.parse(url)?.origin === origin)
    if (!isOurs || numbersOf(version) === undefined) return unavailable
    return {
      installedVersion: TOOL_SERVER_VERSION,
      latestVersion: version,
      updateAvailable,
      status: updateAvailable ? "update-available" : "current",
      installationUrl,
      latestRelease: { version, publishedAt, notesUrl }
    }
  }

  const asked = http
    .execute(
      HttpClientRequest.get(`${origin}/api/tool-server/release`).pipe(
        HttpClientRequest.setHeader("user-agent", `svc-mcp/${TOOL_SERVER_VERSION}`)
      )
    )
    .pipe(
      Effect.flatMap((response) => (response.status === 200 ? response.text : Effect.succeed(""))),
      Effect.flatMap(decode),
      Effect.map(statusOf),
      Effect.timeoutOrElse({ duration: CHECK_MILLIS, orElse: () => Effect.succeed(unavailable) }),
      Effect.orElseSucceed(() => unavailable)
    )

  return {
    /** Returns the release that runs and the newest one. Asks the service at most once a day, without a credential. */
    status: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const known = yield* Ref.get(kept)
      if (known !== undefined && now < known.until) return known.status
      const status = yield* asked
      yield* Ref.set(kept, { status, until: now + KEPT_MILLIS })
      return status
    })
  }
})

/** The check for a newer release (spec 4.8). It downloads nothing. */
export class Release extends Context.Service<Release, Effect.Success<typeof make>>()(
  "pennypress/mcp/local/service/Release"
) {
  static readonly layer = Layer.effect(Release, make)
}

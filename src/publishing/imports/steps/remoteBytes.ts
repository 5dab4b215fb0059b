import { Duration, Effect, PartitionedSemaphore, Semaphore } from "effect"
import { PublicBaseUrl } from "../../../../schemas/platform/errors/PublicBaseUrl.ts"
import { INLINE_IMAGE_BYTES_MAX } from "../../../../schemas/publishing/uploads/limits.ts"
import { type OutsideAnswer, type OutsideFailure, OutsideHttp } from "../../../platform/ports/OutsideHttp.ts"
import { formatOfBytes } from "../../image-formats/sniff.ts"
import { PictureRefused } from "./PictureRefused.ts"

const TIMEOUT_MILLIS = 10_000
const REDIRECTS_MAX = 3
/** Requests for one picture. */
const TRIES = 2
/** The longest time for which a host is obeyed that asks to come back later. */
const RETRY_SECONDS_MAX = 60
/** Failures in a row after which a host is left alone. */
const FAILURES_MAX = 20
/** Pictures that one process fetches at the same time, and those of one host. */
const AT_ONCE = 4
const OF_HOST_AT_ONCE = 2

/** The reasons that a report names. A closed port and an address that is not public read alike. */
type Reason = "host_stopped" | "not_an_image" | "not_found" | "timeout" | "too_large" | "unreachable"

const sentences: Readonly<Record<Reason, string>> = {
  host_stopped: "Too many pictures of this host did not come, so it was left alone.",
  not_an_image: "The address has no picture in PNG, JPEG, WebP or GIF.",
  not_found: "The host does not have the picture, or does not give it away.",
  timeout: "The host took too long.",
  too_large: "A picture has at most 5 MiB.",
  unreachable: "The host was not reached."
}

const reasons: Readonly<Record<OutsideFailure["reason"], Reason>> = {
  address_not_public: "unreachable",
  connection: "unreachable",
  protocol: "unreachable",
  redirects: "unreachable",
  timeout: "timeout",
  tls: "unreachable",
  too_large: "too_large"
}

/** Reasons that another request does not change. */
const isFinal = (reason: Reason) => reason !== "timeout" && reason !== "unreachable"

/** Refuses a picture that did not come, for a reason that tells nothing about the network of the service. */
export const unavailable = (reason: Reason) =>
  new PictureRefused({ code: "image_unavailable", message: `${sentences[reason]} (${reason})` })

const isBusy = ({ status }: OutsideAnswer) => status === 429 || status === 503

/** Returns the seconds to wait for a busy host; undefined for one that asks for more than a minute. */
const waitOf = ({ retryAfter = "1" }: OutsideAnswer): number | undefined => {
  const seconds = /^[0-9]{1,6}$/.test(retryAfter) ? Number(retryAfter) : RETRY_SECONDS_MAX + 1
  return seconds <= RETRY_SECONDS_MAX ? seconds : undefined
}

/** A picture, or the reason why it did not come, with the seconds until the host may be asked again. */
type Attempt = { readonly bytes: Uint8Array } | { readonly reason: Reason; readonly wait: number | undefined }

const attemptOf = (answer: OutsideAnswer): Attempt => {
  const { body, status } = answer
  if (isBusy(answer)) return { reason: "unreachable", wait: waitOf(answer) }
  if (status >= 500) return { reason: "unreachable", wait: 1 }
  if (status < 200 || status > 299) return { reason: "not_found", wait: undefined }
  return formatOfBytes(body) === undefined ? { reason: "not_an_image", wait: undefined } : { bytes: body }
}

/** Failures in a row of each host, while a process works on one import. */
export type HostFailures = Map<string, number>

/** Makes the function that fetches the bytes of a picture that is elsewhere. */
export const makeRemoteBytes = Effect.gen(function* () {
  const outside = yield* OutsideHttp
  const userAgent = `Pennypress-Import (+${yield* PublicBaseUrl}/about)`
  const places = yield* Semaphore.make(AT_ONCE)
  const hosts = PartitionedSemaphore.makeUnsafe<string>({ permits: OF_HOST_AT_ONCE })

  const ask = (url: string, host: string) =>
    outside
      .get({
        url,
        userAgent,
        maxBytes: INLINE_IMAGE_BYTES_MAX,
        timeoutMillis: TIMEOUT_MILLIS,
        maxRedirects: REDIRECTS_MAX
      })
      .pipe(
        Effect.matchEager({
          onFailure: ({ reason }): Attempt => ({ reason: reasons[reason], wait: 0 }),
          onSuccess: attemptOf
        }),
        places.withPermit,
        hosts.withPermit(host)
      )

  /** Fetches a picture by two requests at most. `failures` counts those of each host in a row. */
  return Effect.fn("Imports.remoteBytes")(function* (url: string, failures: HostFailures) {
    const host = URL.parse(url)?.host ?? ""
    for (let tries = 1; ; tries++) {
      const count = failures.get(host) ?? 0
      if (count >= FAILURES_MAX) return yield* unavailable("host_stopped")
      const attempt = yield* ask(url, host)
      if ("bytes" in attempt) {
        failures.delete(host)
        return attempt.bytes
      }
      failures.set(host, count + 1)
      const { reason, wait } = attempt
      if (tries === TRIES || isFinal(reason) || wait === undefined) return yield* unavailable(reason)
      if (wait > 0) yield* Effect.sleep(Duration.seconds(wait))
    }
  })
})

import { Effect, Option } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest, type HttpClientResponse } from "effect/http"
import { type Environment, LOCAL_ORIGIN } from "../config/environment.ts"
import { about, type Finding, within } from "./Finding.ts"

const { fault, ok, warning } = about("site")

const isOurs = ({ headers }: HttpClientResponse.HttpClientResponse) => headers["x-request-id"] !== undefined

const ask = (url: string, headers: Readonly<Record<string, string>> = {}) =>
  HttpClient.execute(HttpClientRequest.get(url, { headers })).pipe(Effect.option)

const PROXY =
  "Configure the proxy to replace X-Forwarded-For with its client's address, and list the proxy in TRUSTED_PROXIES."

/** The metrics are for callers of private addresses, so they show which address the service sees. */
const proxyCheck = Effect.fnUntraced(function* (base: string) {
  const plain = yield* ask(`${base}/metrics`)
  if (Option.exists(plain, ({ status }) => status === 200))
    return [warning("The service mistakes callers from outside for callers on its own network.", PROXY)]
  const claimed = yield* ask(`${base}/metrics`, { "x-forwarded-for": "10.0.0.1" })
  return Option.exists(claimed, ({ status }) => status === 200)
    ? [fault("The service trusts the address that its callers claim to have.", PROXY)]
    : []
})

const asked = Effect.fnUntraced(function* ({ MEDIA_BASE_URL, PUBLIC_BASE_URL: base }: Environment) {
  const found: Array<Finding> = []
  if (!base.startsWith("https://") && !LOCAL_ORIGIN.test(base))
    found.push(
      fault(
        `PUBLIC_BASE_URL is ${base}, without TLS: browsers do not keep a session over it.`,
        "Put a proxy with a certificate in front, and set PUBLIC_BASE_URL to its https:// origin."
      )
    )
  const ready = yield* ask(`${base}/health/ready`)
  if (Option.isNone(ready))
    return [
      ...found,
      warning(
        `Nothing answers at ${base}.`,
        "Start the service. If it runs, check PUBLIC_BASE_URL, its DNS name and the proxy."
      )
    ]
  if (!isOurs(ready.value))
    return [
      ...found,
      fault(
        `Something other than Pennypress answers at ${base}.`,
        "Check PUBLIC_BASE_URL, its DNS name and the proxy."
      )
    ]
  found.push(
    ready.value.status === 200
      ? ok(`Pennypress answers at ${base} and is ready.`)
      : fault(`Pennypress answers at ${base}, but is not ready.`, "Check the other lines, and its log.")
  )
  if (!LOCAL_ORIGIN.test(base)) found.push(...(yield* proxyCheck(base)))
  if (Option.isSome(MEDIA_BASE_URL)) {
    const media = MEDIA_BASE_URL.value
    const image = yield* ask(`${media}/media/doctor.png`)
    found.push(
      Option.exists(image, (it) => it.status === 404 && isOurs(it))
        ? ok(`Images are reachable at ${media}.`)
        : fault(
            `${media} does not lead to the images of Pennypress.`,
            "Configure the host of MEDIA_BASE_URL to forward /media/ to the service."
          )
    )
  }
  return found
})

/** Checks that the public address leads here, over TLS, and that proxies tell the addresses of their clients. */
export const siteCheck = (environment: Environment) =>
  within(
    "site",
    Effect.provide(asked(environment), FetchHttpClient.layer),
    "Check PUBLIC_BASE_URL, its DNS name and the proxy."
  )

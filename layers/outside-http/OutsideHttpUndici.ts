import type { LookupFunction } from "node:net"
import * as NodeDns from "@effect/platform-node/NodeDns"
import { Agent, buildConnector, type Dispatcher } from "@effect/platform-node/Undici"
import { Effect, Layer, Result } from "effect"
import { Dns, NetAddress } from "effect/net"
import {
  type OutsideAnswer,
  OutsideFailure,
  OutsideHttp,
  type OutsidePost,
  type OutsideRequest,
  POST_RESPONSE_BYTES_MAX
} from "../../src/platform/ports/OutsideHttp.ts"
import { beginningOf, firstBytes } from "./bodies.ts"
import { AddressNotPublic, failureReasonOf, NamesSilent } from "./failureReason.ts"
import { isPublicAddress } from "./publicAddress.ts"
import { NO_TARGETS, postTargetOf, type PrivateTargets, targetOf, WEB_PORTS } from "./target.ts"

/** Milliseconds for the addresses of a name, and for a connection with TLS. */
const LOOKUP_MILLIS = 3_000
/** Milliseconds after which another name server is asked. */
const SILENCE_MILLIS = 1_000
const CONNECT_MILLIS = 3_000
/** Maximum size of the headers of an answer. */
const HEADER_BYTES_MAX = 16 * 1024
/** Milliseconds for which a connection waits for another request. */
const IDLE_MILLIS = 1_000
/** Milliseconds for the body of an answer to a message, whose status already said everything. */
const POST_RESPONSE_MILLIS = 1_000

const REDIRECTS = new Set([301, 302, 303, 307, 308])

const failure = (reason: OutsideFailure["reason"]) => new OutsideFailure({ reason })

export interface OutsideHttpOptions {
  readonly privateTargets: PrivateTargets
  /** Tells addresses of the public internet, and the ports of the web; tests have others. */
  readonly isPublic?: (address: NetAddress.IpAddress) => boolean
  readonly ports?: ReadonlyArray<number>
}

const make = Effect.fnUntraced(function* ({
  isPublic = isPublicAddress,
  ports = WEB_PORTS,
  privateTargets
}: OutsideHttpOptions) {
  const dns = yield* Dns.Dns
  const run = Effect.runPromiseWith(yield* Effect.context())

  /** Returns the answer of name servers about one family of addresses; undefined when none came. */
  const answerOf = (name: string, type: "A" | "AAAA") =>
    dns.resolve(name, type).pipe(
      Effect.map((records): ReadonlyArray<NetAddress.IpAddress> => records.map(({ address }) => address)),
      Effect.catchIf(
        ({ reason }) => reason === "NotFound",
        () => Effect.succeed([])
      ),
      Effect.timeout(LOOKUP_MILLIS),
      Effect.orElseSucceed(() => undefined)
    )

  /**
   * Returns the addresses of a name by the protocol itself, which holds no thread as the system's own look-up does. All that
   * came are public. Silence about one family leaves those of the other.
   */
  const publicAddresses = Effect.fnUntraced(function* (name: string) {
    const answers = yield* Effect.forEach(["A", "AAAA"] as const, (type) => answerOf(name, type), {
      concurrency: 2
    })
    const all = answers.flatMap((answer) => answer ?? [])
    if (all.length === 0 && answers.includes(undefined)) return yield* new NamesSilent()
    return all.every(isPublic) ? all : []
  })

  /** Returns the addresses to which a connection may go. */
  const allowedAddresses = Effect.fnUntraced(function* (hostname: string, isPrivate: boolean) {
    const literal = NetAddress.ipFromString(hostname.replace(/^\[|\]$/g, ""))
    if (isPrivate && Result.isSuccess(literal)) return [literal.success]
    const addresses = yield* isPrivate
      ? dns.lookup(hostname).pipe(
          Effect.orElseSucceed(() => []),
          Effect.timeoutOrElse({ duration: LOOKUP_MILLIS, orElse: () => Effect.fail(new NamesSilent()) })
        )
      : publicAddresses(hostname)
    return addresses.length > 0 ? addresses : yield* new AddressNotPublic()
  })

  /** Connects to the addresses that were looked up for this connection alone, and looks once more where it arrived. */
  const connectorOf = (isPrivate: boolean): buildConnector.connector => {
    const connected = async (...[options, callback]: Parameters<buildConnector.connector>) => {
      const addresses = (await run(allowedAddresses(options.hostname, isPrivate))).map((address) => ({
        address: NetAddress.formatIp(address),
        family: NetAddress.isIpv4Address(address) ? 4 : 6
      }))
      const lookup: LookupFunction = (_, { all }, answer) => {
        if (all === true) answer(null, addresses)
        else answer(null, addresses[0]?.address ?? "", addresses[0]?.family)
      }
      const connect = buildConnector({
        allowH2: false,
        timeout: CONNECT_MILLIS,
        lookup,
        maxCachedSessions: 0,
        rejectUnauthorized: true,
        minVersion: "TLSv1.2"
      })
      return connect(options, (error, socket) => {
        if (error !== null) return callback(error, null)
        const remote = NetAddress.ipFromString(socket.remoteAddress ?? "")
        const arrived = Result.isSuccess(remote) ? NetAddress.formatIp(remote.success) : undefined
        if (addresses.some(({ address }) => address === arrived)) return callback(null, socket)
        socket.destroy()
        return callback(new AddressNotPublic(), null)
      })
    }
    return (options, callback) => void connected(options, callback).catch((cause) => callback(cause, null))
  }

  const agentOf = (isPrivate: boolean) =>
    Effect.acquireRelease(
      Effect.sync(
        () =>
          new Agent({
            allowH2: false,
            connect: connectorOf(isPrivate),
            maxHeaderSize: HEADER_BYTES_MAX,
            keepAliveTimeout: IDLE_MILLIS,
            keepAliveMaxTimeout: IDLE_MILLIS
          })
      ),
      (agent) => Effect.promise(() => agent.destroy())
    )
  const agents = { outside: yield* agentOf(false), inside: yield* agentOf(true) }

  type Sent = Pick<Dispatcher.RequestOptions, "method" | "headers" | "body">

  const request = (url: URL, isPrivate: boolean, sent: Sent) =>
    Effect.acquireRelease(
      Effect.tryPromise({
        try: (signal) =>
          (isPrivate ? agents.inside : agents.outside).request({
            ...sent,
            origin: url.origin,
            path: url.pathname + url.search,
            signal
          }),
        catch: (cause) => failure(failureReasonOf(cause))
      }),
      ({ body }) => Effect.sync(() => body.on("error", () => undefined).destroy()),
      { interruptible: true }
    )

  /** Reads a body up to its bound, and no byte after it. */
  const bodyOf = ({ body, headers }: Dispatcher.ResponseData, maxBytes: number) =>
    Effect.gen(function* () {
      if (Number(headers["content-length"] ?? 0) > maxBytes) return yield* failure("too_large")
      const bytes = yield* Effect.tryPromise({
        try: () => firstBytes(body, maxBytes),
        catch: () => failure("connection")
      })
      return bytes ?? (yield* failure("too_large"))
    })

  const follow: (
    asked: OutsideRequest,
    text: string,
    left: number
  ) => Effect.Effect<OutsideAnswer, OutsideFailure> = Effect.fnUntraced(function* (asked, text, left) {
    // A server of strangers leads into no network of the operator.
    const isFirst = left === asked.maxRedirects
    const target = targetOf(text, isFirst ? privateTargets : NO_TARGETS, ports)
    if (target === undefined) return yield* failure("address_not_public")
    const next = yield* Effect.scoped(
      Effect.gen(function* () {
        const response = yield* request(target.url, target.isPrivate, {
          method: "GET",
          headers: { "user-agent": asked.userAgent, accept: "*/*", "accept-encoding": "identity" }
        })
        const { headers, statusCode: status } = response
        const location = one(headers["location"])
        if (REDIRECTS.has(status) && location !== undefined) return { location }
        const retryAfter = one(headers["retry-after"])
        if (status < 200 || status > 299) return { status, retryAfter, body: new Uint8Array() }
        return { status, retryAfter, body: yield* bodyOf(response, asked.maxBytes) }
      })
    )
    if (!("location" in next)) return next
    const url = URL.parse(next.location, target.url.href)
    if (url === null || left === 0) return yield* failure("redirects")
    return yield* follow(asked, url.href, left - 1)
  })

  const post = ({ body, headers: own, url }: OutsidePost) =>
    Effect.scoped(
      Effect.gen(function* () {
        const target = postTargetOf(url, privateTargets)
        if (typeof target === "string") return yield* failure("address_not_public")
        const headers = { ...own, accept: "*/*", "accept-encoding": "identity" }
        const answer = yield* request(target.url, target.isPrivate, { method: "POST", headers, body })
        const response = yield* beginningOf(answer.body, POST_RESPONSE_BYTES_MAX, POST_RESPONSE_MILLIS)
        return {
          status: answer.statusCode,
          retryAfter: one(answer.headers["retry-after"]),
          response: target.isPrivate ? undefined : response
        }
      })
    )

  const within =
    (duration: number) =>
    <A>(effect: Effect.Effect<A, OutsideFailure>) =>
      Effect.timeoutOrElse(effect, { duration, orElse: () => Effect.fail(failure("timeout")) })

  return OutsideHttp.of({
    get: (asked) => within(asked.timeoutMillis)(follow(asked, asked.url, asked.maxRedirects)),
    post: (message) => within(message.timeoutMillis)(post(message)),
    checkPost: Effect.fnUntraced(function* (text) {
      const target = postTargetOf(text, privateTargets)
      if (typeof target === "string") return target
      return yield* Effect.match(allowedAddresses(target.url.hostname, target.isPrivate), {
        onFailure: () => "address_not_public" as const,
        onSuccess: () => undefined
      })
    })
  })
})

const one = (value: string | ReadonlyArray<string> | undefined): string | undefined =>
  typeof value === "string" || value === undefined ? value : value[0]

/** Requests by undici, over connections to addresses that were checked. The caller provides the look-up of names. */
export const layer = (options: OutsideHttpOptions) => Layer.effect(OutsideHttp, make(options))

/** Asks these name servers, or those of the system. The second one is asked when the first is silent. */
export const nameServers = (addresses: ReadonlyArray<string> = []) =>
  Layer.effect(
    Dns.Dns,
    Effect.orDie(NodeDns.make({ nameServers: addresses, timeout: SILENCE_MILLIS, tries: 2 }))
  )

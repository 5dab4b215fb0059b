import { createServer, type RequestListener } from "node:http"
import type { Server } from "node:net"
import { Context, Effect, Layer, Result } from "effect"
import { Dns, NetAddress } from "effect/net"
import * as OutsideHttpUndici from "../../../layers/outside-http/OutsideHttpUndici.ts"
import {
  OutsideHttp,
  type OutsidePost,
  type OutsideRequest
} from "../../../src/platform/ports/OutsideHttp.ts"
import { listening } from "../../support/listening.ts"

/** Plays an address of the public internet. */
export const PUBLIC = "127.0.0.1"
/** Plays a private one. */
export const PRIVATE = "127.0.0.2"

export type Zone = Readonly<Record<string, ReadonlyArray<ReadonlyArray<string>>>>

/**
 * Names with the addresses of each look-up in turn; the last ones stay. No server answers about names that begin with `silent`,
 * nor about IPv6 addresses of those that begin with `half`.
 */
const resolverOf = (zone: Zone) => {
  const asked: Array<string> = []
  const resolve = (name: string) =>
    Effect.sync(() => {
      const turn = asked.filter((it) => it === name).length
      asked.push(name)
      const answers = zone[name] ?? []
      return (answers[turn] ?? answers.at(-1) ?? []).map((address) =>
        Dns.makeRecordUnsafe("A", { address: Result.getOrThrow(NetAddress.ipv4FromString(address)) })
      )
    })
  const dns = Dns.make({
    lookup: () => Effect.succeed([]),
    resolve: (name, type) => {
      const isSilent = name.startsWith("silent") || (name.startsWith("half") && type === "AAAA")
      if (isSilent)
        return Effect.fail(new Dns.DnsError({ reason: "Timeout", method: "resolve", hostname: name }))
      return type === "A" ? resolve(name) : Effect.succeed([])
    }
  })
  return { asked, layer: Layer.succeed(Dns.Dns, dns) }
}

/** Starts a server on loopback, and the client with a resolver that knows the zone, unless `names` is one. */
export const world = Effect.fnUntraced(function* (
  listener: RequestListener | Server,
  zone: Zone,
  named: ReadonlyArray<string> = [],
  names?: Layer.Layer<Dns.Dns>
) {
  const port = yield* listening(typeof listener === "function" ? createServer(listener) : listener)
  const { asked, layer } = resolverOf(zone)
  const context = yield* Layer.build(
    Layer.provide(
      OutsideHttpUndici.layer({
        privateTargets: { named, loopbackBut: undefined },
        isPublic: (address) => NetAddress.formatIp(address) === PUBLIC,
        ports: [port]
      }),
      names ?? layer
    )
  )
  const outside = Context.get(context, OutsideHttp)
  const get = (url: string, options: Partial<OutsideRequest> = {}) =>
    outside.get({
      url: url.replace("PORT", String(port)),
      userAgent: "Test/1",
      maxBytes: 1_000,
      timeoutMillis: 20_000,
      maxRedirects: 3,
      ...options
    })
  const reasonOf = (url: string, options?: Partial<OutsideRequest>) =>
    Effect.map(Effect.flip(get(url, options)), ({ reason }) => reason)
  const post = (url: string, options: Partial<OutsidePost> = {}) =>
    outside.post({
      url: url.replace("PORT", String(port)),
      headers: { "user-agent": "Test/1" },
      body: "{}",
      timeoutMillis: 15_000,
      ...options
    })
  return { asked, checkPost: outside.checkPost, get, port, post, reasonOf }
})

export const ZONE: Zone = { "pictures.example": [[PUBLIC]], "inside.example": [[PRIVATE]] }

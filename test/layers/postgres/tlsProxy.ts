import { connect, createServer } from "node:net"
import { createSecureContext, TLSSocket } from "node:tls"
import { Effect, Redacted } from "effect"
import { certificate, certificateKey } from "../mail/certificate.ts"

/**
 * Starts a server that speaks TLS alone, with a certificate of a private authority, in front of the server of a
 * database URL. Returns the URL at this host with these parameters. It answers on every address of 127.0.0.0/8.
 */
export const tlsProxy = Effect.fnUntraced(function* (url: Redacted.Redacted) {
  const target = new URL(Redacted.value(url))
  const secureContext = createSecureContext({ cert: certificate, key: certificateKey })
  const server = createServer((raw) => {
    raw.on("error", () => {})
    // The request for TLS has eight bytes.
    raw.once("data", (request) => {
      if (request.length !== 8) return raw.destroy()
      raw.write("S")
      const client = new TLSSocket(raw, { isServer: true, secureContext })
      const upstream = connect(Number(target.port), target.hostname)
      for (const [from, to] of [
        [client, upstream],
        [upstream, client]
      ] as const)
        from.on("error", () => {}).on("close", () => to.destroy())
      client.pipe(upstream)
      upstream.pipe(client)
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.callback<number>((resume) => {
      server.listen(0, "0.0.0.0", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () => Effect.sync(() => server.close())
  )
  return (host: string, parameters: Readonly<Record<string, string>>) => {
    const proxied = new URL(target)
    proxied.host = `${host}:${port}`
    proxied.search = new URLSearchParams(parameters).toString()
    return Redacted.make(proxied.href)
  }
})

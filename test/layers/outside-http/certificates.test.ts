import { createServer, type ServerOptions } from "node:https"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { certificate, certificateKey } from "../mail/certificate.ts"
import * as certificates from "./certificates.ts"
import { world, ZONE } from "./world.ts"

/** Trusts the authority of these tests, as the system does others. */
const trusted = Effect.acquireRelease(
  Effect.sync(() => {
    const before = getCACertificates("default")
    setDefaultCACertificates([...before, certificates.authority])
    return before
  }),
  (before) => Effect.sync(() => setDefaultCACertificates(before))
)

/** Sends a message to a server with TLS of these options. Returns its status, or the reason why there is none. */
const sendTo = Effect.fnUntraced(function* (options: ServerOptions) {
  let requests = 0
  const server = createServer({ key: certificates.key, ...options }, (request, response) => {
    requests += 1
    response.end(request.headers.host)
  })
  server.on("tlsClientError", () => undefined)
  const { port, post } = yield* world(server, ZONE)
  const outcome = yield* Effect.match(post(`https://pictures.example:${port}/`), {
    onFailure: ({ reason }) => reason,
    onSuccess: ({ response, status }) =>
      `${status} ${
        Buffer.from(response ?? [])
          .toString()
          .split(":")[0]
      }`
  })
  return [outcome, requests] as const
}, Effect.scoped)

describe("certificates of servers that strangers name", () => {
  it.live(
    "A message reaches a certificate of its name alone, within its time, of a known authority, by TLS 1.2",
    () =>
      Effect.gen(function* () {
        yield* trusted
        const { early, expired, foreign, valid } = certificates
        assert.deepStrictEqual(yield* sendTo({ cert: valid }), ["200 pictures.example", 1])
        const refused: Readonly<Record<string, ServerOptions>> = {
          expired: { cert: expired },
          early: { cert: early },
          foreign: { cert: foreign },
          "of no authority": { cert: certificate, key: certificateKey },
          "by TLS 1.1": {
            cert: valid,
            minVersion: "TLSv1",
            maxVersion: "TLSv1.1",
            ciphers: "DEFAULT@SECLEVEL=0"
          }
        }
        for (const [name, options] of Object.entries(refused))
          assert.deepStrictEqual(yield* sendTo(options), ["tls", 0], name)
      }).pipe(Effect.scoped)
  )
})

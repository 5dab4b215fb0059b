import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { nameServers } from "../../../layers/outside-http/OutsideHttpUndici.ts"
import { nameServer } from "./nameServer.ts"
import { PRIVATE, PUBLIC, world } from "./world.ts"

describe("names that a name server answers about", () => {
  it.live("Every address of a name is public at every connection, by any family, alias and transport", () =>
    Effect.gen(function* () {
      let requests = 0
      const { address, askedOf } = yield* nameServer({
        "public.example": [[PUBLIC]],
        "private.example": [[PRIVATE]],
        "mixed.example": [[PUBLIC, PRIVATE]],
        // Sockets reach IPv4 by these addresses of IPv6.
        "mapped.example": [["::ffff:127.0.0.1"]],
        "mapped-too.example": [[PUBLIC, "::ffff:127.0.0.1"]],
        "translated.example": [["64:ff9b::7f00:1"]],
        "loopback.example": [["::1"]],
        "local.example": [[PUBLIC, "fe80::1"]],
        "alias.example": [["public.example.", PUBLIC]],
        "alias-inside.example": [["private.example.", PRIVATE]],
        "loop.example": [["pool.example.", "loop.example."]],
        "empty.example": [[]],
        "long.example": [[PUBLIC]],
        "long-inside.example": [[PUBLIC, PRIVATE]],
        "rebinding.example": [[PUBLIC], [PRIVATE]],
        "rebinding-later.example": [[PUBLIC], [PUBLIC], ["::ffff:127.0.0.1"]]
      })
      const { checkPost, get, reasonOf } = yield* world(
        (_, response) => {
          requests += 1
          response.setHeader("connection", "close").end("here")
        },
        {},
        [],
        nameServers([address])
      )
      for (const name of ["public", "alias", "long"]) {
        assert.strictEqual((yield* get(`http://${name}.example:PORT/`)).status, 200, name)
        assert.isUndefined(yield* checkPost(`https://${name}.example/`), name)
      }
      assert.strictEqual(requests, 3)
      for (const name of [
        "private",
        "mixed",
        "mapped",
        "mapped-too",
        "translated",
        "loopback",
        "local",
        "alias-inside",
        "loop",
        "empty",
        "long-inside",
        "unknown"
      ]) {
        assert.strictEqual(yield* reasonOf(`http://${name}.example:PORT/`), "address_not_public", name)
        assert.strictEqual(yield* checkPost(`https://${name}.example/`), "address_not_public", name)
      }
      assert.strictEqual(requests, 3)

      // A check of the URL proves nothing about a later connection, nor does one connection about the next.
      assert.isUndefined(yield* checkPost("https://rebinding.example/"))
      assert.strictEqual(yield* reasonOf("http://rebinding.example:PORT/"), "address_not_public")
      for (const status of [200, 200])
        assert.strictEqual((yield* get("http://rebinding-later.example:PORT/")).status, status)
      assert.strictEqual(yield* reasonOf("http://rebinding-later.example:PORT/"), "address_not_public")
      assert.deepStrictEqual(
        [requests, askedOf("rebinding.example"), askedOf("rebinding-later.example")],
        [5, 2, 3]
      )
    })
  )

  it.live("Silent name servers end a request after three seconds", () =>
    Effect.gen(function* () {
      const { address } = yield* nameServer({})
      const { reasonOf } = yield* world((_, response) => response.end(), {}, [], nameServers([address]))
      const began = yield* Clock.currentTimeMillis
      assert.strictEqual(yield* reasonOf("http://silent.example:PORT/"), "timeout")
      const millis = (yield* Clock.currentTimeMillis) - began
      assert.isAtLeast(millis, 1_000)
      assert.isBelow(millis, 10_000)
    })
  )
})

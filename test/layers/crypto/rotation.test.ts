import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import * as AccessTokensJose from "../../../layers/crypto/AccessTokensJose.ts"
import * as PepperHmac from "../../../layers/crypto/PepperHmac.ts"
import * as SealerAesGcm from "../../../layers/crypto/SealerAesGcm.ts"
import { PublicBaseUrl } from "../../../schemas/platform/errors/PublicBaseUrl.ts"
import { OwnerId, SessionId } from "../../../schemas/platform/Ids.ts"
import { AccessTokens } from "../../../src/platform/ports/AccessTokens.ts"
import { Pepper } from "../../../src/platform/ports/Pepper.ts"
import { Sealer } from "../../../src/platform/ports/Sealer.ts"
import { configured, NEW, OLD, started } from "./serverSecrets.ts"

/** The steps of a rotation, as layers/ONE-MACHINE.md has them. */
const STEPS = [OLD, `${OLD},${NEW}`, `${NEW},${OLD}`, NEW] as const

const claims = {
  ownerId: OwnerId.make("019a0000-0000-7000-8000-000000000001"),
  sessionId: SessionId.make("019a0000-0000-7000-8000-000000000002"),
  method: "nano"
} as const

const process = (secrets: string) =>
  started(
    Layer.mergeAll(AccessTokensJose.layer, PepperHmac.layer, SealerAesGcm.layer).pipe(
      Layer.provide([configured(secrets), Layer.succeed(PublicBaseUrl, "https://press.test")])
    )
  )

/** Returns true if one process understands what another one makes. */
const understands = Effect.fnUntraced(function* (reader: string, maker: string) {
  const [of, by] = [yield* process(reader), yield* process(maker)]
  const token = yield* Context.get(by, AccessTokens).sign(claims)
  const sealed = yield* Context.get(by, Sealer).seal("a code")
  const hash = yield* Context.get(by, Pepper).hash("123456")
  return (
    Option.isSome(yield* Context.get(of, AccessTokens).verify(Redacted.make(token))) &&
    Option.isSome(yield* Context.get(of, Sealer).open(sealed)) &&
    (yield* Context.get(of, Pepper).matches("123456", hash))
  )
})

describe("a rotation of the secret", () => {
  it.effect("Processes of two steps that follow each other understand each other", () =>
    Effect.gen(function* () {
      for (const [earlier, later] of [
        [STEPS[0], STEPS[1]],
        [STEPS[1], STEPS[2]]
      ] as const) {
        assert.isTrue(yield* understands(earlier, later))
        assert.isTrue(yield* understands(later, earlier))
      }
      // All that the former secret made has expired by the last step.
      assert.isTrue(yield* understands(STEPS[3], STEPS[2]))
      assert.isTrue(yield* understands(STEPS[2], STEPS[3]))
    })
  )

  it.effect("A process does not understand another one that is two steps ahead", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* understands(STEPS[0], STEPS[2]))
      assert.isFalse(yield* understands(STEPS[3], STEPS[1]))
    })
  )
})

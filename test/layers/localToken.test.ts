import { readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { readEnvironment } from "../../layers/config/environment.ts"
import { settings } from "../../layers/settings.ts"
import { Settings } from "../../src/platform/ports/Settings.ts"
import { temporaryDirectory } from "../support/directories.ts"

/** Returns the local token of a service with these variables. */
const tokenOf = Effect.fnUntraced(
  function* (env: Readonly<Record<string, string>>) {
    const environment = yield* Effect.provideService(
      readEnvironment,
      ConfigProvider.ConfigProvider,
      ConfigProvider.fromEnv({ env })
    )
    const { localToken } = yield* Effect.provide(Settings, settings(environment))
    return localToken === undefined ? undefined : Redacted.value(localToken)
  },
  Effect.provide([NodeServices.layer, SecureRandom.layerWebCrypto])
)

describe("the token of programs of this machine", () => {
  it.live("A service that only this machine can reach has none", () =>
    Effect.gen(function* () {
      const PENNYPRESS_DATA = yield* temporaryDirectory
      for (const env of [{}, { HOST: "::1" }, { PUBLIC_BASE_URL: "http://localhost:8080" }])
        assert.isUndefined(yield* tokenOf({ PENNYPRESS_DATA, ...env }), JSON.stringify(env))
    })
  )

  it.live("A service that others can reach has one in a file of its account, or that of its operator", () =>
    Effect.gen(function* () {
      const PENNYPRESS_DATA = yield* temporaryDirectory
      const reachable = [
        { HOST: "0.0.0.0", NANO_LEDGER: "development" },
        { PUBLIC_BASE_URL: "https://press.example" },
        { TRUSTED_PROXIES: "127.0.0.1" }
      ]
      for (const env of reachable) {
        const token = yield* tokenOf({ PENNYPRESS_DATA, ...env })
        const file = join(PENNYPRESS_DATA, "local-token")
        assert.strictEqual(token, readFileSync(file, "utf8").trim(), JSON.stringify(env))
        assert.strictEqual(statSync(file).mode & 0o777, 0o600)
        const LOCAL_TOKEN = "l".repeat(32)
        assert.strictEqual(yield* tokenOf({ PENNYPRESS_DATA, LOCAL_TOKEN, ...env }), LOCAL_TOKEN)
      }
    })
  )
})

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Exit } from "effect"
import { Command } from "effect/cli"
import { readEnvironment, serviceOrigin } from "../../layers/config/environment.ts"
import { command } from "../../src/bin/commandLine.ts"
import { operatorMessage } from "../../src/bin/failures.ts"
import { started } from "../wire/server.ts"
import { get } from "../wire/sockets.ts"

const baseUrlOf = (env: Readonly<Record<string, string>>) =>
  readEnvironment.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env })),
    Effect.map(({ PUBLIC_BASE_URL }) => PUBLIC_BASE_URL)
  )

const WARNING = "PUBLIC_BASE_URL is an address of this machine"

describe("PUBLIC_BASE_URL", () => {
  it.effect("The base URL follows HOST and PORT by default", () =>
    Effect.gen(function* () {
      for (const [env, expected] of [
        [{}, "http://localhost:4020"],
        [{ PORT: "8080" }, "http://localhost:8080"],
        [{ PORT: "0" }, "http://localhost:4020"],
        [{ HOST: "127.0.0.2", PORT: "80" }, "http://localhost:80"],
        [{ HOST: "::1" }, "http://localhost:4020"],
        [{ HOST: "0.0.0.0", PORT: "8080", NANO_LEDGER: "off" }, "http://localhost:8080"],
        [{ HOST: "::", PORT: "8080", NANO_LEDGER: "off" }, "http://localhost:8080"],
        [{ HOST: "192.0.2.7", PORT: "8080" }, "http://192.0.2.7:8080"],
        [{ HOST: "2001:db8::7", PORT: "8080" }, "http://[2001:db8::7]:8080"],
        [{ HOST: "press.example" }, "http://press.example:4020"],
        [{ HOST: "press.example", PUBLIC_BASE_URL: "https://press.example" }, "https://press.example"]
      ] as const) {
        assert.strictEqual(yield* baseUrlOf(env), expected, JSON.stringify(env))
        const provider = ConfigProvider.fromEnv({ env })
        assert.strictEqual(yield* serviceOrigin.parse(provider), expected, JSON.stringify(env))
      }
    })
  )

  it.live("A command of the administrator calls the service of the same variables", () =>
    Effect.gen(function* () {
      const environment = { PORT: "1", ADMIN_TOKEN: "a token of thirty-two characters" }
      const failure = yield* Command.runWith(command, { version: "0" })(["admin", "moderators", "list"]).pipe(
        Effect.provide(NodeServices.layer),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment })),
        Effect.exit
      )
      assert.isTrue(Exit.isFailure(failure))
      if (Exit.isFailure(failure)) assert.include(operatorMessage(failure.cause), "http://localhost:1/rpc")
    })
  )

  for (const [words, environment, isWarned] of [
    [
      "on all addresses without it warns that its URLs name this machine",
      { HOST: "0.0.0.0", NANO_LEDGER: "off" },
      true
    ],
    ["only on the loopback does not warn", { HOST: "127.0.0.1" }, false],
    [
      "on all addresses with it does not warn",
      { HOST: "0.0.0.0", PUBLIC_BASE_URL: "https://press.example" },
      false
    ]
  ] as const) {
    it.live(`A service that listens ${words}`, () =>
      Effect.gen(function* () {
        const { logs, port } = yield* started("test_public_base_url", {}, environment)
        const warnings = logs.filter(({ message }) => JSON.stringify(message).includes(WARNING))
        assert.lengthOf(warnings, isWarned ? 1 : 0)
        const baseUrl =
          "PUBLIC_BASE_URL" in environment ? environment.PUBLIC_BASE_URL : "http://localhost:4020"
        const answer = yield* get(`http://127.0.0.1:${port}/nowhere`)
        assert.strictEqual(answer.status, 404)
        assert.include(answer.text, `${baseUrl}/problems/not-found`)
        for (const { level, message } of warnings) {
          assert.strictEqual(level, "Warn")
          assert.include(JSON.stringify(message), baseUrl)
        }
      })
    )
  }
})

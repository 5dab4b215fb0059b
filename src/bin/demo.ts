import { fileURLToPath } from "node:url"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Console, Effect, FileSystem, Layer, Option, Path } from "effect"
import { SecureRandom } from "effect/crypto"
import { serviceOrigin } from "../../layers/config/environment.ts"
import { runDemo } from "./demoFlow.ts"
import { makeDemoMailbox } from "./demoMailbox.ts"

/** A picture of the README, which the Post does not have. */
const PICTURE = /^!\[.*\n\n?/gm

const readme = fileURLToPath(new URL("../../README.md", import.meta.url))

/** Shows the service to a newcomer: an agent signs in and publishes, and a reader finds the Post. */
Effect.gen(function* () {
  const baseUrl = yield* serviceOrigin
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const data = yield* Config.String("PENNYPRESS_DATA").pipe(Config.withDefault("./.pennypress"))
  const outbox = path.resolve(data, "outbox")
  const { signIn, url } = yield* runDemo({
    baseUrl,
    markdown: (yield* fs.readFileString(readme)).replaceAll(PICTURE, ""),
    print: Console.log,
    mailedCode: yield* makeDemoMailbox(outbox)
  })
  yield* Console.log(`\nPublished. Anyone can read it: ${url}`)
  yield* Console.log(`The author's desk, with drafts and sales: ${baseUrl}/desk`)
  if (Option.isNone(signIn)) return
  const { email, from } = signIn.value
  yield* Console.log(
    `To sign in there, enter ${email} from ${from.toLocaleTimeString("en-GB")} on, a minute after its last mail.`
  )
  yield* Console.log(`The code is then in the newest mail in ${outbox}`)
}).pipe(
  Effect.catchTag("HttpClientError", () =>
    Effect.andThen(
      Console.error(
        "The service does not answer. Start it with `npm start`, or set PUBLIC_BASE_URL to another one."
      ),
      Effect.sync(() => {
        process.exitCode = 1
      })
    )
  ),
  Effect.provide(Layer.mergeAll(NodeHttpClient.layerUndici, NodeServices.layer, SecureRandom.layerWebCrypto)),
  NodeRuntime.runMain
)

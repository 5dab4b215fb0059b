import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, FileSystem, Schema } from "effect"

const root = fileURLToPath(new URL("../../", import.meta.url))

const Manifest = Schema.fromJsonString(
  Schema.Struct({
    version: Schema.String,
    license: Schema.String,
    engines: Schema.Record(Schema.String, Schema.String),
    dependencies: Schema.Record(Schema.String, Schema.String)
  })
)
const decodeManifest = Schema.decodeEffect(Manifest)

/** The modules that programs import, by the path after the package's name. */
const ENTRIES = {
  "./client": "./src/client/PennypressClient",
  "./service-client": "./src/client/ServiceClient",
  "./schemas": "./schemas/Api",
  "./schemas/*": "./schemas/*"
}

/** Returns the manifest of the package of clients, with the versions of the service's own. */
const manifestOf = ({ dependencies, engines, license, version }: typeof Manifest.Type) => ({
  name: "pennypress-client",
  version,
  description: "The clients and the contract of Pennypress, for programs that call the service.",
  license,
  type: "module",
  sideEffects: false,
  exports: {
    ...Object.fromEntries(
      Object.entries(ENTRIES).map(([path, file]) => [path, { types: `${file}.d.ts`, default: `${file}.js` }])
    ),
    "./openapi.json": "./schemas/openapi.json",
    "./package.json": "./package.json"
  },
  files: ["src", "schemas"],
  dependencies: { "@noble/hashes": dependencies["@noble/hashes"] },
  // Programs that call Effects have the framework already. One of their own would be another one, and 60 MB.
  peerDependencies: { effect: `~${dependencies["effect"]}` },
  peerDependenciesMeta: { effect: { optional: true } },
  engines
})

const README = `# pennypress-client

The clients of Pennypress, and its contract as schemas of [Effect](https://effect.website). They run in Node and in browsers:

    npm install pennypress-client effect

- \`pennypress-client/client\` has one typed method for each operation of the HTTP API.
- \`pennypress-client/service-client\` calls the service over RPC, for other services of its operator.
- \`pennypress-client/schemas\` is the contract, and \`pennypress-client/schemas/…\` its parts, such as \`schemas/platform/Nano\`.
- \`pennypress-client/openapi.json\` is the contract for programs without Effect.
`

/** Completes the package of clients in the directory that `CLIENT_OUT` names. The compiler wrote its modules there. */
Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const target = resolve(root, yield* Config.NonEmptyString("CLIENT_OUT"))
  const manifest = manifestOf(yield* decodeManifest(yield* fs.readFileString(`${root}package.json`)))
  yield* fs.writeFileString(`${target}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`)
  yield* fs.writeFileString(`${target}/README.md`, README)
  yield* fs.copyFile(`${root}schemas/openapi.json`, `${target}/schemas/openapi.json`)
  yield* fs.copyFile(`${root}LICENSE`, `${target}/LICENSE`)
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)

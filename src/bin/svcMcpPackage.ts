import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Config, Effect, FileSystem, Option } from "effect"
import { localPackage } from "../mcp/documents/localPackage.ts"
import { licencesOfBundle } from "./bundledPackages.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))

/**
 * Writes the package of the local edition beside its bundle, in the directory that `SVC_MCP_OUT` names. It is one file, with
 * nothing else to install. `PUBLIC_BASE_URL` names the service that the registry of the protocol lists with the package.
 */
Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const target = resolve(root, yield* Config.NonEmptyString("SVC_MCP_OUT"))
  const baseUrl = Option.getOrUndefined(yield* Config.option(Config.NonEmptyString("PUBLIC_BASE_URL")))
  const texts = localPackage(baseUrl === undefined ? undefined : new URL(baseUrl).origin)
  for (const [name, text] of Object.entries(texts)) yield* fs.writeFileString(`${target}/${name}`, text)
  const map = `${target}/svc-mcp.js.map`
  yield* fs.writeFileString(`${target}/THIRD-PARTY-LICENSES`, yield* licencesOfBundle(map))
  // The program names no map, and needs none.
  yield* fs.remove(map)
  yield* fs.copyFile(`${root}LICENSE`, `${target}/LICENSE`)
  yield* fs.chmod(`${target}/svc-mcp.js`, 0o755)
}).pipe(Effect.provide(NodeServices.layer), NodeRuntime.runMain)

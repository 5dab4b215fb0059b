import { createHash } from "node:crypto"
import { existsSync, lstatSync, mkdirSync, symlinkSync } from "node:fs"
import { dirname, join, resolve } from "node:path"
import { Effect } from "effect"
import { accountFor, canReach } from "./unprivileged.ts"

/** The folder for the data of root's servers when their account cannot reach the data directory. */
export const stateDirectory = "/var/lib/pennypress"

const isThere = (path: string) => lstatSync(path, { throwIfNoEntry: false }) !== undefined

const nearestThere = (path: string): string => (existsSync(path) ? path : nearestThere(dirname(path)))

const link = (directory: string, place: string) => {
  mkdirSync(place, { recursive: true, mode: 0o711 })
  mkdirSync(dirname(directory), { recursive: true })
  symlinkSync(place, directory)
}

/**
 * Makes the server's folder reachable for the account that the server runs as. A project in root's own home gets a link
 * to a folder below `state`; other projects stay unchanged. If the link cannot be made, a later step reports the
 * obstacle.
 */
export const placeHome = Effect.fn("placeHome")(function* (directory: string, state = stateDirectory) {
  if (isThere(directory)) return
  const account = yield* accountFor(directory)
  if (account === undefined || canReach(nearestThere(resolve(directory)), account)) return
  const name = createHash("sha256").update(resolve(directory)).digest("hex").slice(0, 16)
  const place = join(state, name)
  const linked = yield* Effect.result(Effect.try(() => link(directory, place)))
  if (linked._tag === "Success") {
    yield* Effect.logInfo(
      `The account that runs PostgreSQL cannot reach ${directory}, so its files are in ${place}`
    )
  }
})

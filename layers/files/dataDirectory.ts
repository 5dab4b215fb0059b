import { Effect, FileSystem } from "effect"

/**
 * Creates the data directory. Under root other accounts may pass through it, as the account of the embedded database
 * must. Each private directory inside closes itself.
 */
export const makeDataDirectory = Effect.fn("makeDataDirectory")(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  yield* fs.makeDirectory(directory, { recursive: true, mode: process.getuid?.() === 0 ? 0o711 : 0o700 })
})

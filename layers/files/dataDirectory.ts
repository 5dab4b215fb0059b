import { Effect, FileSystem, Schema } from "effect"

/** The data directory cannot be made. The message says why, and what to do. */
export class DataDirectoryUnusable extends Schema.TaggedError<DataDirectoryUnusable>()(
  "DataDirectoryUnusable",
  { message: Schema.String }
) {}

/**
 * Creates the data directory. Under root other accounts may pass through it, as the account of the embedded database
 * must. Each private directory inside closes itself.
 */
export const makeDataDirectory = Effect.fn("makeDataDirectory")(function* (directory: string) {
  const fs = yield* FileSystem.FileSystem
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  yield* Effect.mapError(
    fs.makeDirectory(directory, { recursive: true, mode }),
    ({ cause }) =>
      new DataDirectoryUnusable({
        message: `The data directory cannot be created (${cause instanceof Error ? cause.message : directory}). Set PENNYPRESS_DATA to a folder that this account may write to.`
      })
  )
})

import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs"
import { Effect, Schema } from "effect"
import { marked } from "../../mcp/local/failures/marked.ts"

/** Maximum number of bytes of an input file. */
const FILE_BYTES_MAX = 64 * 1024

/** Reads a file that only this account can read, without following a link. Throws for any other file. */
const readPrivate = (path: string): string => {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants
  const file = openSync(path, O_RDONLY | (O_NOFOLLOW ?? 0) | (O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(file)
    const isPrivate =
      process.platform === "win32" || (stats.uid === process.getuid?.() && (stats.mode & 0o777) === 0o600)
    if (!stats.isFile() || !isPrivate || stats.nlink !== 1 || stats.size > FILE_BYTES_MAX) {
      throw marked("input-file-insecure")
    }
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}

/** Reads the values of a command from a file of JSON with mode 0600. Fails with `input-file-insecure`. */
export const readInputFile = <A>(path: string, schema: Schema.Codec<A, unknown>) =>
  Effect.try({ try: () => readPrivate(path), catch: () => marked("input-file-insecure") }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Schema.fromJsonString(schema), { onExcessProperty: "error" })),
    // The reason of the failure would show the content of the file.
    Effect.mapError(() => marked("input-file-insecure"))
  )

import { Effect } from "effect"

/** Collects what is written to standard error until the scope ends. */
export const written = Effect.acquireRelease(
  Effect.sync(() => {
    const { write } = process.stderr
    const texts: Array<string> = []
    process.stderr.write = (text: string | Uint8Array) => texts.push(String(text)) > 0
    return { texts, restore: () => (process.stderr.write = write) }
  }),
  ({ restore }) => Effect.sync(restore)
)

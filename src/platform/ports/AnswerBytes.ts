import { Context, type Effect } from "effect"

/** A coding of an answer's bytes that clients may accept. */
export type Coding = "br" | "gzip"

/** Computes digests and compressed forms of public answers. */
export class AnswerBytes extends Context.Service<
  AnswerBytes,
  {
    /** Returns a digest of at least 128 bits, in letters that an ETag may have. */
    readonly digest: (bytes: Uint8Array) => string
    /** Compresses bytes without delaying the requests of this process. */
    readonly compress: (bytes: Uint8Array, coding: Coding) => Effect.Effect<Uint8Array>
  }
>()("pennypress/platform/ports/AnswerBytes") {}

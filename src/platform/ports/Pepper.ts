import { Context, type Effect } from "effect"

/**
 * Hashes what has too little entropy for SHA-256 alone, such as a code of six digits: HMAC-SHA-256 under a key of the
 * server, so that the database by itself tells nothing of it.
 */
export class Pepper extends Context.Service<
  Pepper,
  {
    /** 32 bytes, under the current key. */
    readonly hash: (text: string) => Effect.Effect<Uint8Array>
    /** Whether the hash is of this text, under the current key or a former one. In constant time. */
    readonly matches: (text: string, hash: Uint8Array) => Effect.Effect<boolean>
  }
>()("pennypress/platform/ports/Pepper") {}

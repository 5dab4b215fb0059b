import { Context, type Effect } from "effect"

/**
 * Hashes texts with too little entropy for SHA-256 alone, such as codes of six digits: HMAC-SHA-256 under a key of the
 * server, so that a copy of the database reveals nothing.
 */
export class Pepper extends Context.Service<
  Pepper,
  {
    /** Returns 32 bytes, under the current key. */
    readonly hash: (text: string) => Effect.Effect<Uint8Array>
    /** Returns true when the hash is of this text, under the current key or a former one. Takes constant time. */
    readonly matches: (text: string, hash: Uint8Array) => Effect.Effect<boolean>
  }
>()("pennypress/platform/ports/Pepper") {}

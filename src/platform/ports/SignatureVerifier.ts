import { Context, type Effect } from "effect"
import type { NanoAddress, NanoSignature, SignatureFormat } from "../../../schemas/platform/Nano.ts"

/** A message and what is said to be an account's signature over it. */
export interface SignedMessage {
  readonly account: NanoAddress
  /** The message that was stored, not one that the caller sent. */
  readonly message: string
  readonly format: SignatureFormat
  readonly signature: NanoSignature
}

/**
 * Checks signatures of wallets, each of which takes more than a millisecond of a processor, where that keeps nobody
 * else waiting.
 */
export class SignatureVerifier extends Context.Service<
  SignatureVerifier,
  {
    /**
     * Whether the signature is the account's over the message. A defect (`DependencyUnavailable`) when too many wait to
     * be checked.
     */
    readonly verify: (signed: SignedMessage) => Effect.Effect<boolean>
  }
>()("pennypress/platform/ports/SignatureVerifier") {}

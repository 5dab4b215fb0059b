import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect } from "effect"
import {
  type NanoAddress,
  type NanoSignature,
  publicKeyOfAddress,
  type SignatureFormat
} from "../../../schemas/platform/Nano.ts"
import { DependencyUnavailable } from "../ports/DependencyUnavailable.ts"
import { Offload } from "../ports/Offload.ts"
import { messageDigest } from "./messages.ts"
import { signatureTasks } from "./signatureTasks.ts"

/** A message and the signature that an account claims to have made over it. */
export interface SignedMessage {
  readonly account: NanoAddress
  /** The message as the service stored it, not as the caller sent it. */
  readonly message: string
  readonly format: SignatureFormat
  readonly signature: NanoSignature
}

/** A digest and the signature that an account claims to have made over it. */
interface SignedByAccount {
  readonly account: NanoAddress
  /** The caller whose checks take turns with those of others; the account itself, which is not proven yet, when absent. */
  readonly caller?: string
  readonly digest: Uint8Array
  readonly signature: NanoSignature
}

/** Too many signatures of the caller, or of all callers, wait for their check. */
class VerifierBusy {
  readonly _tag = "VerifierBusy"
}

/**
 * Makes a check of signatures over digests, such as hashes of blocks, that runs outside the thread of the requests. The
 * check returns true when the account signed the digest.
 */
export const makeDigestVerifier = Effect.map(
  Offload,
  (offload) =>
    ({ account, caller = account, digest, signature }: SignedByAccount) =>
      offload
        .run(
          signatureTasks.verify,
          { publicKey: hexToBytes(publicKeyOfAddress(account)), digest, signature: hexToBytes(signature) },
          caller
        )
        .pipe(
          Effect.catchTag("TaskTooExpensive", () => Effect.fail(new VerifierBusy())),
          Effect.catchDefect((defect) =>
            defect instanceof DependencyUnavailable ? Effect.fail(new VerifierBusy()) : Effect.die(defect)
          ),
          Effect.withSpan("signatureVerifier.verify")
        )
)

/**
 * Makes the same check of signatures over messages: true when the account signed the message. It dies with
 * `DependencyUnavailable` when too many signatures wait.
 */
export const makeSignatureVerifier = Effect.map(
  makeDigestVerifier,
  (verify) =>
    ({ account, format, message, signature }: SignedMessage) =>
      verify({ account, digest: messageDigest(format, message), signature }).pipe(
        Effect.catchTag("VerifierBusy", () =>
          Effect.die(new DependencyUnavailable({ dependency: "signature verification" }))
        )
      )
)

import { Effect, Layer } from "effect"
import { verifyMessage } from "../../src/platform/nano/messages.ts"
import { SignatureVerifier } from "../../src/platform/ports/SignatureVerifier.ts"

/** Verifies where it is asked, on the thread of the requests. */
export const layer = Layer.succeed(
  SignatureVerifier,
  SignatureVerifier.of({ verify: (signed) => Effect.sync(() => verifyMessage(signed)) })
)

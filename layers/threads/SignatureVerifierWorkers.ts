import { hexToBytes } from "@noble/hashes/utils.js"
import { Effect, Layer } from "effect"
import { publicKeyOfAddress } from "../../schemas/platform/Nano.ts"
import { messageDigest } from "../../src/platform/nano/messages.ts"
import { type SignedMessage, SignatureVerifier } from "../../src/platform/ports/SignatureVerifier.ts"
import { makeDependencyThreads } from "./dependencyThreads.ts"
import type { SignedDigest } from "./SignatureVerifierThread.ts"
import type { ThreadPoolOptions } from "./threadPool.ts"

/** What waits for one thread is checked in less than a second; two are enough for 1,500 sign-ins a second. */
const WAITING_MAX = 500

const digestOf = ({ account, format, message, signature }: SignedMessage): SignedDigest => ({
  publicKey: hexToBytes(publicKeyOfAddress(account)),
  digest: messageDigest(format, message),
  signature: hexToBytes(signature)
})

/**
 * Verifies in threads of its own, so that the other requests of the process do not wait for it: one or two, each started
 * by the first signature it is given. A 503 beyond 500 signatures that wait.
 */
export const layer = (options: Partial<ThreadPoolOptions> = {}) =>
  Layer.effect(
    SignatureVerifier,
    Effect.gen(function* () {
      const threads = yield* makeDependencyThreads<SignedDigest, boolean>(
        {
          dependency: "signature verification",
          program: "SignatureVerifierThread",
          waitingMax: WAITING_MAX
        },
        options
      )
      return SignatureVerifier.of({
        verify: Effect.fn("SignatureVerifierWorkers.verify")((signed) => threads.ask(digestOf(signed)))
      })
    })
  )

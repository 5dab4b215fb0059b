import { parentPort } from "node:worker_threads"
import { verify } from "../../src/platform/nano/ed25519Blake2b.ts"
import type { ThreadAnswer, ThreadQuestion } from "./threadPool.ts"

/** What is asked of a thread that verifies. */
export interface SignedDigest {
  readonly publicKey: Uint8Array
  readonly digest: Uint8Array
  readonly signature: Uint8Array
}

// The program of a thread; see SignatureVerifierWorkers.
parentPort?.on("message", ({ number, question }: ThreadQuestion<SignedDigest>) => {
  const answer = verify(question.publicKey, question.digest, question.signature)
  parentPort?.postMessage({ number, answer } satisfies ThreadAnswer<boolean>, [])
})

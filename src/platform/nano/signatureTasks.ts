import { tasksOf } from "../ports/tasks.ts"
import { verify } from "./ed25519Blake2b.ts"

/** A signature over a digest, with the claimed signer's key, as bytes. */
export interface SignedDigest {
  readonly publicKey: Uint8Array
  readonly digest: Uint8Array
  readonly signature: Uint8Array
}

/** Checks of signatures; each takes more than a millisecond. */
export const signatureTasks = tasksOf("signatures", {
  verify: ({ digest, publicKey, signature }: SignedDigest) => verify(publicKey, digest, signature)
})

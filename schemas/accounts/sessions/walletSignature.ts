/**
 * A message that a wallet signed, for writers of clients: the values that their own code has to compute. The message has a
 * letter of two bytes, so a length in characters gives another digest.
 */
export const SIGNATURE_VECTOR = {
  privateKey: "0000000000000000000000000000000000000000000000000000000000000001",
  publicKey: "c969ec348895a49e21824e10e6b829edea50ccc26a83ce8986a3b95d12576058",
  message: "Café",
  digest: "9ae3b59a9ff2d4b50be07e65ae4e6e32600f1d0cdb4341e3cf3f3c9d288a7a8d",
  signature:
    "bc8cb3b34a5864825f3950940676a86564678548fb070f8aa8dfc7cf1e866bfa4f1d3115d33fb63f073239f96242426d88748618e23a62bf39c65b572f3b6608"
} as const

/** Tells a program which bytes a wallet signs. The descriptions of the operations have it, and so does `/llms.txt`. */
export const SIGNATURE_RULE = [
  "A wallet signs three parts, one after the other: 0x18 `Nano Off-chain Message:\\n`, the length of `message` in UTF-8 as four big-endian bytes, and `message`.",
  "The signature is Ed25519 with BLAKE2b-512 in place of SHA-512, over the BLAKE2b-256 digest of these bytes.",
  `Test vector: private key ${SIGNATURE_VECTOR.privateKey}, public key ${SIGNATURE_VECTOR.publicKey}, message \`${SIGNATURE_VECTOR.message}\`, digest ${SIGNATURE_VECTOR.digest}, signature ${SIGNATURE_VECTOR.signature}.`
].join(" ")

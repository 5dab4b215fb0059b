import { createCipheriv, createHash, randomBytes } from "node:crypto"
import { generateKeyPair, SignJWT } from "jose"

const ACCESS_TOKEN_SECONDS = 15 * 60
const prefixes = { nano: "ppw_", email: "ppe_" } as const
const { privateKey } = await generateKeyPair("EdDSA")
const sealingKey = randomBytes(32)
const kid = randomBytes(32).toString("base64url")

export const sha256 = (text: string): Buffer => createHash("sha256").update(text).digest()

/** AES-256-GCM: nonce, ciphertext and tag in one. */
export const seal = (text: string): Buffer => {
  const nonce = randomBytes(12)
  const cipher = createCipheriv("aes-256-gcm", sealingKey, nonce)
  return Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()])
}

/** A new pair for a session: an Ed25519 JWT by the library that the service has it from, and 32 random bytes. */
export const pairOf = async (session: {
  readonly session_id: string
  readonly owner_id: string
  readonly method: keyof typeof prefixes
}) => {
  const issuedAt = Math.floor(Date.now() / 1000)
  const accessToken = await new SignJWT({ sid: session.session_id, amr: [session.method] })
    .setProtectedHeader({ alg: "EdDSA", typ: "JWT", kid })
    .setIssuer(process.env["PUBLIC_BASE_URL"] ?? "")
    .setSubject(session.owner_id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ACCESS_TOKEN_SECONDS)
    .sign(privateKey)
  return { accessToken, refreshToken: prefixes[session.method] + randomBytes(32).toString("base64url") }
}

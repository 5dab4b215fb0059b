import { Schema } from "effect"
import { EmailAddressInput } from "../../platform/EmailAddress.ts"
import { ServiceError } from "../../platform/errors/ServiceError.ts"
import { ChallengeId } from "../../platform/Ids.ts"
import { NanoAddress, NanoAddressInput, NanoSignature, SignatureFormat } from "../../platform/Nano.ts"
import { atLeast, atMost } from "../../platform/Text.ts"
import { Timestamp } from "../../platform/Timestamp.ts"
import { EmailCode } from "../email-codes/EmailCode.ts"

/** Spec 2.1: both tokens are secrets; the access token is valid for 15 minutes. */
export const TokenPair = Schema.Struct({
  accessToken: Schema.String,
  refreshToken: Schema.String
}).annotate({ identifier: "TokenPair" })
export type TokenPair = typeof TokenPair.Type

export const WalletChallengeRequest = Schema.Struct({ account: NanoAddressInput }).annotate({
  identifier: "WalletChallengeRequest"
})

/** The text that a wallet signs. It moves no funds and sends no transaction; it can be claimed once. */
export const WalletChallenge = Schema.Struct({
  challengeId: ChallengeId,
  account: NanoAddress,
  message: Schema.String,
  signatureFormats: Schema.Array(SignatureFormat),
  issuedAt: Timestamp,
  expiresAt: Timestamp
}).annotate({ identifier: "WalletChallenge" })
export type WalletChallenge = typeof WalletChallenge.Type

export const WalletClaim = Schema.Struct({
  challengeId: ChallengeId,
  account: NanoAddressInput,
  signature: NanoSignature,
  signatureFormat: Schema.optionalKey(SignatureFormat)
}).annotate({ identifier: "WalletClaim" })
export type WalletClaim = typeof WalletClaim.Type

/** Requests a code by mail. It is only for returning owners and never creates an account (spec 4.1.1). */
export const LoginRequest = Schema.Struct({ email: EmailAddressInput }).annotate({
  identifier: "LoginRequest"
})
export type LoginRequest = typeof LoginRequest.Type

/** The same answer, whether or not the mailbox has an owner or got a mail (spec 4.1.1). */
export const LoginAccepted = Schema.Struct({ message: Schema.String }).annotate({
  identifier: "LoginAccepted"
})
export type LoginAccepted = typeof LoginAccepted.Type

export const VerifyRequest = Schema.Struct({ email: EmailAddressInput, code: EmailCode }).annotate({
  identifier: "VerifyRequest"
})
export type VerifyRequest = typeof VerifyRequest.Type

export const RefreshRequest = Schema.Struct({
  refreshToken: Schema.String.check(atLeast(1), atMost(200))
}).annotate({ identifier: "RefreshRequest" })

/** `accessTokenValidUntilExpiry` is true only for native e-mail sessions (spec 3.5). */
export const LoggedOut = Schema.Struct({
  loggedOut: Schema.Literal(true),
  scope: Schema.Literal("local"),
  accessTokenValidUntilExpiry: Schema.Boolean
}).annotate({ identifier: "LoggedOut" })
export type LoggedOut = typeof LoggedOut.Type

/** Public keys that verify access tokens (RFC 7517). */
export const JsonWebKeySet = Schema.Struct({
  keys: Schema.Array(
    Schema.Struct({
      kty: Schema.Literal("OKP"),
      crv: Schema.Literal("Ed25519"),
      alg: Schema.Literal("EdDSA"),
      use: Schema.Literal("sig"),
      kid: Schema.String,
      x: Schema.String
    })
  )
}).annotate({ identifier: "JsonWebKeySet" })
export type JsonWebKeySet = typeof JsonWebKeySet.Type

/** The operator of the site takes no new accounts. Says nothing about any account. */
export class RegistrationClosed extends ServiceError<RegistrationClosed>()("RegistrationClosed") {}

/** Every failure of a claim: unknown, expired, used and wrong ones get the same answer. */
export class InvalidChallenge extends ServiceError<InvalidChallenge>()("InvalidChallenge") {}

/** Every failure of a code: wrong, expired, used, or for a mailbox without an owner. */
export class InvalidCode extends ServiceError<InvalidCode>()("InvalidCode") {}

export class SessionExpired extends ServiceError<SessionExpired>()("SessionExpired") {}

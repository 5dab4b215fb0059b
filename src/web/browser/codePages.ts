import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import { Effect, Option, Redacted, Result, Schema } from "effect"
import { Base64Url } from "effect/encoding"
import type { HttpServerResponse } from "effect/http"
import { EmailAddress, mailboxOf } from "../../../schemas/platform/EmailAddress.ts"
import type { OwnerAuthority } from "../../../schemas/platform/security/authorities.ts"
import { AccountEmail } from "../../accounts/account-email/AccountEmail.ts"
import { KEPT_LIFETIME_MILLIS } from "../../platform/http/keptForms.ts"
import { SentForm } from "../../platform/http/SentForm.ts"
import { Idempotency, type IdempotencyScope } from "../../platform/idempotency/Idempotency.ts"
import { KEPT_FIELD } from "../../platform/pages/entered.ts"
import { Sealer } from "../../platform/ports/Sealer.ts"
import { Secrets } from "../../platform/secrets/Secrets.ts"
import { later, now } from "../../platform/time/now.ts"
import type { Onward } from "./onward.ts"
import { type UnsentMail, unsentQuery } from "./unsentMail.ts"

/** Time for which a form with a code that is sent again gets its first answer. */
const REPEAT_MILLIS = 10_000

const NO_ID = "00000000-0000-0000-0000-000000000000"

/** A token as `Secrets` makes it. */
const TOKEN = /^[0-9A-Za-z]{43}$/

const CodePage = Schema.Struct({
  email: EmailAddress,
  /** Names the code that the page takes. Only pages of the browser that asked for the code have this name. */
  code: Schema.String,
  /** True if a mailbox without an owner was mailed, too. */
  isForAll: Schema.Boolean,
  back: Schema.String,
  /** The sealed form that waits for the code. */
  kept: Schema.NullOr(Schema.String),
  /** Milliseconds since 1970. */
  expiresAt: Schema.Int
})

/** The contents of a page that asks for a code, and the place where its reader goes on. */
type CodePage = typeof CodePage.Type

/** The result of a form with a code; the token is that of the browser's session. */
const CodeResult = Schema.Union([
  Schema.Struct({ outcome: Schema.Literal("signed-in"), token: Schema.String, isNew: Schema.Boolean }),
  Schema.Struct({ outcome: Schema.Literal("refused") })
])
type CodeResult = typeof CodeResult.Type

export const REFUSED: CodeResult = { outcome: "refused" }

export const signedIn = (token: Redacted.Redacted, isNew: boolean): CodeResult => ({
  outcome: "signed-in",
  token: Redacted.value(token),
  isNew
})

const hashOf = (secret: string) => bytesToHex(sha256(utf8ToBytes(secret)))

/** Returns the fields of a page by which it says where its reader goes on. */
export const backAndKept = (back: string, kept: string | null) =>
  new SentForm<"back" | typeof KEPT_FIELD>(
    new Map([["back", back], ...(kept === null ? [] : [[KEPT_FIELD, kept] as const])])
  )

const pageJson = Schema.fromJsonString(CodePage)
const resultJson = Schema.fromJsonString(CodeResult)

/** Keeps, sealed and for an hour, the pages that ask for a code, so that each has an address to which its reader returns. */
export const codePages = Effect.gen(function* () {
  const idempotency = yield* Idempotency
  const sealer = yield* Sealer
  const secrets = yield* Secrets
  const emails = yield* AccountEmail

  const sealed = (text: string) => Effect.map(sealer.seal(text), Base64Url.encode)

  const opened = Effect.fnUntraced(function* (text: string) {
    const bytes = Base64Url.decode(text)
    return Result.isFailure(bytes) ? Option.none<string>() : yield* sealer.open(bytes.success)
  })

  /** Names a record by the hash of what only its reader has. */
  const named = (scope: IdempotencyScope, secret: string) => ({
    scope,
    scopeId: NO_ID,
    idempotencyKey: hashOf(secret)
  })

  const find = Effect.fn("codePages.find")(function* (token: string) {
    const record = yield* idempotency.earlier({ ...named("code_page", token), intent: null })
    if (Option.isNone(record)) return Option.none<CodePage>()
    const content = yield* opened(JSON.parse(record.value.response ?? '""') as string)
    const at = (yield* now).getTime()
    return Option.filter(
      Option.flatMap(content, Schema.decodeUnknownOption(pageJson)),
      ({ expiresAt }) => expiresAt > at
    )
  })

  /** Returns the page whose token a form has, if it is a page of this address. */
  const findOf = Effect.fn("codePages.findOf")(function* (token: string | undefined, email: EmailAddress) {
    if (token === undefined) return Option.none<CodePage>()
    return Option.filter(yield* find(token), (page) => mailboxOf(page.email) === mailboxOf(email))
  })

  return {
    find,
    findOf,

    /**
     * Returns the page from which a form asks for a code, and the name of that code. The form that begins a sign-in has the
     * token of a page to be, so that a second press of its button leads to the page of the first. It gets another token if it
     * was sent with another address before.
     */
    begin: Effect.fn("codePages.begin")(function* (token: string | undefined, email: EmailAddress) {
      const earlier = yield* findOf(token, email)
      if (token !== undefined && Option.isSome(earlier))
        return { earlier: token, token: yield* secrets.token, code: earlier.value.code }
      const isFree = token !== undefined && TOKEN.test(token) && Option.isNone(yield* find(token))
      const own = isFree ? token : yield* secrets.token
      return { earlier: undefined, token: own, code: hashOf(own) }
    }),

    /** Keeps a page under its token, the secret part of its address. */
    keep: Effect.fn("codePages.keep")(function* (token: string, page: Omit<CodePage, "expiresAt">) {
      const expiresAt = later(yield* now, KEPT_LIFETIME_MILLIS).getTime()
      const text = yield* Effect.orDie(Schema.encodeEffect(pageJson)({ ...page, expiresAt }))
      const content = yield* sealed(text)
      const request = {
        ...named("code_page", token),
        intent: null,
        resourceId: NO_ID,
        lifetimeMillis: KEPT_LIFETIME_MILLIS,
        keep: (kept: string) => kept,
        kept: Schema.String
      }
      yield* Effect.orDie(idempotency.once(request, () => Effect.succeed(content)))
    }),

    /** Returns true if this owner has the address of a page, so that its code was entered. */
    isEntered: Effect.fn("codePages.isEntered")(function* (
      owner: Option.Option<OwnerAuthority>,
      { email }: CodePage
    ) {
      if (Option.isNone(owner)) return false
      const own = (yield* emails.read(owner.value)).email
      return own !== null && mailboxOf(own) === mailboxOf(email)
    }),

    /**
     * Redeems the code of a form once. Within ten seconds, the same form from the same page gets the first result again: people
     * press a button twice, and the browser shows only the last answer.
     */
    once: Effect.fn("codePages.once")(function* <R>(
      token: string,
      code: string,
      redeem: Effect.Effect<CodeResult, never, R>
    ) {
      const request = {
        ...named("code_form", `${token} ${code}`),
        intent: null,
        resourceId: NO_ID,
        lifetimeMillis: REPEAT_MILLIS,
        keep: (kept: string) => kept,
        kept: Schema.String
      }
      const answer = yield* Effect.orDie(
        idempotency.once(request, () =>
          redeem.pipe(
            Effect.flatMap((result) => Effect.orDie(Schema.encodeEffect(resultJson)(result))),
            Effect.flatMap(sealed)
          )
        )
      )
      const content = yield* opened(answer.value)
      return Option.getOrElse(Option.flatMap(content, Schema.decodeUnknownOption(resultJson)), () => REFUSED)
    })
  }
})

interface CodeRequest {
  readonly email: EmailAddress
  readonly isForAll: boolean
  readonly onward: Onward
  /** The token of the page, and the name of its code. */
  readonly token: string
  readonly code: string
  /** The page from which its reader asks again. */
  readonly earlier: string | undefined
}

interface Asking {
  readonly pages: Effect.Success<typeof codePages>
  readonly seeOther: (path: string) => HttpServerResponse.HttpServerResponse
  /** Answers with the page itself, for a request without a mail. */
  readonly shown: (request: CodeRequest, unsent: UnsentMail) => HttpServerResponse.HttpServerResponse
}

/**
 * Sends a browser to the page that asks for a code: of a mail that was sent now, or before. Strangers cause few mails, so
 * they can make this service keep few forms.
 */
export const makeAskCode = ({ pages, seeOther, shown }: Asking) =>
  Effect.fnUntraced(function* (request: CodeRequest, unsent?: UnsentMail) {
    const { code, earlier, email, isForAll, onward, token } = request
    const { back, waiting } = onward
    const query = unsent === undefined ? "" : unsentQuery(unsent, yield* now)
    if (unsent !== undefined && earlier !== undefined)
      return seeOther(`/sign-in/code/${encodeURIComponent(earlier)}${query}`)
    if (unsent !== undefined && waiting !== null) return shown(request, unsent)
    const kept = waiting === null ? null : waiting.sealed
    yield* pages.keep(token, { email, code, isForAll, back, kept })
    return seeOther(`/sign-in/code/${token}${query}`)
  })

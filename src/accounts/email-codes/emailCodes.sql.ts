import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { EMAIL_CODE_TRIES_MAX } from "../../../schemas/accounts/email-codes/EmailCode.ts"
import { EmailAddress } from "../../../schemas/platform/EmailAddress.ts"
import { statements } from "../../platform/sql/statements.ts"
import type { EmailCodePurpose } from "./VerifiedMailbox.ts"

/**
 * The subject of a code: for a login a mailbox, with the page of the website that asked for it; otherwise the id of the
 * registration, change or account.
 */
export interface CodeName {
  readonly purpose: EmailCodePurpose
  readonly subject: string
}

interface NewCode extends CodeName {
  readonly mailbox: EmailAddress
  readonly code_hash: Uint8Array
  readonly issued_at: Date
  readonly expires_at: Date
}

const CodeRow = Schema.Struct({
  mailbox: EmailAddress,
  code_hash: Schema.Uint8Array,
  is_redeemed: Schema.Boolean
})

const RecentRow = Schema.Struct({ issued_at: Schema.Date })

/** Statements over `email_codes`: the mailed codes, one for each subject. */
export const emailCodeStatements = Effect.map(SqlClient.SqlClient, (sql) => {
  const { maybe, run } = statements(sql, "emailCodes")

  const named = ({ purpose, subject }: CodeName) => sql`purpose = ${purpose} and subject = ${subject}`

  return {
    /** Replaces the former code of the same name, which is then no longer valid. */
    put: (code: NewCode) => run("put")`
      insert into email_codes ${sql.insert({ ...code })}
      on conflict (purpose, subject) do update
      set mailbox = excluded.mailbox, code_hash = excluded.code_hash, issued_at = excluded.issued_at,
        expires_at = excluded.expires_at, tries = 0, redeemed_at = null`,

    /**
     * Counts a try and returns the hash to compare with; none without a code or a try left. It counts under the lock of
     * the row, before the comparison: of many concurrent guesses, only five are compared.
     */
    countTry: (name: CodeName, at: Date) => maybe("countTry", CodeRow)`
      update email_codes set tries = tries + 1
      where ${named(name)} and tries < ${sql.literal(String(EMAIL_CODE_TRIES_MAX))} and expires_at > ${at}
      returning mailbox, code_hash, redeemed_at is not null as is_redeemed`,

    /** Returns when a code was mailed, if that was after a moment, and if it is unused and has tries left. */
    recent: (name: CodeName, since: Date) => maybe("recent", RecentRow)`
      select issued_at from email_codes
      where ${named(name)} and issued_at > ${since}
        and redeemed_at is null and tries < ${sql.literal(String(EMAIL_CODE_TRIES_MAX))}`,

    /** Marks a code as used. */
    redeem: (name: CodeName, at: Date) =>
      run("redeem")`update email_codes set redeemed_at = ${at} where ${named(name)}`,

    sweep: (expiredBefore: Date) => run("sweep")`delete from email_codes where expires_at < ${expiredBefore}`
  }
})

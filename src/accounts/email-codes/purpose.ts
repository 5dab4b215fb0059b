import { Schema } from "effect"

/** What a code was asked for. */
export const EmailCodePurpose = Schema.Literals(["login", "registration", "email_change"])
export type EmailCodePurpose = typeof EmailCodePurpose.Type

import { Schema } from "effect"

/** The purpose of a code. */
export const EmailCodePurpose = Schema.Literals(["login", "registration", "email_change"])
export type EmailCodePurpose = typeof EmailCodePurpose.Type

import { Effect, Option } from "effect"
import type { BrowserAuthority } from "../../../schemas/platform/security/authorities.ts"
import { lastCreationStatements } from "../../publishing/posts/lastCreation.sql.ts"
import type { PostFields } from "../write/postForm.ts"

/**
 * Makes the function that fills in how the author said that the last post was made, where a draft says nothing. The author's
 * responsibility is never filled in.
 */
export const makeRememberedCreation = Effect.map(lastCreationStatements, (statements) =>
  Effect.fnUntraced(function* (fields: PostFields, { ownerId }: BrowserAuthority) {
    if (fields.method !== "") return fields
    const last = yield* statements.of(ownerId)
    if (Option.isNone(last)) return fields
    const { details, method } = last.value
    return { ...fields, method, details: fields.details === "" ? (details ?? "") : fields.details }
  })
)

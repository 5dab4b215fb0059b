import { Effect, Redacted } from "effect"
import { makeAdminClient } from "../../../src/client/AdminClient.ts"
import { throughRoutes } from "../derivedClient.ts"
import { BASE_URL } from "../TestClient.ts"

/** The administrator token that tests configure the service with. */
export const ADMIN_TOKEN = "an-admin-token-of-at-least-32-characters"

/** Calls the procedures of an administrator over the wire, with this token. */
export const administrator = (token: string = ADMIN_TOKEN) =>
  Effect.provide(makeAdminClient({ baseUrl: BASE_URL, token: Redacted.make(token) }), throughRoutes)

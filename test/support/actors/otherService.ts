import { Effect, Redacted } from "effect"
import { CategoryId } from "../../../schemas/platform/Ids.ts"
import { makeServiceClient, onBehalfOf } from "../../../src/client/ServiceClient.ts"
import { throughRoutes } from "../derivedClient.ts"
import { BASE_URL } from "../TestClient.ts"
import { ADMIN_TOKEN } from "./administrator.ts"
import { completePost } from "./owner.ts"

/** Connects as another service of the operator, over the wire, with this token. */
export const otherService = (token: string = ADMIN_TOKEN) =>
  Effect.provide(makeServiceClient({ baseUrl: BASE_URL, token: Redacted.make(token) }), throughRoutes)

/** Makes calls with a Publishing key. */
export const withKey = (key: string) => onBehalfOf(Redacted.make(key))

/** A draft that can be published, as a value. */
export const completeDraft = {
  ...completePost,
  primaryCategoryId: CategoryId.make(3),
  creationMethod: "human_written"
} as const

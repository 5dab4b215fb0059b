import { post } from "../loadRequest.ts"
import { answerOf, type Server } from "../servers.ts"

/** Sessions that the seed opens for each owner, one after the other. */
const SESSIONS_OF_OWNER = 5

/** Refreshes a session of so many owners. Returns their access tokens, which live 15 minutes. */
export const signedIn = async (server: Server, families: ReadonlyArray<string>, count: number) => {
  const tokens: Array<string> = []
  for (let n = 0; n < count; n++) {
    // From the end, because the load on refreshes takes them from the beginning.
    const refreshToken = families.at(-1 - n * SESSIONS_OF_OWNER)
    const { body, status } = await answerOf(server, post("/api/v1/auth/refresh", { refreshToken }))
    if (status !== 200) throw new Error(`A seeded session is not refreshed: ${status} ${body}`)
    tokens.push(JSON.parse(body).accessToken)
  }
  return tokens
}
